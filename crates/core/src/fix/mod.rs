//! Edits of a user's files: replacements of byte ranges. The rest of the text is unchanged, including comments and
//! whitespace.

mod matcher_edit;
mod quote;

pub use matcher_edit::{MatcherEditError, set_matcher};
pub use quote::{FileFormat, quote_like};

/// A replacement of a byte range of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEdit {
    /// The path as opened.
    pub path: String,
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// Applies the edits to a text. `None` if they overlap or do not fit it.
pub fn apply(text: &str, edits: &[PathEdit]) -> Option<String> {
    let mut edits: Vec<&PathEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.start)?);
        text.get(edit.start..edit.end)?;
        out.push_str(&edit.text);
        at = edit.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_in_their_places() {
        let edit = |start, end, text: &str| PathEdit { path: String::new(), start, end, text: text.to_owned() };
        for (edits, want) in [
            (vec![], Some("abcdef")),
            (vec![edit(1, 2, "XX")], Some("aXXcdef")),
            (vec![edit(4, 6, ""), edit(0, 0, "> ")], Some("> abcd")),
            (vec![edit(0, 3, "x"), edit(2, 4, "y")], None),
            (vec![edit(5, 9, "x")], None),
        ] {
            assert_eq!(apply("abcdef", &edits).as_deref(), want, "{edits:?}");
        }
    }
}
