//! Splits text into words, in the same way for the search index of the store, for an event in memory, and for the
//! search terms.
//!
//! A word consists of letters and digits, in lower case. In scripts without blanks between words, every character
//! is a word.

use serde_json::Value;

/// Longer words are not indexed: they are keys, digests and pictures.
pub(super) const MAX_WORD_BYTES: usize = 64;

/// Consecutive words to search for. The last one may be a prefix of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    text: String,
    words: Vec<String>,
    open: bool,
}

impl Phrase {
    /// Parses a phrase. With a `*` at the end, the last word is a prefix. `None` if the text contains no searchable
    /// word.
    pub fn parse(text: &str) -> Option<Phrase> {
        let mut words = Vec::new();
        let mut long = false;
        for_each_word(text, &mut |word| {
            long |= word.len() > MAX_WORD_BYTES;
            words.push(word.to_owned());
        });
        let open = text.ends_with('*') && !text.ends_with(" *");
        (!words.is_empty() && !long).then(|| Phrase { text: text.to_owned(), words, open })
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The words to search for.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether the last word is a prefix.
    pub fn is_prefix(&self) -> bool {
        self.open
    }

    /// Whether a text made by [`search_text`] contains the phrase.
    pub fn is_in(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split(' ').collect();
        words.windows(self.words.len()).any(|window| {
            let last = self.words.len() - 1;
            window.iter().zip(&self.words).enumerate().all(|(index, (have, want))| {
                have == want || (self.open && index == last && have.starts_with(want.as_str()))
            })
        })
    }
}

/// The words of all texts and numbers in a payload, separated by blanks. If the payload is not JSON, the words of
/// the whole payload. Keys are not included.
pub fn search_text(payload: &[u8]) -> String {
    let mut text = String::with_capacity(payload.len() / 2);
    match serde_json::from_slice::<Value>(payload) {
        Ok(value) => values(&value, &mut text),
        Err(_) => add(&String::from_utf8_lossy(payload), &mut text),
    }
    text
}

fn values(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => add(string, text),
        Value::Number(number) => add(&number.to_string(), text),
        Value::Array(items) => items.iter().for_each(|item| values(item, text)),
        Value::Object(object) => object.values().for_each(|item| values(item, text)),
        Value::Bool(_) | Value::Null => {}
    }
}

fn add(part: &str, text: &mut String) {
    for_each_word(part, &mut |word| {
        if word.len() <= MAX_WORD_BYTES {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
    });
}

fn for_each_word(text: &str, each: &mut impl FnMut(&str)) {
    let mut word = String::new();
    let mut close = |word: &mut String| {
        if !word.is_empty() {
            each(word);
            word.clear();
        }
    };
    for c in text.chars() {
        if !c.is_alphanumeric() {
            close(&mut word);
        } else if c >= '\u{2e80}' {
            close(&mut word);
            word.extend(c.to_lowercase());
            close(&mut word);
        } else if c.is_ascii() {
            word.push(c.to_ascii_lowercase());
        } else {
            word.extend(c.to_lowercase());
        }
    }
    close(&mut word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_payload() {
        for (payload, want) in [
            (r#"{"tool_input":{"command":"rm -rf Build\nls"},"n":1.5,"ok":true}"#, "rm rf build ls 1 5"),
            (r#"{"s":"\u00e9t\u00c9 mcp__git"}"#, "été mcp git"),
            (r#"["日本語x"]"#, "日 本 語 x"),
            ("not json {", "not json"),
            ("", ""),
        ] {
            assert_eq!(search_text(payload.as_bytes()), want, "{payload}");
        }
        assert_eq!(search_text(format!("\"a {} b\"", "x".repeat(65)).as_bytes()), "a b");
    }

    #[test]
    fn phrases_stand_in_their_order() {
        let text = search_text(br#"{"a":"rm -rf build","b":"done"}"#);
        for (phrase, want) in [
            ("rm", true),
            ("RM -rf", true),
            ("rf rm", false),
            ("buil", false),
            ("buil*", true),
            ("rm * build", false),
            ("build *", true),
            ("bu* done", false),
        ] {
            assert_eq!(Phrase::parse(phrase).map(|p| p.is_in(&text)), Some(want), "{phrase}");
        }
        assert_eq!(Phrase::parse("--"), None);
        assert_eq!(Phrase::parse(&"x".repeat(65)), None);
    }
}
