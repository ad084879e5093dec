//! A text that records which parts were inserted and what they replaced.

use serde::{Deserialize, Serialize};

use crate::text::edit::{EditError, EditSet, TextEdit};

/// A text with its inserted parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedText {
    pub text: String,
    /// The edits that restore the original text, one for each inserted part.
    pub pieces: EditSet,
}

impl MarkedText {
    /// Creates a text without inserted parts.
    pub fn new(text: impl Into<String>) -> MarkedText {
        MarkedText { text: text.into(), pieces: EditSet::default() }
    }

    /// Applies changes and records them. Pieces that they touch are merged with them.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the edits do not fit the text.
    pub fn apply(&mut self, edits: &EditSet) -> Result<(), EditError> {
        let changed = edits.apply(&self.text)?;
        self.pieces = edits.inverse(&self.text).then(&self.pieces);
        self.text = changed;
        Ok(())
    }

    /// Returns the text before the first insertion, or the text itself if the pieces do not fit it.
    pub fn original_text(&self) -> String {
        self.pieces.apply(&self.text).unwrap_or_else(|_| self.text.clone())
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
            within.then(|| Some(TextEdit::replace(moved(piece.start)?, moved(piece.end)?, piece.text.as_str())))?
        });
        Some(MarkedText { text: now.to_owned(), pieces: pieces.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn splice(start: usize, end: usize, text: &str) -> EditSet {
        EditSet::from_iter([TextEdit::replace(start, end, text)])
    }

    #[test]
    fn pieces_become_one_and_move() {
        let mut text = MarkedText::new("abcdef");
        text.apply(&splice(4, 5, "XY")).unwrap();
        text.apply(&splice(1, 1, "--")).unwrap();
        text.apply(&splice(3, 3, "+")).unwrap();
        assert_eq!(text.text, "a--+bcdXYf");
        let piece = |start, end, was: &str| TextEdit::replace(start, end, was);
        assert_eq!(*text.pieces, [piece(1, 4, ""), piece(7, 9, "e")]);
        // Covers both pieces and the text between them.
        text.apply(&splice(2, 8, "!")).unwrap();
        assert_eq!((text.text.as_str(), &*text.pieces), ("a-!Yf", &[piece(1, 4, "bcde")][..]));
        assert_eq!(text.original_text(), "abcdef");
    }

    #[test]
    fn foreign_changes() {
        let mut text = MarkedText::new("one two three");
        text.apply(&splice(3, 3, " and")).unwrap();
        text.apply(&splice(11, 11, ",")).unwrap();
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
                let want = change.apply(&marked.text).unwrap();
                marked.apply(&change).unwrap();
                prop_assert_eq!(&marked.text, &want);
                prop_assert_eq!(marked.original_text(), text.clone());
            }
            prop_assert_eq!(marked.rebase(&marked.text), Some(marked.clone()));
        }
    }
}
