//! An index of the lines of a stream. It grows with the stream: every byte is scanned once, independent of
//! drawing.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::pen::Pen;
use hookbench_app::StreamBuffer;

/// The offset of a line in the stream, and the pen at its start. Packed, because a stream of empty lines has
/// millions of them: 48 bits for the offset, 15 for the pen, 1 for the gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineStart(u64);

impl LineStart {
    fn new(at: u64, pen: Pen) -> LineStart {
        LineStart(at | u64::from(pen.bits()) << 48)
    }

    fn gap(at: u64) -> LineStart {
        LineStart(at | 1 << 63)
    }

    fn at(self) -> u64 {
        self.0 & ((1 << 48) - 1)
    }

    fn is_gap(self) -> bool {
        self.0 >> 63 == 1
    }

    fn pen(self) -> Pen {
        Pen::from_bits(u16::try_from(self.0 >> 48 & 0x7fff).unwrap_or(0))
    }
}

/// One line of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineEntry {
    Line {
        bytes: Range<u64>,
        pen: Pen,
    },
    /// Bytes that are not stored.
    Gap(u64),
}

/// The state of the scan within an escape sequence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum EscapeState {
    #[default]
    None,
    Begun,
    Parameters(String),
}

/// The index.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: VecDeque<LineStart>,
    /// The offset of the next byte to scan.
    scanned: u64,
    /// The start of the stored tail.
    tail: u64,
    /// The end of the stored stream.
    end: u64,
    gap: u64,
    /// Whether the next byte starts a line.
    fresh: bool,
    /// Length of the current line so far, in bytes.
    length: usize,
    /// A longer line is broken into several.
    longest: usize,
    /// Whether a line was broken or is not stored, so that line numbers are meaningless.
    uncounted: bool,
    pen: Pen,
    escape: EscapeState,
    /// Number of scanned bytes, for tests of the cost.
    pub scanned_bytes: u64,
}

/// Maximum length of a sequence's parameters.
const PARAMETERS: usize = 64;

impl LineIndex {
    /// The index of an empty stream.
    pub fn new(longest: usize) -> LineIndex {
        LineIndex {
            starts: VecDeque::new(),
            scanned: 0,
            tail: 0,
            end: 0,
            gap: 0,
            fresh: true,
            length: 0,
            longest: longest.max(16),
            uncounted: false,
            pen: Pen::default(),
            escape: EscapeState::None,
            scanned_bytes: 0,
        }
    }

    /// The length at which lines are broken.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Scans new bytes and removes lines that are no longer stored.
    pub fn extend(&mut self, stream: &StreamBuffer) {
        if stream.total() < self.scanned {
            *self = LineIndex::new(self.longest);
        }
        let head = stream.head.len() as u64;
        let tail = head + stream.gap;
        self.scan_from(&stream.head, 0);
        if stream.gap != self.gap {
            self.open_gap(head, tail, !stream.tail.is_empty());
        }
        self.gap = stream.gap;
        self.tail = tail;
        self.end = stream.total();
        self.scan_from(&stream.tail, tail);
    }

    fn open_gap(&mut self, head: u64, tail: u64, more: bool) {
        self.uncounted = true;
        let from = self.starts.partition_point(|s| s.at() < head);
        let to = self.starts.partition_point(|s| s.at() < tail);
        let later = self.starts.split_off(to);
        self.starts.truncate(from);
        self.starts.push_back(LineStart::gap(head));
        if self.scanned <= tail {
            // The state before the gap does not apply after it.
            self.scanned = tail;
            self.fresh = true;
            self.pen = Pen::default();
            self.escape = EscapeState::None;
        } else if more && later.front().is_none_or(|s| s.at() != tail) {
            self.starts.push_back(LineStart::new(tail, Pen::default()));
        }
        self.starts.extend(later);
    }

    fn scan_from(&mut self, bytes: &[u8], base: u64) {
        let Some(skip) = self.scanned.checked_sub(base).and_then(|n| usize::try_from(n).ok()) else { return };
        for byte in bytes.iter().skip(skip) {
            let inside = byte & 0xc0 == 0x80;
            let full = self.length >= self.longest && !inside && self.escape == EscapeState::None;
            self.uncounted |= full && !self.fresh;
            if self.fresh || full {
                self.starts.push_back(LineStart::new(self.scanned, self.pen));
                self.fresh = false;
                self.length = 0;
            }
            self.length += 1;
            self.scanned += 1;
            self.scanned_bytes += 1;
            self.byte(*byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.escape == EscapeState::None && byte != 0x1b && byte != b'\n' {
            return;
        }
        self.escape = match (std::mem::take(&mut self.escape), byte) {
            (_, b'\n') => {
                self.fresh = true;
                EscapeState::None
            }
            (_, 0x1b) => EscapeState::Begun,
            (EscapeState::Begun, b'[') => EscapeState::Parameters(String::new()),
            (EscapeState::Parameters(mut text), b'0'..=b'9' | b';' | b':') if text.len() < PARAMETERS => {
                text.push(char::from(byte));
                EscapeState::Parameters(text)
            }
            (EscapeState::Parameters(text), b'm') => {
                self.pen.apply(&text);
                EscapeState::None
            }
            _ => EscapeState::None,
        };
    }

    /// Whether line numbers are those of an editor.
    pub fn has_line_numbers(&self) -> bool {
        !self.uncounted
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The line with this number.
    pub fn entry(&self, line: usize) -> Option<LineEntry> {
        let start = *self.starts.get(line)?;
        if start.is_gap() {
            return Some(LineEntry::Gap(self.gap));
        }
        let end = self.starts.get(line + 1).map_or(self.end, |s| s.at());
        Some(LineEntry::Line { bytes: start.at()..end, pen: start.pen() })
    }

    /// The offset of a line.
    pub fn place(&self, line: usize) -> u64 {
        self.starts.get(line).map_or(self.end, |s| s.at())
    }

    /// The line that contains an offset.
    pub fn line_at(&self, place: u64) -> usize {
        self.starts.partition_point(|s| s.at() <= place).saturating_sub(1)
    }
}

/// The stored bytes in a range of the stream.
pub fn stored_bytes(stream: &StreamBuffer, range: Range<u64>) -> Cow<'_, [u8]> {
    let head = stream.head.len() as u64;
    let cut = |all: &'_ [u8], base: u64| {
        let at = |place: u64| usize::try_from(place.saturating_sub(base)).unwrap_or(usize::MAX).min(all.len());
        at(range.start)..at(range.end)
    };
    let tail_base = head + stream.gap;
    let first = stream.head.get(cut(&stream.head, 0)).unwrap_or_default();
    let second = stream.tail.get(cut(&stream.tail, tail_base)).unwrap_or_default();
    match (first.is_empty(), second.is_empty()) {
        (_, true) => Cow::Borrowed(first),
        (true, false) => Cow::Borrowed(second),
        (false, false) => Cow::Owned([first, second].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(index: &LineIndex, stream: &StreamBuffer) -> Vec<String> {
        let show = |line| match index.entry(line) {
            Some(LineEntry::Line { bytes: range, .. }) => stored_bytes(stream, range).escape_ascii().to_string(),
            Some(LineEntry::Gap(size)) => format!("<{size}>"),
            None => "?".to_owned(),
        };
        (0..index.len()).map(show).collect()
    }

    fn of(head: &[u8], gap: u64, tail: &[u8]) -> StreamBuffer {
        StreamBuffer { head: head.to_vec(), gap, tail: tail.to_vec() }
    }

    #[test]
    fn streams_have_lines() {
        for (stream, want) in [
            (of(b"", 0, b""), &[][..]),
            (of(b"a\nb\n\nc", 0, b""), &["a\\n", "b\\n", "\\n", "c"]),
            (of(b"a\n", 7, b"end\n"), &["a\\n", "<7>", "end\\n"]),
            (of(b"ab", 0, b"c\nd"), &["abc\\n", "d"]),
            (of(b"ab", 9, b""), &["ab", "<9>"]),
            (of(b"0123456789abcdefgh", 0, b""), &["0123456789abcdef", "gh"]),
            (
                of("日本語日本語".as_bytes(), 0, b""),
                &["\\xe6\\x97\\xa5\\xe6\\x9c\\xac\\xe8\\xaa\\x9e\\xe6\\x97\\xa5\\xe6\\x9c\\xac\\xe8\\xaa\\x9e"],
            ),
        ] {
            let mut index = LineIndex::new(16);
            index.extend(&stream);
            assert_eq!(lines(&index, &stream), want);
        }
    }

    #[test]
    fn growing_gives_the_same_as_starting_over_and_looks_at_each_byte_once() {
        let mut stream = StreamBuffer::default();
        let mut grown = LineIndex::new(4096);
        let mut sent: u64 = 0;
        for step in 0..200_u64 {
            let text = format!("{step} \x1b[3{}m {}\n", step % 8, "word ".repeat(4000));
            let skipped = if step == 150 { 12_345 } else { 0 };
            stream.append(text.as_bytes(), skipped);
            sent += text.len() as u64;
            grown.extend(&stream);
        }
        assert!(stream.gap > 1 << 20, "the test is about streams that are not kept whole");
        assert!(grown.scanned_bytes <= sent, "{} of {sent} bytes", grown.scanned_bytes);
        let mut fresh = LineIndex::new(4096);
        fresh.extend(&stream);
        // Lines broken before the head was full are broken elsewhere; both ends agree.
        let (a, b) = (lines(&grown, &stream), lines(&fresh, &stream));
        assert!(a.concat() == b.concat());
        assert_eq!((a.first(), a.last()), (b.first(), b.last()));
        let before = grown.scanned_bytes;
        grown.extend(&stream);
        assert_eq!(grown.scanned_bytes, before);
    }

    #[test]
    fn places_lead_to_lines_and_pens_last() {
        let stream = of(b"a\x1b[31mb\nc\x1b[0m\nd", 0, b"");
        let mut index = LineIndex::new(4096);
        index.extend(&stream);
        let mut red = Pen::default();
        red.apply("31");
        let pens: Vec<Pen> = (0..3)
            .filter_map(|l| match index.entry(l) {
                Some(LineEntry::Line { pen, .. }) => Some(pen),
                _ => None,
            })
            .collect();
        assert_eq!(pens, [Pen::default(), red, Pen::default()]);
        assert_eq!([0, 1, 7, 8, 99].map(|p| index.line_at(p)), [0, 0, 0, 1, 2]);
        assert_eq!(index.place(1), 8);
    }
}
