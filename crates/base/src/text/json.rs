//! A JSON parser that agrees with the agents: strict like `JSON.parse`, with optional extensions, a place for every
//! value, and errors with advice.

use serde_json::Value;

use super::literal;
use super::node::{Member, Node, NodeValue};
use super::source::{SourceId, Span};

/// The nesting limit. Deeper values are checked but read as null: agents accept any depth, and hostile input must
/// not overflow the stack.
const DEPTH: usize = 512;

/// The accepted extensions to strict JSON. The default is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonSyntax {
    /// `// …` and `/* … */`.
    pub comments: bool,
    /// A comma before `]` or `}`.
    pub trailing_commas: bool,
    /// A byte-order mark at the start.
    pub bom: bool,
}

/// The error for a text that is not valid JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// The byte offset of the error.
    pub at: usize,
    pub message: String,
    /// The advice, if there is one.
    pub help: Option<String>,
}

/// Parses a whole text.
///
/// # Errors
/// Returns the first violation of this syntax, with its byte offset.
pub fn parse_json(source: SourceId, text: &str, syntax: JsonSyntax) -> Result<Node, JsonError> {
    read(JsonParser { text, bytes: text.as_bytes(), at: 0, source, syntax, halves: false, depth: 0, comma: 0 })
}

/// Parses a text from an agent or a hook. Unlike [`parse_json`], it keeps a lone half of a surrogate pair, as
/// `JSON.parse` does, as the character that represents it ([`super::char_to_surrogate`]).
pub fn parse_with_surrogates(text: &str, syntax: JsonSyntax) -> Result<Node, JsonError> {
    let source = SourceId(0);
    read(JsonParser { text, bytes: text.as_bytes(), at: 0, source, syntax, halves: true, depth: 0, comma: 0 })
}

fn read(mut reader: JsonParser<'_>) -> Result<Node, JsonError> {
    let (text, syntax) = (reader.text, reader.syntax);
    if syntax.bom && text.starts_with('\u{feff}') {
        reader.at = 3;
    }
    reader.blank()?;
    let node = reader.value()?;
    reader.blank()?;
    if reader.at < reader.bytes.len() {
        return Err(reader.error("there is text after the end of the JSON value", Some("keep only one value")));
    }
    Ok(node)
}

/// Parses strict JSON to a value without places.
pub fn parse_value(text: &str) -> Result<Value, JsonError> {
    parse_with_surrogates(text, JsonSyntax::default()).map(|node| node.to_value())
}

/// Parses strict JSON to a value, and keeps numbers digit by digit. Agents differ in how they convert them.
pub fn parse_exact_numbers(text: &str) -> Result<Value, JsonError> {
    parse_with_surrogates(text, JsonSyntax::default()).map(|node| node.to_exact_value(text))
}

struct JsonParser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    source: SourceId,
    syntax: JsonSyntax,
    /// Whether lone halves of surrogate pairs are kept.
    halves: bool,
    depth: usize,
    /// The offset of the last comma.
    comma: usize,
}

impl JsonParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, message: impl Into<String>, help: Option<&str>) -> JsonError {
        JsonError { at: self.at, message: message.into(), help: help.map(str::to_owned) }
    }

    /// Skips white space, and comments if they are allowed.
    fn blank(&mut self) -> Result<(), JsonError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), JsonError> {
        let rest = self.text.get(self.at..).unwrap_or("");
        let length = if rest.starts_with("//") {
            Some(rest.find(['\n', '\r']).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            return Err(self.error("unexpected `/`", None));
        };
        if !self.syntax.comments {
            return Err(self.error("a comment, but this file must be strict JSON", Some("remove the comment")));
        }
        match length {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => Err(self.error("this comment is not closed", Some("close it with `*/`"))),
        }
    }

    fn value(&mut self) -> Result<Node, JsonError> {
        let start = self.at;
        let value = match self.peek() {
            None if self.bytes.iter().all(u8::is_ascii_whitespace) => {
                return Err(self.error("the file is empty", Some("write a JSON object, at least { }")));
            }
            None => return Err(self.error("the text ends before a value", Some("is the file cut off?"))),
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => NodeValue::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => NodeValue::Number(self.number()?),
            Some(b'\'') => {
                return Err(self.error("a string in single quotes", Some("JSON strings need double quotes")));
            }
            Some(_) => self.word()?,
        };
        Ok(Node { span: Span::new(self.source, start, self.at), value })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<NodeValue, JsonError>) -> Result<NodeValue, JsonError> {
        if self.depth == DEPTH {
            self.skip_nested()?;
            return Ok(NodeValue::Null);
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Skips a list or an object of any depth without recursion.
    fn skip_nested(&mut self) -> Result<(), JsonError> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            let close = match self.peek() {
                Some(b'{') => Some(b'}'),
                Some(b'[') => Some(b']'),
                _ => None,
            };
            if let Some(close) = close {
                self.at += 1;
                self.blank()?;
                open.push(close);
                if self.peek() != Some(close) {
                    self.key_before(close)?;
                    continue;
                }
                self.at += 1;
                open.pop();
            } else {
                self.value()?;
            }
            // The value has ended; the enclosing values may end, too.
            loop {
                let Some(close) = open.last().copied() else { return Ok(()) };
                let ends = self.separator(close, if close == b'}' { "object" } else { "list" })? || {
                    self.blank()?;
                    let trailing = self.syntax.trailing_commas && self.peek() == Some(close);
                    self.at += usize::from(trailing);
                    trailing
                };
                if !ends {
                    self.no_needless_comma(close, true)?;
                    self.key_before(close)?;
                    break;
                }
                open.pop();
            }
        }
    }

    /// Parses the key before a value if the enclosing value is an object.
    fn key_before(&mut self, close: u8) -> Result<(), JsonError> {
        if close == b'}' {
            self.key()?;
        }
        Ok(())
    }

    fn word(&mut self) -> Result<NodeValue, JsonError> {
        let rest = self.text.get(self.at..).unwrap_or("");
        for (word, value) in
            [("true", NodeValue::Bool(true)), ("false", NodeValue::Bool(false)), ("null", NodeValue::Null)]
        {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        if rest.starts_with('\u{feff}') {
            let help = "save it as UTF-8 without a byte-order mark";
            return Err(self.error("a byte-order mark precedes the value", Some(help)));
        }
        let shown = rest.chars().next().map_or(String::new(), |c| c.escape_debug().to_string());
        Err(self.error(
            format!("unexpected `{shown}`"),
            Some("a value is an object, a list, a string, a number, true, false or null"),
        ))
    }

    fn array(&mut self) -> Result<NodeValue, JsonError> {
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some(b']') && (items.is_empty() || self.syntax.trailing_commas) {
                self.at += 1;
                return Ok(NodeValue::Array(items));
            }
            self.no_needless_comma(b']', !items.is_empty())?;
            items.push(self.value()?);
            if self.separator(b']', "list")? {
                return Ok(NodeValue::Array(items));
            }
        }
    }

    fn object(&mut self) -> Result<NodeValue, JsonError> {
        let mut members = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some(b'}') && (members.is_empty() || self.syntax.trailing_commas) {
                self.at += 1;
                return Ok(NodeValue::Object(members));
            }
            self.no_needless_comma(b'}', !members.is_empty())?;
            let (key, key_span) = self.key()?;
            let value = self.value()?;
            members.push(Member { key, key_span, value });
            if self.separator(b'}', "object")? {
                return Ok(NodeValue::Object(members));
            }
        }
    }

    /// Parses a key, and skips to the value after its colon.
    fn key(&mut self) -> Result<(String, Span), JsonError> {
        if self.peek() != Some(b'"') {
            let help = "a key is a string in double quotes";
            return Err(match self.peek() {
                None => self.error("the text ends inside an object", Some("a closing `}` is missing")),
                Some(_) => self.error("expected a key", Some(help)),
            });
        }
        let start = self.at;
        let key = self.string()?;
        let span = Span::new(self.source, start, self.at);
        self.blank()?;
        if self.peek() != Some(b':') {
            return Err(self.error(format!("`:` is missing after the key \"{key}\""), None));
        }
        self.at += 1;
        self.blank()?;
        Ok((key, span))
    }

    fn no_needless_comma(&self, close: u8, after_comma: bool) -> Result<(), JsonError> {
        let (at, message) = match self.peek() {
            Some(b',') if after_comma => (self.at, "a comma after another comma".to_owned()),
            Some(byte) if after_comma && byte == close => {
                (self.comma, format!("a comma before `{}`", char::from(close)))
            }
            _ => return Ok(()),
        };
        Err(JsonError { at, ..self.error(message, Some("remove the comma")) })
    }

    /// Parses the separator after an item. Returns true if the list or object ends, false if another item follows.
    fn separator(&mut self, close: u8, what: &str) -> Result<bool, JsonError> {
        self.blank()?;
        match self.peek() {
            Some(b',') => {
                self.comma = self.at;
                self.at += 1;
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            None => Err(self.error(
                format!("the text ends inside the {what}"),
                Some(&format!("a closing `{}` is missing", char::from(close))),
            )),
            Some(_) => Err(self.error(
                format!("expected `,` or `{}`", char::from(close)),
                Some("is a comma missing on the line before?"),
            )),
        }
    }

    fn number(&mut self) -> Result<f64, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.error("a digit is missing", None)),
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("a number cannot start with 0", Some("remove the leading zero")));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.need_digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.need_digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        text.parse().map_err(|_| self.error(format!("`{text}` is not a number"), None))
    }

    fn need_digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("a digit is missing", None));
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let run = self.bytes.get(self.at..).unwrap_or(&[]);
            let plain = run.iter().position(|b| matches!(b, b'"' | b'\\') || *b < 0x20).unwrap_or(run.len());
            out.push_str(self.text.get(self.at..self.at + plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => self.escape(&mut out)?,
                Some(b'\n' | b'\r') => {
                    return Err(
                        self.error("the line ends inside a string", Some("close the string with `\"`, or write \\n"))
                    );
                }
                Some(_) => return Err(self.error("a control character in a string", Some("write it as \\uXXXX"))),
                None => return Err(self.error("the text ends inside a string", Some("a closing `\"` is missing"))),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), JsonError> {
        let escaped = self.bytes.get(self.at + 1).copied();
        let plain = match escaped {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(out),
            _ => return Err(self.error("an unknown escape", Some("write `\\\\` for a backslash"))),
        };
        out.push(plain);
        self.at += 2;
        Ok(())
    }

    /// Parses `\uXXXX`, joining surrogate pairs. A lone surrogate becomes U+FFFD, as in JavaScript's UTF-8 output,
    /// unless halves are kept.
    fn unicode(&mut self, out: &mut String) -> Result<(), JsonError> {
        let unit = self.hex(self.at + 2)?;
        self.at += 6;
        if (0xD800..0xDC00).contains(&unit)
            && self.bytes.get(self.at) == Some(&b'\\')
            && self.bytes.get(self.at + 1) == Some(&b'u')
        {
            let low = self.hex(self.at + 2)?;
            if (0xDC00..0xE000).contains(&low) {
                self.at += 6;
                let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                return Ok(());
            }
        }
        let half = if self.halves { literal::surrogate_to_char(unit) } else { None };
        out.push(char::from_u32(unit).or(half).unwrap_or('\u{fffd}'));
        Ok(())
    }

    fn hex(&self, at: usize) -> Result<u32, JsonError> {
        self.text
            .get(at..at + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.error("`\\u` needs four hexadecimal digits", None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LOOSE: JsonSyntax = JsonSyntax { comments: true, trailing_commas: true, bom: true };

    #[test]
    fn reads_what_javascript_reads() {
        for (text, want) in [
            ("null", json!(null)),
            (" {\"a\":[1,-2.5,1e3,true,false,null,\"x\"]}\r\n", json!({"a": [1, -2.5, 1000, true, false, null, "x"]})),
            ("{\"a\":1,\"b\":2,\"a\":3}", json!({"a": 3, "b": 2})),
            (r#""\u0041\n\ud83d\ude00\ud800\ud800\ud83d\ude00\ude00""#, json!("A\n😀\u{10f800}\u{10f800}😀\u{10fe00}")),
            ("1e999", json!(null)),
        ] {
            assert_eq!(parse_value(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn what_files_say_is_utf_8() {
        let node = parse_json(SourceId(0), r#""a\ud800b""#, JsonSyntax::default()).unwrap();
        assert_eq!(node.to_value(), json!("a\u{fffd}b"));
    }

    #[test]
    fn digits_are_kept() {
        for (text, exact, double) in [
            ("9007199254740993", "9007199254740993", "9007199254740992"),
            ("[18446744073709551616]", "[18446744073709551616]", "[1.8446744073709552e19]"),
            ("1.50", "1.50", "1.5"),
            ("1E5", "1e+5", "100000"),
            ("-0", "-0", "0"),
            ("1e400", "1e+400", "null"),
        ] {
            assert_eq!(parse_exact_numbers(text).unwrap().to_string(), exact);
            let mut rounded = parse_exact_numbers(text).unwrap();
            super::super::as_doubles(&mut rounded);
            assert_eq!(rounded, parse_value(text).unwrap(), "{text}");
            assert_eq!(rounded, serde_json::from_str::<Value>(double).unwrap(), "{text}");
        }
    }

    #[test]
    fn strict_refuses_what_loose_accepts() {
        for text in ["[1,]", "{\"a\":1,}", "// x\n1", "/* x */ 1", "\u{feff}1"] {
            assert!(parse_value(text).is_err(), "{text}");
            assert!(parse_json(SourceId(0), text, LOOSE).is_ok(), "{text}");
        }
    }

    #[test]
    fn refuses_everywhere() {
        for text in [
            "",
            "{",
            "[",
            "{a:1}",
            "'x'",
            "01",
            "1.",
            ".5",
            "+1",
            "\"\t\"",
            "\"\\x\"",
            "{} {}",
            "nul",
            "[1 2]",
            "\"\\u12\"",
            "-",
            "/",
        ] {
            assert!(parse_json(SourceId(0), text, LOOSE).is_err(), "{text}");
        }
        assert!(parse_value(&"[".repeat(100_000)).is_err());
    }

    /// A value below the nesting limit is still checked, and becomes null.
    #[test]
    fn any_depth() {
        for (before, after) in [("[", "]"), ("{\"a\":[1,{},", "]}"), ("[{\"a\":", "}]"), (" [ [] , ", " ] ")] {
            for depth in [500, 513, 3_000, 100_000] {
                let deep = |inner: &str| format!("{}{inner}{}", before.repeat(depth), after.repeat(depth));
                let text = format!("{{\"x\":{},\"y\":5}}", deep("\"z\""));
                assert_eq!(parse_value(&text).unwrap()["y"], json!(5), "{before} {depth}");
                for wrong in ["", "1 2", "nul", "[1}", "{\"a\"}", "{\"a\":}", "{1:1}", "[1,]"] {
                    let inner = deep(wrong);
                    let empty_list = wrong.is_empty() && before == "[";
                    assert_eq!(parse_value(&inner).is_err(), !empty_list, "{before} {wrong} {depth}");
                }
            }
        }
    }

    #[test]
    fn spans_are_bytes_of_the_value() {
        let node = parse_json(SourceId(0), "{\"é\": [10, {\"k\": \"v\"}]}", JsonSyntax::default()).unwrap();
        let inner = node.get("é").and_then(|n| n.items()).and_then(|i| i.get(1)).and_then(|n| n.get("k")).unwrap();
        assert_eq!((inner.span.start, inner.span.end), (18, 21));
    }
}
