//! Values as programs in Python read and print them.

use std::time::Duration;

use serde_json::Value;

use hookbench_base::text::{Node, NodeValue, to_js_string};

/// A value that is meant as true or false, as pydantic reads it. `None` if it is neither.
pub fn read_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Value::String(word) => match word.to_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
            "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A value that is meant as a number, as pydantic reads it.
pub fn read_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

/// Whether Python takes a value for true.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(keys) => !keys.is_empty(),
    }
}

/// A value as `str` prints it. `None` for lists and objects.
pub fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(if *flag { "True" } else { "False" }.to_owned()),
        Value::Number(_) => Some(to_js_string(value)),
        Value::Null => Some("None".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A pattern of Python as JavaScript writes it: names of groups, and the ends of the text.
pub fn pattern_in_javascript(pattern: &str) -> String {
    let pairs = [("(?P<", "(?<"), ("\\A", "^"), ("\\Z", "$")];
    pairs.iter().fold(pattern.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// The seconds of a value as `int()` reads it. `None` if it cannot, or if they are less than one.
pub fn whole_seconds(value: &Node) -> Option<Duration> {
    let seconds = match &value.value {
        NodeValue::Bool(flag) => f64::from(u8::from(*flag)),
        NodeValue::Number(seconds) => *seconds,
        NodeValue::String(text) => f64::from(text.trim().parse::<i32>().ok()?),
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds.trunc()).ok().filter(|limit| *limit >= Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Measured on a program with pydantic.
    #[test]
    fn values_are_read_as_python_does() {
        for (value, flag, number, truth, text) in [
            (json!("Yes"), Some(true), None, true, Some("Yes")),
            (json!("0"), Some(false), Some(0.0), true, Some("0")),
            (json!(" 2 "), None, Some(2.0), true, Some(" 2 ")),
            (json!(1), Some(true), Some(1.0), true, Some("1")),
            (json!(5.5), None, Some(5.5), true, Some("5.5")),
            (json!(true), Some(true), Some(1.0), true, Some("True")),
            (json!(""), None, None, false, Some("")),
            (json!(null), None, None, false, Some("None")),
            (json!([]), None, None, false, None),
            (json!({"a": 1}), None, None, true, None),
        ] {
            let got = (read_flag(&value), read_number(&value), is_truthy(&value), to_text(&value));
            assert_eq!(got, (flag, number, truth, text.map(str::to_owned)), "{value}");
        }
        assert_eq!(pattern_in_javascript("\\A(?P<a>b)\\Z"), "^(?<a>b)$");
    }
}
