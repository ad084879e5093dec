//! The replacement of a byte range, and sets of them.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// The replacement of a byte range of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    pub start: usize,
    pub end: usize,
    /// The new text. Edits are stored only in the record of an installation, where it is the text that was replaced.
    #[serde(rename = "was")]
    pub text: String,
}

/// Edits of one text, sorted by position. All offsets refer to the text before any of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EditSet(Vec<TextEdit>);

/// The reason why edits cannot be applied to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("two edits overlap at byte {0}")]
    Overlap(usize),
    #[error("bytes {0} to {1} are not a range of the text")]
    OutOfRange(usize, usize),
}

impl TextEdit {
    /// Replaces a range.
    pub fn replace(start: usize, end: usize, text: impl Into<String>) -> TextEdit {
        TextEdit { start, end, text: text.into() }
    }

    /// Inserts a text.
    pub fn insert(at: usize, text: impl Into<String>) -> TextEdit {
        TextEdit::replace(at, at, text)
    }

    /// Removes a range.
    pub fn remove(start: usize, end: usize) -> TextEdit {
        TextEdit::replace(start, end, "")
    }

    /// Inserts texts before and after a range.
    pub fn wrap(start: usize, end: usize, before: impl Into<String>, after: &str) -> [TextEdit; 2] {
        [TextEdit::insert(start, before), TextEdit::insert(end, after)]
    }

    /// Whether the ranges of two edits overlap or touch.
    pub fn touches(&self, other: &TextEdit) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

impl Deref for EditSet {
    type Target = [TextEdit];

    fn deref(&self) -> &[TextEdit] {
        &self.0
    }
}

impl FromIterator<TextEdit> for EditSet {
    /// Sorts the edits. Insertions at the same offset keep their order; an edit that occurs twice is kept once.
    fn from_iter<I: IntoIterator<Item = TextEdit>>(edits: I) -> EditSet {
        let mut edits: Vec<TextEdit> = edits.into_iter().collect();
        edits.sort_by_key(|edit| (edit.start, edit.end));
        edits.dedup();
        EditSet(edits)
    }
}

impl EditSet {
    /// Returns the text with the edits applied.
    ///
    /// # Errors
    /// Returns an error if two edits overlap, or if a range is not in the text.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.0 {
            if edit.start < at {
                return Err(EditError::Overlap(edit.start));
            }
            let missing = EditError::OutOfRange(edit.start, edit.end);
            text.get(edit.start..edit.end).ok_or(missing)?;
            out.push_str(text.get(at..edit.start).ok_or(missing)?);
            out.push_str(&edit.text);
            at = edit.end;
        }
        out.push_str(text.get(at..).unwrap_or(""));
        Ok(out)
    }

    /// Returns the edits that restore `text` from the text that these edits produce.
    #[must_use]
    pub fn inverse(&self, text: &str) -> EditSet {
        let original = |edit: &TextEdit| text.get(edit.start..edit.end).unwrap_or("").to_owned();
        EditSet(self.produced().map(|(start, end, edit)| TextEdit::replace(start, end, original(edit))).collect())
    }

    /// Returns the edits with the effect of these and then of `later`, whose offsets refer to the text that these
    /// edits produce. Edits that touch are merged.
    #[must_use]
    pub fn then(&self, later: &EditSet) -> EditSet {
        let mut first = self.produced().peekable();
        let mut second = later.iter().peekable();
        let mut out = Vec::new();
        // The number of bytes that the edits so far have added and removed.
        let (mut added, mut removed) = (0, 0);
        loop {
            let starts = first.peek().map(|one| one.0).into_iter().chain(second.peek().map(|edit| edit.start));
            let Some(start) = starts.min() else { return EditSet(out) };
            let (from, mut end) = (start + removed - added, start);
            // Every byte between two edits of the group belongs to an edit of the other set.
            let (mut produced, mut changes) = (Vec::new(), Vec::new());
            loop {
                if let Some((start, upto, edit)) = first.next_if(|one| one.0 <= end) {
                    end = end.max(upto);
                    added += edit.text.len();
                    removed += edit.end - edit.start;
                    produced.push((start, edit));
                } else if let Some(edit) = second.next_if(|edit| edit.start <= end) {
                    end = end.max(edit.end);
                    changes.push(edit);
                } else {
                    break;
                }
            }
            let kept = |from: usize, upto: usize| -> String {
                let part = produced.iter().filter_map(|(start, edit): &(usize, &TextEdit)| {
                    edit.text.get(from.saturating_sub(*start)..upto.saturating_sub(*start).min(edit.text.len()))
                });
                part.collect()
            };
            let (mut text, mut at) = (String::new(), start);
            for edit in changes {
                text.push_str(&kept(at, edit.start));
                text.push_str(&edit.text);
                at = edit.end;
            }
            text.push_str(&kept(at, end));
            out.push(TextEdit::replace(from, end + removed - added, text));
        }
    }

    /// Returns each edit with the range of its new text.
    fn produced(&self) -> impl Iterator<Item = (usize, usize, &TextEdit)> {
        let (mut added, mut removed) = (0, 0);
        self.0.iter().map(move |edit| {
            let start = edit.start + added - removed;
            added += edit.text.len();
            removed += edit.end - edit.start;
            (start, start + edit.text.len(), edit)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn edits_refer_to_the_original_text() {
        let edit = TextEdit::replace;
        for (edits, want) in [
            (vec![], Ok("abcdef")),
            (vec![edit(1, 2, "XX")], Ok("aXXcdef")),
            (vec![edit(4, 6, ""), edit(0, 0, "> ")], Ok("> abcd")),
            (vec![edit(1, 1, "1"), edit(1, 1, "2"), edit(1, 1, "2")], Ok("a12bcdef")),
            (vec![edit(0, 3, "x"), edit(2, 4, "y")], Err(EditError::Overlap(2))),
            (vec![edit(5, 9, "x")], Err(EditError::OutOfRange(5, 9))),
        ] {
            let found = edits.iter().cloned().collect::<EditSet>().apply("abcdef");
            assert_eq!(found.as_deref(), want.as_ref().copied(), "{edits:?}");
        }
    }

    #[test]
    fn equal_texts_removed_side_by_side_are_both_restored() {
        let edits = EditSet::from_iter([TextEdit::remove(0, 1), TextEdit::remove(1, 2)]);
        assert_eq!(edits.inverse("aab").apply("b").as_deref(), Ok("aab"));
    }

    /// Makes edits of a text from arbitrary numbers.
    fn edits_of(text: &str, numbers: &[(usize, usize, String)]) -> EditSet {
        let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        let mut ends: Vec<usize> =
            numbers.iter().flat_map(|(a, b, _)| [places[a % places.len()], places[b % places.len()]]).collect();
        ends.sort_unstable();
        let ranges = ends.chunks(2).zip(numbers);
        ranges.map(|(range, (_, _, text))| TextEdit::replace(range[0], range[1], text.as_str())).collect()
    }

    proptest! {
        #[test]
        fn applied_composed_and_reverted(
            text in "[a-zé]{0,20}",
            first in prop::collection::vec((0usize..60, 0usize..60, "[A-Zü]{0,4}"), 0..6),
            second in prop::collection::vec((0usize..60, 0usize..60, "[0-9ß]{0,4}"), 0..6),
        ) {
            let first = edits_of(&text, &first);
            let once = first.apply(&text).unwrap();
            // Every byte outside of the ranges is kept.
            let (mut at, mut rest) = (0, once.as_str());
            for edit in first.iter() {
                rest = rest.strip_prefix(&text[at..edit.start]).unwrap().strip_prefix(edit.text.as_str()).unwrap();
                at = edit.end;
            }
            prop_assert_eq!(rest, &text[at..]);
            prop_assert_eq!(first.inverse(&text).apply(&once).unwrap(), text.clone());
            let second = edits_of(&once, &second);
            prop_assert_eq!(first.then(&second).apply(&text), second.apply(&once));
        }
    }
}
