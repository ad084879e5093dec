//! Places in a text: offsets in bytes, lines and columns as hookbench displays them, and positions as the client counts them.

use hookbench_core::text::Position as ShownPosition;
use lsp_types::{Position, Range};

hookbench_core::words! {
    /// The unit in which the client counts the characters of a line.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Encoding {
        Utf8 = "utf-8",
        #[default]
        Utf16 = "utf-16",
        Utf32 = "utf-32",
    }
    /// The word of the protocol.
    fn word; const ALL; fn from_word;
}

impl Encoding {
    /// The first encoding of a list that is known; UTF-16 if none is.
    pub fn negotiate<'a>(mut offered: impl Iterator<Item = &'a str>) -> Encoding {
        offered.find_map(Encoding::from_word).unwrap_or_default()
    }

    fn width(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// A text with the offsets of its lines.
pub struct Lines<'a> {
    text: &'a str,
    encoding: Encoding,
    /// Lines of the protocol, which end with `\n`, `\r\n` or `\r`.
    starts: Vec<usize>,
    /// Lines as displayed, which end with `\n`.
    shown_starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text.
    pub fn new(text: &'a str, encoding: Encoding) -> Lines<'a> {
        let (mut starts, mut shown_starts) = (vec![0], vec![0]);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'\n' => {
                    starts.push(at + 1);
                    shown_starts.push(at + 1);
                }
                b'\r' if text.as_bytes().get(at + 1) != Some(&b'\n') => starts.push(at + 1),
                _ => {}
            }
        }
        Lines { text, encoding, starts, shown_starts }
    }

    /// The line that begins at an offset, without its end.
    fn line_at(&self, start: usize) -> &'a str {
        let rest = self.text.get(start..).unwrap_or("");
        rest.split(['\n', '\r']).next().unwrap_or("")
    }

    /// The offset of a position. A position beyond the end of a line or of the text is its end.
    pub fn offset(&self, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize).copied() else { return self.text.len() };
        let (mut offset, mut rest) = (start, position.character as usize);
        for character in self.line_at(start).chars() {
            let width = self.encoding.width(character);
            if rest < width {
                break;
            }
            rest -= width;
            offset += character.len_utf8();
        }
        offset
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = (0..=offset.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        let width: usize = before.chars().map(|character| self.encoding.width(character)).sum();
        Position { line: number(line), character: number(width) }
    }

    /// The range between two offsets.
    pub fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end.max(start)) }
    }

    /// The offset of a place as displayed. A byte order mark has no column.
    pub fn shown_offset(&self, place: ShownPosition) -> usize {
        let line = place.line.saturating_sub(1) as usize;
        let Some(start) = self.shown_starts.get(line).copied() else { return self.text.len() };
        let line = self.text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or("");
        let mut characters = line.char_indices().filter(|(_, character)| *character != '\u{feff}');
        let column = place.column.saturating_sub(1) as usize;
        start + characters.nth(column).map_or(line.len(), |(at, _)| at)
    }

    /// The range of a place as displayed; the beginning of the text if there is no place.
    pub fn shown_range(&self, place: Option<(ShownPosition, ShownPosition)>) -> Range {
        place.map_or_else(Range::default, |(start, end)| self.range(self.shown_offset(start), self.shown_offset(end)))
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_in_the_unit_of_the_client_and_are_clamped() {
        let text = "aé😀b\r\nx\rlast";
        for (encoding, after_face) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let lines = Lines::new(text, encoding);
            let at = |line, character| lines.offset(Position { line, character });
            let found = [at(0, 0), at(0, after_face), at(0, 99), at(1, 1), at(2, 2), at(2, 99), at(9, 0)];
            assert_eq!(found, [0, 7, 8, 11, 14, 16, 16], "{encoding:?}");
            for (offset, _) in text.char_indices().filter(|(_, character)| *character != '\n') {
                assert_eq!(lines.offset(lines.position(offset)), offset, "{encoding:?} {offset}");
            }
        }
        let half_of_a_pair = Lines::new(text, Encoding::Utf16).offset(Position { line: 0, character: 3 });
        assert_eq!(half_of_a_pair, 3);
    }

    #[test]
    fn displayed_places_have_no_column_for_a_byte_order_mark() {
        let lines = Lines::new("\u{feff}a\rb\nc", Encoding::Utf16);
        let at = |line, column| lines.shown_offset(ShownPosition { line, column });
        assert_eq!([at(1, 1), at(1, 3), at(1, 9), at(2, 1), at(7, 1)], [3, 5, 6, 7, 8]);
    }

    #[test]
    fn the_first_known_encoding_is_taken() {
        for (offered, want) in [
            (&["utf-8", "utf-16"][..], Encoding::Utf8),
            (&["utf-7", "utf-32"], Encoding::Utf32),
            (&["utf-7"], Encoding::Utf16),
            (&[], Encoding::Utf16),
        ] {
            assert_eq!(Encoding::negotiate(offered.iter().copied()), want, "{offered:?}");
        }
    }
}
