//! JavaScript's operations on values: `JSON.stringify`, `String(x)`, truthiness, lengths in UTF-16 units.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use super::literal::{char_to_surrogate, surrogate_to_char};

/// A text as a string literal that is valid in JSON, TOML and YAML.
pub fn quote_literal(text: &str) -> String {
    stringify(&Value::from(text))
}

/// `JSON.stringify(value)`.
pub fn stringify(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, None, 0);
    out
}

/// `JSON.stringify(value, null, 2)`.
pub fn stringify_pretty(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, Some(2), 0);
    out
}

/// A number in JavaScript's format (`1`, `0.1`, `1e+21`). An integer is kept as written, because some agents keep
/// all digits; for agents in JavaScript, numbers beyond 2⁵³ are already doubles.
pub fn number_text(number: &Number) -> String {
    let written = number.to_string();
    if written != "-0" && written.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return written;
    }
    // JavaScript cannot represent a number that no double holds, so it stays as written.
    number.as_f64().map_or(written, double_text)
}

pub(super) fn double_text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs();
    if (1e-6..1e21).contains(&magnitude) {
        return format!("{value}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if !exponent.starts_with('-') => format!("{mantissa}e+{exponent}"),
        _ => text,
    }
}

fn write(out: &mut String, value: &Value, indent: Option<usize>, level: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => quote(out, text),
        Value::Array(items) => {
            write_all(out, '[', ']', indent, level, items.iter(), |out, item, level| {
                write(out, item, indent, level);
            });
        }
        Value::Object(map) => {
            write_all(out, '{', '}', indent, level, members_in_js_order(map).into_iter(), |out, (key, item), level| {
                quote(out, key);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(out, item, indent, level);
            });
        }
    }
}

/// The members in JavaScript's order: array indexes first, in numeric order, then the other keys in insertion
/// order.
fn members_in_js_order(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by_key(|(key, _)| index(key).map_or((true, 0), |index| (false, index)));
    members
}

/// The array index that a key denotes: 0 to 2³²−2, without leading zeros.
fn index(key: &str) -> Option<u32> {
    let index = key.parse().ok().filter(|index| *index != u32::MAX)?;
    (key.bytes().all(|b| b.is_ascii_digit()) && (key == "0" || !key.starts_with('0'))).then_some(index)
}

fn write_all<T>(
    out: &mut String,
    open: char,
    close: char,
    indent: Option<usize>,
    level: usize,
    items: impl ExactSizeIterator<Item = T>,
    mut each: impl FnMut(&mut String, T, usize),
) {
    out.push(open);
    let empty = items.len() == 0;
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(out, indent, level + 1);
        each(out, item, level + 1);
    }
    if !empty {
        new_line(out, indent, level);
    }
    out.push(close);
}

fn new_line(out: &mut String, indent: Option<usize>, level: usize) {
    if let Some(width) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', width * level));
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    // Most texts begin with many characters that are copied unchanged.
    let plain = text.bytes().position(|byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\'));
    let (plain, rest) = text.split_at(plain.unwrap_or(text.len()));
    out.push_str(plain);
    let mut rest = rest.chars().peekable();
    while let Some(c) = rest.next() {
        if let Some(unit) = char_to_surrogate(c) {
            // Two adjacent halves form one character.
            let low =
                rest.peek().and_then(|next| char_to_surrogate(*next)).filter(|low| unit < 0xDC00 && *low >= 0xDC00);
            match low.and_then(|low| char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))) {
                Some(pair) => {
                    out.push(pair);
                    rest.next();
                }
                // Writing to a String cannot fail.
                None => _ = write!(out, "\\u{unit:04x}"),
            }
            continue;
        }
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether JavaScript treats the value as true in a condition.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64().is_some_and(|n| n != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// `String(value)`: lists are joined with commas, objects become `[object Object]`.
pub fn to_js_string(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number_text(number),
        Value::String(text) => text.clone(),
        Value::Array(items) => items
            .iter()
            .map(|item| if item.is_null() { String::new() } else { to_js_string(item) })
            .collect::<Vec<_>>()
            .join(","),
        Value::Object(_) => "[object Object]".to_owned(),
    }
}

/// Length in UTF-16 code units, JavaScript's `text.length`.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(units).sum()
}

fn units(c: char) -> usize {
    if char_to_surrogate(c).is_some() { 1 } else { c.len_utf16() }
}

/// The first `most` UTF-16 code units. If that splits a surrogate pair, its first half is kept.
pub fn utf16_prefix(text: &str, most: usize) -> Cow<'_, str> {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        seen += units(c);
        if seen > most {
            let whole = text.get(..at).unwrap_or("");
            let first = c.encode_utf16(&mut [0; 2]).first().copied().map_or(0, u32::from);
            let half = if seen == most + 1 && units(c) == 2 { surrogate_to_char(first) } else { None };
            return half.map_or(Cow::Borrowed(whole), |half| Cow::Owned(format!("{whole}{half}")));
        }
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn writes_as_javascript_writes() {
        for (value, want) in [
            (
                json!({"a": [1, 1.0, 0.1, 1e21, 1e-7, 123_456_789_012_345_680_000.0, -0.0]}),
                r#"{"a":[1,1,0.1,1e+21,1e-7,123456789012345680000,0]}"#,
            ),
            (json!("\u{1}\u{7f}\u{2028}\"\\\n"), "\"\\u0001\u{7f}\u{2028}\\\"\\\\\\n\""),
            (json!([]), "[]"),
            (
                json!({"b": 1, "10": 2, "2": {"a": 3, "0": 4}, "01": 5, "4294967295": 6, "-1": 7, "4294967294": 8, "+1": 9}),
                r#"{"2":{"0":4,"a":3},"10":2,"4294967294":8,"b":1,"01":5,"4294967295":6,"-1":7,"+1":9}"#,
            ),
            (json!({}), "{}"),
            (json!("a\u{10f800}b\u{10fe00}\u{10f83d}\u{10fe00}"), r#""a\ud800b\ude00😀""#),
            (
                json!([9_007_199_254_740_993_u64, 12_345_678_901_234_567_890.0]),
                "[9007199254740993,12345678901234567000]",
            ),
        ] {
            assert_eq!(stringify(&value), want);
        }
        assert_eq!(stringify_pretty(&json!({"a": [1], "b": {}})), "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}");
    }

    #[test]
    fn strings_of_values() {
        assert_eq!(to_js_string(&json!(["x", null, 2, [3, 4], {}])), "x,,2,3,4,[object Object]");
        assert_eq!(utf16_len("a😀é"), 4);
        assert_eq!(utf16_prefix("a😀é", 2), "a\u{10f83d}");
        assert_eq!(utf16_prefix("a😀é", 1), "a");
        assert_eq!(utf16_prefix("a😀é", 3), "a😀");
    }
}
