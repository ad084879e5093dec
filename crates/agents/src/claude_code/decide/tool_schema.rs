//! Validation of a rewritten tool input or result against the tool's schema (spec §10.1, §10.3).

use crate::shared::javascript::trim;
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq)]
enum ToolFieldType {
    Text,
    /// Text without control characters except tabs and line feeds.
    Command,
    /// A boolean, or one in quotes.
    Flag,
    /// A number, or one in quotes.
    Number,
    /// A whole number of at least this value, or one in quotes.
    Whole(f64),
    List,
}

/// The fields of a tool's input: name, type, and whether it is required.
type ToolFields = &'static [(&'static str, ToolFieldType, bool)];

const INPUTS: &[(&str, ToolFields)] = &[
    (
        "Bash",
        &[
            ("command", ToolFieldType::Command, true),
            ("description", ToolFieldType::Text, false),
            ("timeout", ToolFieldType::Number, false),
            ("run_in_background", ToolFieldType::Flag, false),
            ("dangerouslyDisableSandbox", ToolFieldType::Flag, false),
        ],
    ),
    ("Write", &[("file_path", ToolFieldType::Text, true), ("content", ToolFieldType::Text, true)]),
    (
        "Edit",
        &[
            ("file_path", ToolFieldType::Text, true),
            ("old_string", ToolFieldType::Text, true),
            ("new_string", ToolFieldType::Text, true),
            ("replace_all", ToolFieldType::Flag, false),
        ],
    ),
    (
        "Read",
        &[
            ("file_path", ToolFieldType::Text, true),
            ("offset", ToolFieldType::Whole(0.0), false),
            ("limit", ToolFieldType::Whole(1.0), false),
            ("pages", ToolFieldType::Text, false),
        ],
    ),
    (
        "NotebookEdit",
        &[
            ("notebook_path", ToolFieldType::Text, true),
            ("new_source", ToolFieldType::Text, true),
            ("cell_id", ToolFieldType::Text, false),
            ("cell_type", ToolFieldType::Text, false),
            ("edit_mode", ToolFieldType::Text, false),
        ],
    ),
    ("Glob", &[("pattern", ToolFieldType::Text, true), ("path", ToolFieldType::Text, false)]),
    ("Grep", &[("pattern", ToolFieldType::Text, true), ("path", ToolFieldType::Text, false)]),
    ("WebFetch", &[("url", ToolFieldType::Text, true), ("prompt", ToolFieldType::Text, true)]),
    (
        "WebSearch",
        &[
            ("query", ToolFieldType::Text, true),
            ("allowed_domains", ToolFieldType::List, false),
            ("blocked_domains", ToolFieldType::List, false),
        ],
    ),
    (
        "Agent",
        &[
            ("description", ToolFieldType::Text, true),
            ("prompt", ToolFieldType::Text, true),
            ("subagent_type", ToolFieldType::Text, false),
        ],
    ),
];

/// Returns the schema error of a rewritten input. Unknown keys are valid, and so is any object for a tool that is
/// not listed here.
pub fn input_error(tool: &str, input: &Value) -> Option<String> {
    let (_, fields) = INPUTS.iter().find(|(name, _)| *name == tool)?;
    fields.iter().find_map(|(key, kind, required)| match input.get(*key) {
        None => required.then(|| format!("`{key}` is missing")),
        Some(value) => {
            let good = match kind {
                ToolFieldType::Text => value.is_string(),
                ToolFieldType::Command => value.as_str().is_some_and(is_visible),
                ToolFieldType::Flag => value.is_boolean() || matches!(value.as_str(), Some("true" | "false")),
                ToolFieldType::Number => number(value).is_some(),
                ToolFieldType::Whole(least) => number(value).is_some_and(|n| n.fract() == 0.0 && n >= *least),
                ToolFieldType::List => value.is_array(),
            };
            (!good).then(|| match kind {
                ToolFieldType::Command if value.is_string() => format!("`{key}` contains a control character"),
                _ => format!("`{key}` has the wrong type"),
            })
        }
    })
}

/// Whether a command has no control characters that a permission prompt would hide.
fn is_visible(command: &str) -> bool {
    !command.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n'))
}

/// Returns a number, also one in quotes with digits before and after the point.
fn number(value: &Value) -> Option<f64> {
    let Some(text) = value.as_str() else { return value.as_f64() };
    let text = trim(text);
    let parts = text.strip_prefix(['+', '-']).unwrap_or(text).split('.');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (parts.clone().count() <= 2 && parts.clone().all(digits)).then(|| text.parse().ok()).flatten()
}

/// Whether a rewritten result has the complete shape of the original one. The agent silently ignores any other.
pub fn is_valid_output(tool: &str, output: &Value, real: &Value) -> bool {
    if tool.starts_with("mcp__") {
        return true;
    }
    if tool == "Bash" {
        let text = |key: &str| output.get(key).is_some_and(Value::is_string);
        let flag = |key: &str| output.get(key).is_some_and(Value::is_boolean);
        return text("stdout") && text("stderr") && flag("interrupted") && flag("isImage");
    }
    match (output, real) {
        (Value::Object(new), Value::Object(old)) => {
            old.iter().all(|(key, value)| new.get(key).is_some_and(|n| same_kind(n, value)))
        }
        (new, old) => same_kind(new, old),
    }
}

fn same_kind(a: &Value, b: &Value) -> bool {
    a.is_null() || b.is_null() || std::mem::discriminant(a) == std::mem::discriminant(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inputs() {
        for (tool, input, good) in [
            ("Bash", json!({"command": "x", "zz": 1}), true),
            ("Bash", json!({"description": "x"}), false),
            ("Bash", json!({"command": 5}), false),
            ("Bash", json!({}), false),
            ("Bash", json!({"command": "a\tb\n"}), true),
            ("Bash", json!({"command": "a\r\n"}), false),
            ("Bash", json!({"command": "a\u{7f}"}), false),
            ("Bash", json!({"command": "a\u{9f}"}), false),
            ("Bash", json!({"command": "a\u{202e}"}), true),
            ("Bash", json!({"command": "a", "timeout": " +60000.5"}), true),
            ("Bash", json!({"command": "a", "timeout": "-5"}), true),
            ("Bash", json!({"command": "a", "timeout": "6e4"}), false),
            ("Bash", json!({"command": "a", "timeout": ".5"}), false),
            ("Bash", json!({"command": "a", "timeout": "5."}), false),
            ("Bash", json!({"command": "a", "timeout": ""}), false),
            ("Bash", json!({"command": "a", "run_in_background": "true"}), true),
            ("Bash", json!({"command": "a", "run_in_background": "True"}), false),
            ("Bash", json!({"command": "a", "dangerouslyDisableSandbox": "x"}), false),
            ("Read", json!({"file_path": "x", "offset": 0, "limit": "1"}), true),
            ("Read", json!({"file_path": "x", "limit": 0}), false),
            ("Read", json!({"file_path": "x", "offset": 1.5}), false),
            ("Read", json!({"file_path": "x", "offset": -1}), false),
            ("Read", json!({"file_path": "x", "pages": 5}), false),
            ("Write", json!({"file_path": "x", "content": "y"}), true),
            ("mcp__a__b", json!({}), true),
        ] {
            assert_eq!(input_error(tool, &input).is_none(), good, "{tool} {input}");
        }
    }

    #[test]
    fn outputs() {
        let bash =
            json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": true});
        for (tool, new, real, good) in [
            ("Bash", json!({"stdout": "U", "stderr": "", "interrupted": false, "isImage": false}), bash.clone(), true),
            ("Bash", json!({"stdout": "U"}), bash.clone(), false),
            ("Bash", json!("U"), bash, false),
            ("mcp__a__b", json!("U"), json!([]), true),
            ("Read", json!({"type": "text", "file": {}}), json!({"type": "text", "file": {"x": 1}}), true),
            ("Read", json!({"type": "text"}), json!({"type": "text", "file": {"x": 1}}), false),
        ] {
            assert_eq!(is_valid_output(tool, &new, &real), good, "{tool} {new}");
        }
    }
}
