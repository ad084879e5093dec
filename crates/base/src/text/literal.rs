//! A quoted text, with the place of each of its characters in the source.

use std::ops::Range;

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
        ] {
            let literal = Literal::parse(SourceId(0), text, 0).unwrap();
            let place = literal.place(part);
            assert_eq!((literal.text.as_str(), &text[place.start..place.end]), (want, stands), "{text}");
        }
        assert_eq!(Literal::parse(SourceId(0), "\"open", 0), None);
    }
}
