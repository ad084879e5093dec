//! A quoted text, with the place of each of its characters in the source.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use super::source::{SourceId, Span};

/// A string literal in JSON, TOML or YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The text after escapes are resolved.
    pub text: String,
    /// The place, including the quotes.
    pub span: Span,
    /// For every byte of `text`, and for its end, the offset in the source.
    places: Vec<usize>,
    double: bool,
}

impl Literal {
    /// Parses the literal at an offset of a text.
    pub fn parse(source: SourceId, text: &str, at: usize) -> Option<Literal> {
        let rest = text.get(at..)?;
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote));
        let mut reading = LiteralReader { rest, at, text: String::new(), places: Vec::new() };
        let end = match quote {
            None => reading.plain()?,
            Some(quote) => {
                reading.skip(quote.len());
                if quote.len() == 3 && reading.rest.starts_with('\n') {
                    reading.skip(1);
                }
                reading.quoted(quote)?;
                reading.at + quote.len()
            }
        };
        reading.places.push(reading.at);
        Some(Literal {
            text: reading.text,
            span: Span::new(source, at, end),
            places: reading.places,
            double: quote == Some("\""),
        })
    }

    /// Another text at the same place.
    #[must_use]
    pub fn with_text(&self, text: &str) -> Literal {
        Literal { text: text.to_owned(), places: Vec::new(), ..self.clone() }
    }

    /// Whether characters are escaped as in JSON.
    pub fn is_double(&self) -> bool {
        self.double
    }

    /// The place of a byte range of the text.
    pub fn place(&self, range: Range<usize>) -> Span {
        let at = |byte: usize| self.places.get(byte).or(self.places.last()).copied().unwrap_or(self.span.start);
        Span::new(self.span.source, at(range.start), at(range.end).max(at(range.start)))
    }
}

struct LiteralReader<'a> {
    rest: &'a str,
    at: usize,
    text: String,
    places: Vec<usize>,
}

impl LiteralReader<'_> {
    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    /// Consumes bytes of the source for one character.
    fn take(&mut self, bytes: usize, letter: char) {
        self.text.push(letter);
        self.places.extend(std::iter::repeat_n(self.at, letter.len_utf8()));
        self.skip(bytes);
    }

    fn quoted(&mut self, quote: &str) -> Option<()> {
        loop {
            if self.rest.starts_with(quote) {
                // In TOML, up to two quotes of the text stand before three that close it.
                let mark = quote.chars().next()?;
                if quote.len() == 3 && self.rest.chars().nth(3) == Some(mark) {
                    self.take(1, mark);
                    continue;
                }
                // In YAML, two single quotes are an escaped one.
                if quote == "'" && self.rest.starts_with("''") {
                    self.take(2, '\'');
                    continue;
                }
                return Some(());
            }
            match self.rest.chars().next()? {
                '\\' if quote.starts_with('"') => self.escape()?,
                c => self.take(c.len_utf8(), c),
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let hex = |from: usize, length: usize| u32::from_str_radix(self.rest.get(from..from + length)?, 16).ok();
        let (bytes, letter) = match self.rest.chars().nth(1)? {
            'b' => (2, '\u{8}'),
            'e' => (2, '\u{1b}'),
            'f' => (2, '\u{c}'),
            'n' => (2, '\n'),
            'r' => (2, '\r'),
            't' => (2, '\t'),
            'u' => match (hex(2, 4)?, hex(8, 4)) {
                (high @ 0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                    (12, char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?)
                }
                (code, _) => (6, char::from_u32(code).unwrap_or('\u{fffd}')),
            },
            'U' => (10, char::from_u32(hex(2, 8)?)?),
            '\n' => {
                let blank = self.rest.get(1..)?.len() - self.rest.get(1..)?.trim_start().len();
                self.skip(1 + blank);
                return Some(());
            }
            c => (1 + c.len_utf8(), c),
        };
        self.take(bytes, letter);
        Some(())
    }

    /// Parses a plain YAML scalar, up to the end of its line.
    fn plain(&mut self) -> Option<usize> {
        let line = self.rest.split('\n').next()?;
        let line = line.split(" #").next()?.trim_end();
        if line.is_empty() || line.starts_with(['|', '>', '{', '[', '&', '*', '!']) {
            return None;
        }
        for c in line.chars() {
            self.take(c.len_utf8(), c);
        }
        Some(self.at)
    }
}

// Halves of surrogate pairs. A JavaScript string may contain a lone half; a Rust string cannot. Here a character
// of the last private-use plane represents it (U+10F800 to U+10FFFF, one for each of the 2,048 halves). On output
// it becomes `\ud800` in JSON, and U+FFFD in UTF-8 text.

const FIRST: u32 = 0x10_F800;

/// The character that represents a half. `None` if the unit is not half of a surrogate pair.
pub fn surrogate_to_char(unit: u32) -> Option<char> {
    (0xD800..0xE000).contains(&unit).then(|| char::from_u32(FIRST + (unit - 0xD800))).flatten()
}

/// The half that a character represents.
pub fn char_to_surrogate(c: char) -> Option<u32> {
    u32::from(c).checked_sub(FIRST).map(|offset| 0xD800 + offset)
}

/// The text with each half replaced by U+FFFD.
pub fn replace_surrogates(text: &str) -> Cow<'_, str> {
    if text.contains(|c| char_to_surrogate(c).is_some()) {
        Cow::Owned(text.chars().map(|c| if char_to_surrogate(c).is_some() { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces halves in all texts and keys of a value.
pub fn replace_surrogates_in(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(whole) = replace_surrogates(text) {
                *text = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace_surrogates_in),
        Value::Object(map) => {
            map.values_mut().for_each(replace_surrogates_in);
            if map.keys().any(|key| matches!(replace_surrogates(key), Cow::Owned(_))) {
                *map = std::mem::take(map)
                    .into_iter()
                    .map(|(key, value)| (replace_surrogates(&key).into_owned(), value))
                    .collect();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_keep_their_places() {
        for (text, want, part, stands) in [
            (r#""a \"b\" c", x"#, "a \"b\" c", 2..5, r#"\"b\""#),
            (r#""\u00e9\ud83d\ude00z""#, "é😀z", 6..7, "z"),
            ("'C:\\x' # n", "C:\\x", 0..4, "C:\\x"),
            ("'it''s'", "it's", 2..4, "''s"),
            ("sh x.sh  # why\nb", "sh x.sh", 3..7, "x.sh"),
            ("\"\"\"\na\nb\"\"\"", "a\nb", 2..3, "b"),
            ("'''echo 'a'''' # x", "echo 'a'", 7..8, "'"),
        ] {
            let literal = Literal::parse(SourceId(0), text, 0).unwrap();
            let place = literal.place(part);
            assert_eq!((literal.text.as_str(), &text[place.start..place.end]), (want, stands), "{text}");
        }
        assert_eq!(Literal::parse(SourceId(0), "\"open", 0), None);
    }
}

#[cfg(test)]
mod surrogates_tests {
    use super::*;

    #[test]
    fn every_half_has_its_stand_in() {
        for unit in 0xD800..0xE000 {
            assert_eq!(surrogate_to_char(unit).and_then(char_to_surrogate), Some(unit));
        }
        assert_eq!(
            (
                surrogate_to_char(0xD7FF),
                surrogate_to_char(0xE000),
                char_to_surrogate('\u{fffd}'),
                char_to_surrogate('\u{10f7ff}')
            ),
            (None, None, None, None)
        );
        assert_eq!(replace_surrogates("a\u{10f800}b"), "a\u{fffd}b");
    }
}
