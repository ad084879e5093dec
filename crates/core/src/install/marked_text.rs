//! A text that records which parts were inserted and what they replaced.

use serde::{Deserialize, Serialize};

use super::Splice;

/// An inserted part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertedPiece {
    pub start: usize,
    pub end: usize,
    /// The text that it replaced.
    #[serde(rename = "was")]
    pub original: String,
}

/// A text with its inserted parts, ordered by position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedText {
    pub text: String,
    pub pieces: Vec<InsertedPiece>,
}

impl MarkedText {
    /// Creates a text without inserted parts.
    pub fn new(text: impl Into<String>) -> MarkedText {
        MarkedText { text: text.into(), pieces: Vec::new() }
    }

    /// Applies a change and records it. Pieces that it touches are merged with it.
    pub fn apply(&mut self, splice: &Splice) {
        let touches = |piece: &InsertedPiece| piece.start <= splice.end && splice.start <= piece.end;
        let touched: Vec<&InsertedPiece> = self.pieces.iter().filter(|piece| touches(piece)).collect();
        let start = touched.first().map_or(splice.start, |piece| piece.start.min(splice.start));
        let end = touched.last().map_or(splice.end, |piece| piece.end.max(splice.end));
        let was = self.original(start, end);
        let (Some(before), Some(behind)) = (self.text.get(start..splice.start), self.text.get(splice.end..end)) else {
            return;
        };
        let grown = start + before.len() + splice.text.len() + behind.len();
        let mut pieces: Vec<InsertedPiece> = self.pieces.iter().filter(|piece| piece.end < start).cloned().collect();
        pieces.push(InsertedPiece { start, end: grown, original: was });
        let later = self.pieces.iter().filter(|piece| piece.start > end);
        pieces.extend(later.map(|piece| InsertedPiece {
            start: piece.start - end + grown,
            end: piece.end - end + grown,
            original: piece.original.clone(),
        }));
        self.text = splice.apply_to(&self.text);
        self.pieces = pieces;
    }

    /// Returns the text before the first insertion.
    pub fn original_text(&self) -> String {
        self.original(0, self.text.len())
    }

    /// Returns the original text between two offsets, neither of which is inside a piece.
    fn original(&self, start: usize, end: usize) -> String {
        let mut out = String::new();
        let mut at = start;
        for piece in self.pieces.iter().filter(|piece| start <= piece.start && piece.end <= end) {
            out.push_str(self.text.get(at..piece.start).unwrap_or(""));
            out.push_str(&piece.original);
            at = piece.end;
        }
        out.push_str(self.text.get(at..end).unwrap_or(""));
        out
    }

    /// Returns the same pieces in a newer version of the text. `None` if the change touches a piece, or if the
    /// text has changed both before and after a piece.
    pub fn rebase(&self, now: &str) -> Option<MarkedText> {
        let alike = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
            a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let before = alike(&mut self.text.chars(), &mut now.chars());
        let shorter = self.text.len().min(now.len());
        let behind = alike(&mut self.text.chars().rev(), &mut now.chars().rev()).min(shorter - before);
        let pieces = self.pieces.iter().map(|piece| {
            if piece.end <= before {
                return Some(piece.clone());
            }
            let moved = |place: usize| (place + now.len()).checked_sub(self.text.len());
            let within = piece.start >= self.text.len() - behind;
            within.then(|| {
                Some(InsertedPiece {
                    start: moved(piece.start)?,
                    end: moved(piece.end)?,
                    original: piece.original.clone(),
                })
            })?
        });
        Some(MarkedText { text: now.to_owned(), pieces: pieces.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn splice(start: usize, end: usize, text: &str) -> Splice {
        Splice { start, end, text: text.to_owned() }
    }

    #[test]
    fn pieces_become_one_and_move() {
        let mut text = MarkedText::new("abcdef");
        text.apply(&splice(4, 5, "XY"));
        text.apply(&splice(1, 1, "--"));
        text.apply(&splice(3, 3, "+"));
        assert_eq!(text.text, "a--+bcdXYf");
        let piece = |start, end, was: &str| InsertedPiece { start, end, original: was.to_owned() };
        assert_eq!(text.pieces, [piece(1, 4, ""), piece(7, 9, "e")]);
        // Covers both pieces and the text between them.
        text.apply(&splice(2, 8, "!"));
        assert_eq!((text.text.as_str(), &*text.pieces), ("a-!Yf", &[piece(1, 4, "bcde")][..]));
        assert_eq!(text.original_text(), "abcdef");
    }

    #[test]
    fn foreign_changes() {
        let mut text = MarkedText::new("one two three");
        text.apply(&splice(3, 3, " and"));
        text.apply(&splice(11, 11, ","));
        assert_eq!(text.text, "one and two, three");
        for (now, want) in [
            ("one and two, three", Some("one two three")),
            ("one and two, threé and four", Some("one two threé and four")),
            ("1 and two, three", Some("1 two three")),
            ("one and deux, three", Some("one deux three")),
            ("one or two, three", None),
            // Changes on both sides of a piece.
            ("1 and two, 3", None),
            ("one two three", None),
            ("", None),
        ] {
            let found = text.rebase(now).map(|marked| marked.original_text());
            assert_eq!(found.as_deref(), want, "{now}");
        }
    }

    proptest! {
        #[test]
        fn insertions_can_be_reverted(
            text in "[a-zé]{0,20}",
            changes in prop::collection::vec((0usize..60, 0usize..60, "[A-Zü]{0,4}"), 0..8),
        ) {
            let mut marked = MarkedText::new(text.clone());
            for (a, b, put) in changes {
                let places: Vec<usize> =
                    (0..=marked.text.len()).filter(|at| marked.text.is_char_boundary(*at)).collect();
                let (a, b) = (places[a % places.len()], places[b % places.len()]);
                let change = splice(a.min(b), a.max(b), &put);
                let want = change.apply_to(&marked.text);
                marked.apply(&change);
                prop_assert_eq!(&marked.text, &want);
                prop_assert_eq!(marked.original_text(), text.clone());
            }
            prop_assert_eq!(marked.rebase(&marked.text), Some(marked.clone()));
        }
    }
}
