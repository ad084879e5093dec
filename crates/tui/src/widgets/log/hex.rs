//! Bytes in hexadecimal, with their ASCII characters.

use std::ops::Range;

use ratatui::style::Style;

use super::LogArea;
use crate::widgets::StyledLine;

/// Bytes per row.
const BYTES_PER_ROW: u64 = 16;

/// The rows of a stream: its head, the gap, its tail.
#[derive(Debug, Clone, Copy)]
pub struct HexRows {
    head: u64,
    tail: u64,
    end: u64,
}

impl HexRows {
    /// The rows of a stream whose stored bytes are `..head` and `tail..end`.
    pub fn of(head: u64, tail: u64, end: u64) -> HexRows {
        // Without a gap, head and tail are one.
        if head == tail { HexRows { head: end, tail: end, end } } else { HexRows { head, tail, end } }
    }

    fn of_head(self) -> u64 {
        self.head.div_ceil(BYTES_PER_ROW)
    }

    fn gap(self) -> u64 {
        u64::from(self.tail > self.head)
    }

    /// The number of rows.
    pub fn len(self) -> usize {
        let all = self.of_head() + self.gap() + (self.end - self.tail).div_ceil(BYTES_PER_ROW);
        usize::try_from(all).unwrap_or(usize::MAX)
    }

    /// The offset of a row's first byte.
    pub fn place(self, row: usize) -> u64 {
        let row = row as u64;
        match row.checked_sub(self.of_head()) {
            None => row * BYTES_PER_ROW,
            Some(0) => self.head,
            Some(after) => self.tail + (after - self.gap()) * BYTES_PER_ROW,
        }
    }

    /// The bytes of a row; `None` for the gap.
    pub fn range(self, row: usize) -> Option<Range<u64>> {
        let from = self.place(row);
        if from < self.head {
            return Some(from..(from + BYTES_PER_ROW).min(self.head));
        }
        (from >= self.tail).then(|| from..(from + BYTES_PER_ROW).min(self.end))
    }

    /// The row of a byte.
    pub fn row_at(self, place: u64) -> usize {
        let row = match () {
            () if place < self.head => place / BYTES_PER_ROW,
            () if place < self.tail => self.of_head(),
            () => self.of_head() + self.gap() + (place - self.tail) / BYTES_PER_ROW,
        };
        usize::try_from(row).unwrap_or(usize::MAX).min(self.len().saturating_sub(1))
    }
}

/// One character for each byte.
pub fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|b| if (0x20..0x7f).contains(b) { char::from(*b) } else { '.' }).collect()
}

/// One row, for example `0000f0  68 65 6c 6c 6f 0a  hello.`, with matches highlighted in both parts.
pub fn row(place: u64, bytes: &[u8], found: &[(Range<usize>, Style)], pane: LogArea) -> StyledLine {
    let theme = pane.theme;
    let style = |at: usize, else_: Style| found.iter().find(|(r, _)| r.contains(&at)).map_or(else_, |(_, s)| *s);
    let wide = usize::try_from(BYTES_PER_ROW).unwrap_or(16);
    let text = ascii(bytes);
    let letters = text.chars().zip(bytes).enumerate().map(|(at, (c, b))| {
        let plain = (0x20..0x7f).contains(b);
        (style(at, if plain { theme.plain() } else { theme.quiet() }), c.to_string())
    });
    let mut pieces: StyledLine = vec![(theme.quiet(), format!("{place:06x}  "))];
    if pane.columns < 8 + wide * 3 + 2 + wide {
        // If both parts do not fit, only one is shown, with the same number of bytes per row.
        let compact = pane.columns >= 8 + wide * 2;
        for (at, byte) in bytes.iter().enumerate().filter(|_| compact) {
            pieces.push((style(at, theme.plain()), format!("{byte:02x}")));
        }
        if !compact {
            pieces.extend(letters);
        }
        return pieces;
    }
    for at in 0..wide {
        match bytes.get(at) {
            Some(byte) => pieces.push((style(at, theme.plain()), format!("{byte:02x}"))),
            None => pieces.push((theme.plain(), "  ".to_owned())),
        }
        pieces.push((theme.plain(), if at == wide / 2 - 1 { "  " } else { " " }.to_owned()));
    }
    pieces.push((theme.plain(), " ".to_owned()));
    pieces.extend(letters);
    pieces
}

#[cfg(test)]
mod tests {
    use super::HexRows;

    #[test]
    fn rows_and_places() {
        let rows = HexRows::of(20, 100, 140);
        assert_eq!(rows.len(), 2 + 1 + 3);
        assert_eq!((0..6).map(|r| rows.place(r)).collect::<Vec<_>>(), [0, 16, 20, 100, 116, 132]);
        assert_eq!(rows.range(1), Some(16..20));
        assert_eq!(rows.range(2), None);
        assert_eq!(rows.range(5), Some(132..140));
        assert_eq!([0, 19, 20, 99, 100, 139, 999].map(|p| rows.row_at(p)), [0, 1, 2, 2, 3, 5, 5]);
        let whole = HexRows::of(20, 20, 40);
        assert_eq!((whole.len(), whole.range(1), whole.range(2)), (3, Some(16..32), Some(32..40)));
        assert_eq!((HexRows::of(0, 0, 0).len(), HexRows::of(0, 0, 0).row_at(0)), (0, 0));
    }
}
