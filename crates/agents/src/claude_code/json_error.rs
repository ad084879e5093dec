//! The words with which the agent's parser refuses a text that is not JSON. Measured on 2.1.332 with 136 texts; our own
//! parser, which decides whether a text is JSON, names the place and the remedy instead.

use std::iter::Peekable;
use std::str::Chars;

const OUTSIDE: &str = "Unable to parse JSON string";

/// Returns the message of the agent's parser without its final period, or `None` for valid JSON.
pub fn message(text: &str) -> Option<String> {
    JsonTokens { chars: text.chars().peekable() }.document().err()
}

enum JsonToken {
    /// A string, a number, `true`, `false` or `null`.
    Value {
        is_text: bool,
    },
    Name(String),
    Mark(char),
    End,
}

/// The parts that may come next.
#[derive(Clone, Copy, PartialEq)]
enum ExpectedPart {
    Value,
    /// The first item of a list, or its end.
    ItemOrEnd,
    /// The first key of an object, or its end.
    KeyOrEnd,
    /// A key after a comma.
    Key,
    /// A comma, or the end of the enclosing list or object.
    AfterValue,
}

struct JsonTokens<'a> {
    chars: Peekable<Chars<'a>>,
}

impl JsonTokens<'_> {
    fn document(&mut self) -> Result<(), String> {
        // The closing marks of the objects and lists around the next token.
        let mut open: Vec<char> = Vec::new();
        let mut next = ExpectedPart::Value;
        loop {
            let token = self.token()?;
            next = match (next, token) {
                (ExpectedPart::AfterValue, JsonToken::End) if open.is_empty() => return Ok(()),
                (ExpectedPart::AfterValue, token) => match (open.last().copied(), token) {
                    (None, _) => return Err(OUTSIDE.to_owned()),
                    (Some('}'), JsonToken::Mark(',')) => ExpectedPart::Key,
                    (Some(_), JsonToken::Mark(',')) => ExpectedPart::Value,
                    (Some(close), JsonToken::Mark(mark)) if mark == close => {
                        open.pop();
                        ExpectedPart::AfterValue
                    }
                    (Some(close), _) => return Err(format!("Expected '{close}'")),
                },
                (ExpectedPart::KeyOrEnd, JsonToken::Mark('}')) | (ExpectedPart::ItemOrEnd, JsonToken::Mark(']')) => {
                    open.pop();
                    ExpectedPart::AfterValue
                }
                (ExpectedPart::KeyOrEnd | ExpectedPart::Key, JsonToken::Value { is_text: true }) => {
                    match self.token()? {
                        JsonToken::Mark(':') => ExpectedPart::Value,
                        _ => return Err("Expected ':' before value in object property definition".to_owned()),
                    }
                }
                (ExpectedPart::KeyOrEnd, _) => return Err("Expected '}'".to_owned()),
                (ExpectedPart::Key, _) => return Err("Property name must be a string literal".to_owned()),
                (ExpectedPart::Value | ExpectedPart::ItemOrEnd, JsonToken::Value { .. }) => ExpectedPart::AfterValue,
                (ExpectedPart::Value | ExpectedPart::ItemOrEnd, JsonToken::Mark('{')) => {
                    open.push('}');
                    ExpectedPart::KeyOrEnd
                }
                (ExpectedPart::Value | ExpectedPart::ItemOrEnd, JsonToken::Mark('[')) => {
                    open.push(']');
                    ExpectedPart::ItemOrEnd
                }
                (ExpectedPart::Value, JsonToken::Mark(']')) if open.last() == Some(&']') => {
                    return Err("Unexpected comma at the end of array expression".to_owned());
                }
                (ExpectedPart::Value | ExpectedPart::ItemOrEnd, JsonToken::Name(name)) => {
                    return Err(format!("Unexpected identifier \"{name}\""));
                }
                (ExpectedPart::Value | ExpectedPart::ItemOrEnd, JsonToken::Mark(mark)) => {
                    return Err(format!("Unexpected token '{mark}'"));
                }
                (ExpectedPart::Value | ExpectedPart::ItemOrEnd, JsonToken::End) => {
                    return Err("Unexpected EOF".to_owned());
                }
            };
        }
    }

    fn token(&mut self) -> Result<JsonToken, String> {
        while self.chars.next_if(|c| matches!(c, ' ' | '\t' | '\r' | '\n')).is_some() {}
        let Some(&first) = self.chars.peek() else { return Ok(JsonToken::End) };
        match first {
            '"' => self.string(),
            '-' | '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' | '$' => Ok(self.word()),
            '{' | '}' | '[' | ']' | ',' | ':' | '(' | ')' | ';' | '=' | '.' => {
                self.chars.next();
                Ok(JsonToken::Mark(first))
            }
            '\'' => Err("Single quotes (') are not allowed in JSON".to_owned()),
            other => Err(format!("Unrecognized token '{}'", first_unit(other))),
        }
    }

    /// Reads `true`, `false` or `null` without a look at what follows, or any other name to its end.
    fn word(&mut self) -> JsonToken {
        let is_part = |c: &char| matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$');
        let name: String = self.chars.clone().take_while(is_part).collect();
        let value = ["true", "false", "null"].into_iter().find(|word| name.starts_with(word));
        self.chars.nth(value.unwrap_or(&name).len() - 1);
        if value.is_some() { JsonToken::Value { is_text: false } } else { JsonToken::Name(name) }
    }

    fn string(&mut self) -> Result<JsonToken, String> {
        const OPEN: &str = "Unterminated string";
        self.chars.next();
        loop {
            match self.chars.next() {
                Some('"') => return Ok(JsonToken::Value { is_text: true }),
                Some('\\') => match self.chars.next() {
                    None => return Err(OPEN.to_owned()),
                    Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {}
                    Some('u') => self.hex_digits()?,
                    Some(other) => return Err(format!("Invalid escape character {}", first_unit(other))),
                },
                None | Some('\0'..='\u{1f}') => return Err(OPEN.to_owned()),
                Some(_) => {}
            }
        }
    }

    fn hex_digits(&mut self) -> Result<(), String> {
        let digits: String = self.chars.clone().take(4).collect();
        if digits.chars().count() < 4 {
            return Err("\\u must be followed by 4 hex digits".to_owned());
        }
        if !digits.chars().all(|c| c.is_ascii_hexdigit()) {
            return Err(format!("\"\\u{digits}\" is not a valid unicode escape"));
        }
        self.chars.nth(3);
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let mut count = 0;
        while self.chars.next_if(char::is_ascii_digit).is_some() {
            count += 1;
        }
        count
    }

    fn number(&mut self) -> Result<JsonToken, String> {
        self.chars.next_if_eq(&'-');
        // A number that begins with 0 ends there.
        if self.chars.next_if_eq(&'0').is_none() && self.digits() == 0 {
            return Err("Invalid number".to_owned());
        }
        if self.chars.next_if_eq(&'.').is_some() && self.digits() == 0 {
            return Err("Invalid digits after decimal point".to_owned());
        }
        let mut ahead = self.chars.clone();
        if ahead.next_if(|c| matches!(c, 'e' | 'E')).is_some() {
            ahead.next_if(|c| matches!(c, '+' | '-'));
            if ahead.peek().is_some_and(char::is_ascii_digit) {
                self.chars = ahead;
                self.digits();
            }
        }
        Ok(JsonToken::Value { is_text: false })
    }
}

/// The first UTF-16 unit of a character. Half of a pair is shown as the replacement character.
fn first_unit(c: char) -> char {
    if c.len_utf16() == 1 { c } else { '\u{fffd}' }
}

#[cfg(test)]
mod tests {
    use super::message;
    use hookbench_base::text::parse_value;
    use proptest::prelude::*;

    /// Each row was observed on 2.1.332.
    #[test]
    fn words_of_the_parser() {
        for (text, want) in [
            ("{}}", Some("Unable to parse JSON string")),
            ("{\"a\"}", Some("Expected ':' before value in object property definition")),
            ("{\"a\":}", Some("Unexpected token '}'")),
            ("{\"a\":1 \"b\":2}", Some("Expected '}'")),
            ("{\"a\":1,,\"b\":2}", Some("Property name must be a string literal")),
            ("{,}", Some("Expected '}'")),
            ("{\"a\":[1,]}", Some("Unexpected comma at the end of array expression")),
            ("{\"a\":[1}", Some("Expected ']'")),
            ("{\"a\":\"x}", Some("Unterminated string")),
            ("{\"a\":\"\\x\"}", Some("Invalid escape character x")),
            ("{\"a\":\"\\u12\"}", Some("\"\\u12\"}\" is not a valid unicode escape")),
            ("{\"a\":.5}", Some("Unexpected token '.'")),
            ("{\"a\":5.}", Some("Invalid digits after decimal point")),
            ("{\"a\":-}", Some("Invalid number")),
            ("{\"a\":+1}", Some("Unrecognized token '+'")),
            ("{\"a\":1e}", Some("Expected '}'")),
            ("{\"a\":True}", Some("Unexpected identifier \"True\"")),
            ("{\"a\":None}", Some("Unexpected identifier \"None\"")),
            ("{\"a\":undefined}", Some("Unexpected identifier \"undefined\"")),
            ("{\"a\":NaN}", Some("Unexpected identifier \"NaN\"")),
            ("{\"a\":nul}", Some("Unexpected identifier \"nul\"")),
            ("{\"a\":#}", Some("Unrecognized token '#'")),
            ("{\"a\":'x'}", Some("Single quotes (') are not allowed in JSON")),
            ("{1:2}", Some("Expected '}'")),
            ("{a:1}", Some("Expected '}'")),
            ("{\"a\":1}x}", Some("Unable to parse JSON string")),
            ("{\"a\":1}}", Some("Unable to parse JSON string")),
            ("{\"a\":\"tab\there\"}", Some("Unterminated string")),
            ("{\"a\":/*c*/1}", Some("Unrecognized token '/'")),
            ("{//c\n\"a\":1}", Some("Unrecognized token '/'")),
            ("{\"a\":1;}", Some("Expected '}'")),
            ("{\"a\"=1}", Some("Expected ':' before value in object property definition")),
            ("{\"a\":0x1}", Some("Expected '}'")),
            ("{\"a\":{\"b\":1}", Some("Expected '}'")),
            ("{\"a\":{\"b\" 1}}", Some("Expected ':' before value in object property definition")),
            ("{`a`:1}", Some("Unrecognized token '`'")),
            ("{\"a\":`x`}", Some("Unrecognized token '`'")),
            ("{\"a\":tru }", Some("Unexpected identifier \"tru\"")),
            ("{\"a\":\"\\\n\"}", Some("Invalid escape character \n")),
            ("{\"a\":1,\"b\"}", Some("Expected ':' before value in object property definition")),
            ("{\"a\":1,\"b\":}", Some("Unexpected token '}'")),
            ("{\"a\":1,b:2}", Some("Property name must be a string literal")),
            ("{\"a\":1,}", Some("Property name must be a string literal")),
            ("{ }x{}", Some("Unable to parse JSON string")),
            ("{\"a\":]}", Some("Unexpected token ']'")),
            ("{[}", Some("Expected '}'")),
            ("{\"a\":@}", Some("Unrecognized token '@'")),
            ("{\"a\":\"x\" y}", Some("Expected '}'")),
            ("{$a:1}", Some("Expected '}'")),
            ("{\"a\":$b}", Some("Unexpected identifier \"$b\"")),
            ("{\"a\":_b}", Some("Unexpected identifier \"_b\"")),
            ("{\"a\":é}", Some("Unrecognized token 'é'")),
            ("{é:1}", Some("Unrecognized token 'é'")),
            ("{\"a\":1\\}", Some("Unrecognized token '\\'")),
            ("{\"a\":<x>}", Some("Unrecognized token '<'")),
            ("{\"a\":(1)}", Some("Unexpected token '('")),
            ("{\u{a0}}", Some("Unrecognized token '\u{a0}'")),
            ("{\"a\":\u{a0}1}", Some("Unrecognized token '\u{a0}'")),
            ("{\"a\":\"\\u{1F600}\"}", Some("\"\\u{1F6\" is not a valid unicode escape")),
            ("{\"a\":-Infinity}", Some("Invalid number")),
            ("{\"a\":\"\u{1}\"}", Some("Unterminated string")),
            ("{\"a\":12a}", Some("Expected '}'")),
            ("{\"a\":1..2}", Some("Invalid digits after decimal point")),
            ("{\"a\":1.2.3}", Some("Expected '}'")),
            ("{\"a\":\"b\"c\"d\"}", Some("Expected '}'")),
            ("{\"reason\":\"a \"quoted\" word\"}", Some("Expected '}'")),
            ("{\"a\":\"C:\\dir\"}", Some("Invalid escape character d")),
            ("{\"a\":\"x\\\"}", Some("Unterminated string")),
            ("{'a':\"x\"}", Some("Single quotes (') are not allowed in JSON")),
            ("{\u{201c}a\u{201d}:1}", Some("Unrecognized token '\u{201c}'")),
            ("{\"a\":\"\\u1}", Some("\\u must be followed by 4 hex digits")),
            ("{\"a\":\"\\u1\"}", Some("\\u must be followed by 4 hex digits")),
            ("{\"a\":1e+}", Some("Expected '}'")),
            ("{\"a\":1e5x}", Some("Expected '}'")),
            ("{\"a\":1E-}", Some("Expected '}'")),
            ("{\"a\":1,'b':2}", Some("Single quotes (') are not allowed in JSON")),
            ("{\"a\":1,`b`:2}", Some("Unrecognized token '`'")),
            ("{\"a\":[,1]}", Some("Unexpected token ','")),
            ("{\"a\":[1 2]}", Some("Expected ']'")),
            ("{\"a\":[1,,2]}", Some("Unexpected token ','")),
            ("{\"a\":[x]}", Some("Unexpected identifier \"x\"")),
            ("{\"a\":[1,x]}", Some("Unexpected identifier \"x\"")),
            ("{\"a\":[1,'x']}", Some("Single quotes (') are not allowed in JSON")),
            ("{} '}", Some("Single quotes (') are not allowed in JSON")),
            ("{} #}", Some("Unrecognized token '#'")),
            ("{} \"x\"}", Some("Unable to parse JSON string")),
            ("{\"a\":1} .}", Some("Unable to parse JSON string")),
            ("{\"a\":-x}", Some("Invalid number")),
            ("{\"a\":-.5}", Some("Invalid number")),
            ("{\"a\":1.e5}", Some("Invalid digits after decimal point")),
            ("{\"a\":--1}", Some("Invalid number")),
            ("{\"a\":\"\\\"}", Some("Unterminated string")),
            ("{\"a\":1\"b\":2}", Some("Expected '}'")),
            ("{\"a\":{}\"b\":2}", Some("Expected '}'")),
            ("{\"a\":[]\"b\":2}", Some("Expected '}'")),
            ("{\"a\": \"x\"\n\"b\": \"y\"}", Some("Expected '}'")),
            ("{\"a\":1,\n#c\n\"b\":2}", Some("Unrecognized token '#'")),
            ("{\"\\x\":1}", Some("Invalid escape character x")),
            ("{\"a\tb\":1}", Some("Unterminated string")),
            ("{\"a\":\"é\\q\"}", Some("Invalid escape character q")),
            ("{\"a\":\"\u{1f600}\" \u{1f600}}", Some("Unrecognized token '\u{fffd}'")),
            ("{\"a\":\u{1f600}}", Some("Unrecognized token '\u{fffd}'")),
            ("{\u{1f600}}", Some("Unrecognized token '\u{fffd}'")),
            ("{\"a\":true1}", Some("Expected '}'")),
            ("{\"a\":true.x}", Some("Expected '}'")),
            ("{\"a\":[true false]}", Some("Expected ']'")),
            ("{\"a\":{\"b\":[1,{\"c\":}]}}", Some("Unexpected token '}'")),
            ("{\"a\":1/}", Some("Unrecognized token '/'")),
            ("{\"a\":%}", Some("Unrecognized token '%'")),
            ("{\"a\":!}", Some("Unrecognized token '!'")),
            ("{\"a\":~1}", Some("Unrecognized token '~'")),
            ("{\"a\":^}", Some("Unrecognized token '^'")),
            ("{\"a\":&}", Some("Unrecognized token '&'")),
            ("{\"a\":*}", Some("Unrecognized token '*'")),
            ("{\"a\":|}", Some("Unrecognized token '|'")),
            ("{\"a\":>}", Some("Unrecognized token '>'")),
            ("{\"a\":?}", Some("Unrecognized token '?'")),
            ("{\"a\"::1}", Some("Unexpected token ':'")),
            ("{\"a\":=1}", Some("Unexpected token '='")),
            ("{\"a\":)}", Some("Unexpected token ')'")),
            ("{\"a\":{,}}", Some("Expected '}'")),
            ("{\"a\":[;]}", Some("Unexpected token ';'")),
            ("{\"a\":[1;2]}", Some("Expected ']'")),
            ("{\u{0}}", Some("Unrecognized token '\u{0}'")),
            ("{\"a\":\u{b}1}", Some("Unrecognized token '\u{b}'")),
            ("{\"a\":\u{c}1}", Some("Unrecognized token '\u{c}'")),
            ("{\u{2028}}", Some("Unrecognized token '\u{2028}'")),
            ("{\"a\":\u{feff}1}", Some("Unrecognized token '\u{feff}'")),
            ("{\"a\":1\u{feff}}", Some("Unrecognized token '\u{feff}'")),
            ("{\"a\":0123}", Some("Expected '}'")),
            ("{\"a\":00}", Some("Expected '}'")),
            ("{\"a\":1_000}", Some("Expected '}'")),
            ("{\"a\":1n}", Some("Expected '}'")),
            ("{\"a\":{\"b\":\"c\"},}", Some("Property name must be a string literal")),
            ("{\"a\":\"x\",// c\n\"b\":1}", Some("Unrecognized token '/'")),
            ("{\"a\":\"x\" // c\n}", Some("Unrecognized token '/'")),
            ("{\"a\":1e5,\"b\":[]}", None),
        ] {
            assert_eq!(message(text).as_deref(), want, "{text:?}");
        }
    }

    proptest! {
        /// The two parsers agree about what JSON is.
        #[test]
        fn same_texts_as_our_parser(text in "[{}\\[\\],:\"'ax01.eE+ \\\\utrnl-]{0,12}") {
            prop_assert_eq!(message(&text).is_none(), parse_value(&text).is_ok());
        }
    }
}
