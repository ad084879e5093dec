//! Where the lines of a stream start. It grows with the stream: every byte is looked at once, whatever is drawn.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::pen::Pen;
use hookbench_app::LiveStream;

/// Where a line starts, counted from the start of the stream, and the pen that it starts with. Packed, since a stream
/// of nothing but line ends has millions of them: 48 bits of place, 15 of pen, one for the gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start(u64);

impl Start {
    fn new(at: u64, pen: Pen) -> Start {
        Start(at | u64::from(pen.bits()) << 48)
    }

    fn gap(at: u64) -> Start {
        Start(at | 1 << 63)
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
pub enum Entry {
    Line {
        bytes: Range<u64>,
        pen: Pen,
    },
    /// Bytes that are not kept.
    Gap(u64),
}

/// How far into an escape sequence the scan is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    Parameters(String),
}

/// The index.
#[derive(Debug, Clone)]
pub struct Index {
    starts: VecDeque<Start>,
    /// The next byte to look at.
    scanned: u64,
    /// Where the kept end of the stream begins.
    tail: u64,
    /// Where the kept stream ends.
    end: u64,
    gap: u64,
    /// The next byte starts a line.
    fresh: bool,
    /// Bytes of the current line so far.
    length: usize,
    /// A line that is longer is broken into several.
    longest: usize,
    /// Some line was broken, or some are not kept: their number says nothing.
    uncounted: bool,
    pen: Pen,
    escape: Escape,
    /// Bytes that were looked at, for those who want to know what this costs.
    pub looked_at: u64,
}

/// Parameters of one sequence that are kept.
const PARAMETERS: usize = 64;

impl Index {
    /// Of an empty stream.
    pub fn new(longest: usize) -> Index {
        Index {
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
            escape: Escape::None,
            looked_at: 0,
        }
    }

    /// Where lines are broken.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Takes in what has come since, and lets go of what is no longer kept.
    pub fn extend(&mut self, stream: &LiveStream) {
        if stream.total() < self.scanned {
            *self = Index::new(self.longest);
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
        self.starts.push_back(Start::gap(head));
        if self.scanned <= tail {
            // Nothing before a gap tells how to write what follows it.
            self.scanned = tail;
            self.fresh = true;
            self.pen = Pen::default();
            self.escape = Escape::None;
        } else if more && later.front().is_none_or(|s| s.at() != tail) {
            self.starts.push_back(Start::new(tail, Pen::default()));
        }
        self.starts.extend(later);
    }

    fn scan_from(&mut self, bytes: &[u8], base: u64) {
        let Some(skip) = self.scanned.checked_sub(base).and_then(|n| usize::try_from(n).ok()) else { return };
        for byte in bytes.iter().skip(skip) {
            let inside = byte & 0xc0 == 0x80;
            let full = self.length >= self.longest && !inside && self.escape == Escape::None;
            self.uncounted |= full && !self.fresh;
            if self.fresh || full {
                self.starts.push_back(Start::new(self.scanned, self.pen));
                self.fresh = false;
                self.length = 0;
            }
            self.length += 1;
            self.scanned += 1;
            self.looked_at += 1;
            self.byte(*byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.escape == Escape::None && byte != 0x1b && byte != b'\n' {
            return;
        }
        self.escape = match (std::mem::take(&mut self.escape), byte) {
            (_, b'\n') => {
                self.fresh = true;
                Escape::None
            }
            (_, 0x1b) => Escape::Begun,
            (Escape::Begun, b'[') => Escape::Parameters(String::new()),
            (Escape::Parameters(mut text), b'0'..=b'9' | b';' | b':') if text.len() < PARAMETERS => {
                text.push(char::from(byte));
                Escape::Parameters(text)
            }
            (Escape::Parameters(text), b'm') => {
                self.pen.take(&text);
                Escape::None
            }
            _ => Escape::None,
        };
    }

    /// Whether the numbers of lines are those that an editor would show.
    pub fn counts(&self) -> bool {
        !self.uncounted
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The line of that number.
    pub fn entry(&self, line: usize) -> Option<Entry> {
        let start = *self.starts.get(line)?;
        if start.is_gap() {
            return Some(Entry::Gap(self.gap));
        }
        let end = self.starts.get(line + 1).map_or(self.end, |s| s.at());
        Some(Entry::Line { bytes: start.at()..end, pen: start.pen() })
    }

    /// Where a line starts.
    pub fn place(&self, line: usize) -> u64 {
        self.starts.get(line).map_or(self.end, |s| s.at())
    }

    /// The line in which a place lies.
    pub fn line_at(&self, place: u64) -> usize {
        self.starts.partition_point(|s| s.at() <= place).saturating_sub(1)
    }
}

/// The kept bytes of a range of the stream.
pub fn bytes(stream: &LiveStream, range: Range<u64>) -> Cow<'_, [u8]> {
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

    fn lines(index: &Index, stream: &LiveStream) -> Vec<String> {
        let show = |line| match index.entry(line) {
            Some(Entry::Line { bytes: range, .. }) => bytes(stream, range).escape_ascii().to_string(),
            Some(Entry::Gap(size)) => format!("<{size}>"),
            None => "?".to_owned(),
        };
        (0..index.len()).map(show).collect()
    }

    fn of(head: &[u8], gap: u64, tail: &[u8]) -> LiveStream {
        LiveStream { head: head.to_vec(), gap, tail: tail.to_vec() }
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
            let mut index = Index::new(16);
            index.extend(&stream);
            assert_eq!(lines(&index, &stream), want);
        }
    }

    #[test]
    fn growing_gives_the_same_as_starting_over_and_looks_at_each_byte_once() {
        let mut stream = LiveStream::default();
        let mut grown = Index::new(4096);
        let mut sent: u64 = 0;
        for step in 0..200_u64 {
            let text = format!("{step} \x1b[3{}m {}\n", step % 8, "word ".repeat(4000));
            let skipped = if step == 150 { 12_345 } else { 0 };
            stream.grow(text.as_bytes(), skipped);
            sent += text.len() as u64;
            grown.extend(&stream);
        }
        assert!(stream.gap > 1 << 20, "the test is about streams that are not kept whole");
        assert!(grown.looked_at <= sent, "{} of {sent} bytes", grown.looked_at);
        let mut fresh = Index::new(4096);
        fresh.extend(&stream);
        // Lines that were broken before the front went are broken elsewhere; the ends agree.
        let (a, b) = (lines(&grown, &stream), lines(&fresh, &stream));
        assert!(a.concat() == b.concat());
        assert_eq!((a.first(), a.last()), (b.first(), b.last()));
        let before = grown.looked_at;
        grown.extend(&stream);
        assert_eq!(grown.looked_at, before);
    }

    #[test]
    fn places_lead_to_lines_and_pens_last() {
        let stream = of(b"a\x1b[31mb\nc\x1b[0m\nd", 0, b"");
        let mut index = Index::new(4096);
        index.extend(&stream);
        let mut red = Pen::default();
        red.take("31");
        let pens: Vec<Pen> = (0..3)
            .filter_map(|l| match index.entry(l) {
                Some(Entry::Line { pen, .. }) => Some(pen),
                _ => None,
            })
            .collect();
        assert_eq!(pens, [Pen::default(), red, Pen::default()]);
        assert_eq!([0, 1, 7, 8, 99].map(|p| index.line_at(p)), [0, 0, 0, 1, 2]);
        assert_eq!(index.place(1), 8);
    }
}
