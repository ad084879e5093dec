//! The open documents, by path without links.

use std::collections::BTreeMap;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::text::{Encoding, Lines};

/// A document that the client has opened.
pub struct Document {
    /// The address as the client writes it.
    pub uri: Uri,
    pub version: i32,
    pub text: String,
}

impl Document {
    /// Applies changes in order. A range beyond the end ends at the end; a change without a range replaces the text.
    pub fn apply(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
        self.version = version;
        for change in changes {
            let Some(range) = change.range else {
                self.text = change.text;
                continue;
            };
            let lines = Lines::new(&self.text, encoding);
            let (start, end) = (lines.offset(range.start), lines.offset(range.end));
            self.text.replace_range(start.min(end)..start.max(end), &change.text);
        }
    }
}

/// The open documents.
pub type Documents = BTreeMap<String, Document>;

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use lsp_types::{Position, Range};

    use super::*;

    #[test]
    fn changes_are_applied_in_order_and_clamped() {
        let place = |line, character| Position { line, character };
        let change = |range: Option<(Position, Position)>, text: &str| TextDocumentContentChangeEvent {
            range: range.map(|(start, end)| Range { start, end }),
            range_length: None,
            text: text.to_owned(),
        };
        let uri = Uri::from_str("file:///a").ok();
        let mut document = uri.map(|uri| Document { uri, version: 1, text: "one\r\n😀two\n".to_owned() });
        let changes = vec![
            change(Some((place(1, 2), place(1, 3))), "T"),
            change(Some((place(0, 99), place(1, 0))), "|"),
            change(Some((place(9, 9), place(12, 0))), "end"),
            change(Some((place(0, 2), place(0, 1))), ""),
        ];
        if let Some(document) = &mut document {
            document.apply(7, changes, Encoding::Utf16);
        }
        assert_eq!(
            document.as_ref().map(|document| (document.version, document.text.as_str())),
            Some((7, "oe|😀Two\nend"))
        );
        if let Some(document) = &mut document {
            document.apply(8, vec![change(None, "new")], Encoding::Utf16);
        }
        assert_eq!(document.map(|document| document.text).as_deref(), Some("new"));
    }
}
