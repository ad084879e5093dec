//! Reads and prints JSON as the agent does. Its parser is that of Rust's serde_json: a lone half of a surrogate pair, a
//! number that no double holds and more than 127 levels are errors. Numbers are printed as Rust prints them.

use serde_json::{Map, Number, Value};

use hookbench_base::text::{char_to_surrogate, parse_exact_numbers};

/// Parses a text that must be one JSON value. `None` if the agent's parser rejects it.
pub fn parse(text: &str) -> Option<Value> {
    // This parser checks the text. The other one gives the value, because an object with a private key of serde_json
    // is a number to this one.
    serde_json::from_str::<Value>(text).ok()?;
    parse_any_depth(text)
}

/// Parses a text as [`parse`] does, but with any number of levels.
pub fn parse_any_depth(text: &str) -> Option<Value> {
    let value = with_agent_numbers(parse_exact_numbers(text).ok()?)?;
    (!has_half(&value)).then_some(value)
}

/// Whether a value has no more levels than the agent's parser accepts, and no half of a surrogate pair.
pub fn is_plain(value: &Value) -> bool {
    levels(value) < DEPTH && !has_half(value)
}

/// The number of levels that the agent's parser rejects.
const DEPTH: usize = 128;

fn levels(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(levels).max(),
        Value::Object(map) => map.values().map(levels).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

/// Whether a text in a value has a lone half of a surrogate pair.
fn has_half(value: &Value) -> bool {
    let in_text = |text: &str| text.chars().any(|c| char_to_surrogate(c).is_some());
    match value {
        Value::String(text) => in_text(text),
        Value::Array(items) => items.iter().any(has_half),
        Value::Object(map) => map.iter().any(|(key, value)| in_text(key) || has_half(value)),
        _ => false,
    }
}

/// Replaces each number by the agent's form of it. `None` if no double holds one.
fn with_agent_numbers(value: Value) -> Option<Value> {
    Some(match value {
        Value::Number(number) => Value::Number(agent_number(&number)?),
        Value::Array(items) => Value::Array(items.into_iter().map(with_agent_numbers).collect::<Option<_>>()?),
        Value::Object(map) => {
            let pairs = map.into_iter().map(|(key, value)| Some((key, with_agent_numbers(value)?)));
            Value::Object(pairs.collect::<Option<Map<_, _>>>()?)
        }
        other => other,
    })
}

/// An integer of 64 bits keeps its digits; every other number is a double.
fn agent_number(number: &Number) -> Option<Number> {
    let written = number.to_string();
    let is_integer = written.parse::<u64>().is_ok() || written != "-0" && written.parse::<i64>().is_ok();
    if is_integer {
        return Some(number.clone());
    }
    let double = written.parse::<f64>().ok().filter(|double| double.is_finite())?;
    double_text(double).parse().ok()
}

/// A double as Rust prints it: `1.0`, `1e+16`, `1e-6`.
fn double_text(double: f64) -> String {
    let scientific = format!("{double:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if (-5..16).contains(&exponent) => {
            let plain = double.to_string();
            if plain.contains('.') { plain } else { format!("{plain}.0") }
        }
        Ok(exponent) if exponent > 0 => format!("{mantissa}e+{exponent}"),
        _ => scientific,
    }
}

/// `String(value)`, with the agent's numbers.
pub fn print(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let item = |item: &Value| if item.is_null() { String::new() } else { print(item) };
            items.iter().map(item).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_printed_as_in_rust() {
        for (written, want) in [
            ("5", Some("5")),
            ("-5", Some("-5")),
            ("1.0", Some("1.0")),
            ("-0", Some("-0.0")),
            ("1.50", Some("1.5")),
            ("1e5", Some("100000.0")),
            ("1E3", Some("1000.0")),
            ("1e15", Some("1000000000000000.0")),
            ("9999999999999998.0", Some("9999999999999998.0")),
            ("1e16", Some("1e+16")),
            ("12345678901234567.8", Some("1.2345678901234568e+16")),
            ("1.7e-5", Some("0.000017")),
            ("0.000001", Some("1e-6")),
            ("123e-8", Some("1.23e-6")),
            ("1e-400", Some("0.0")),
            ("5e-324", Some("5e-324")),
            ("9007199254740993", Some("9007199254740993")),
            ("18446744073709551615", Some("18446744073709551615")),
            ("18446744073709551616", Some("1.8446744073709552e+19")),
            ("-9223372036854775808", Some("-9223372036854775808")),
            ("-9223372036854775809", Some("-9.223372036854776e+18")),
            ("1e400", None),
        ] {
            assert_eq!(parse(written).as_ref().map(print).as_deref(), want, "{written}");
        }
        let list = parse("[1.0, null, [-0, {}], \"x\"]").unwrap();
        assert_eq!(
            (print(&list).as_str(), list.to_string().as_str()),
            ("1.0,,-0.0,[object Object],x", r#"[1.0,null,[-0.0,{}],"x"]"#)
        );
    }

    #[test]
    fn texts_that_the_parser_rejects() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for (text, is_read) in [
            (deep(127).as_str(), true),
            (deep(128).as_str(), false),
            (r#""\ud83d\ude00""#, true),
            (r#""a\ud800b""#, false),
            (r#"{"\udc00": 1}"#, false),
            (r#"{"a": 1,}"#, false),
            ("\u{feff}{}", false),
        ] {
            assert_eq!(parse(text).is_some(), is_read, "{text}");
        }
        assert_eq!(
            parse(r#"{"$serde_json::private::Number": "1"}"#),
            Some(json!({"$serde_json::private::Number": "1"}))
        );
    }
}
