//! The arguments that the agent's tools accept. The agent checks the new arguments of a hook as it checks those of the
//! model (observed on 1.0.102).

use serde_json::{Map, Value};

use super::super::json;
use hookbench_base::text::{parse_value, replace_surrogates_in};

/// A type of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Type {
    Text,
    /// A text, also an empty one or `null`.
    TextOrNull,
    /// A text that is not empty.
    FilledText,
    /// A text or a number.
    TextOrNumber,
    Number,
    Flag,
    FlagOrNull,
    Numbers,
    OneOf(&'static [&'static str]),
}

impl Type {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Type::Text => value.is_string(),
            Type::TextOrNull => value.is_string() || value.is_null(),
            Type::FilledText => value.as_str().is_some_and(|text| !text.is_empty()),
            Type::TextOrNumber => value.is_string() || value.is_number(),
            Type::Number => value.is_number(),
            Type::Flag => value.is_boolean(),
            Type::FlagOrNull => value.is_boolean() || value.is_null(),
            Type::Numbers => value.as_array().is_some_and(|items| items.iter().all(Value::is_number)),
            Type::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }
}

/// An argument: its name, its type, and whether it must be there.
type Argument = (&'static str, Type, bool);

const OUTPUT_MODES: &[&str] = &["content", "files_with_matches", "count"];

/// The tools whose arguments are known. A tool accepts any argument that is not listed.
const TOOLS: [(&str, &[Argument]); 8] = [
    (
        "bash",
        &[
            ("command", Type::FilledText, true),
            ("description", Type::TextOrNull, false),
            ("mode", Type::OneOf(&["sync", "async"]), false),
            ("initial_wait", Type::Number, false),
            ("detach", Type::Flag, false),
            ("shellId", Type::TextOrNumber, false),
        ],
    ),
    (
        "view",
        &[("path", Type::Text, true), ("view_range", Type::Numbers, false), ("forceReadLargeFiles", Type::Flag, false)],
    ),
    ("create", &[("path", Type::Text, true), ("file_text", Type::Text, true)]),
    ("edit", &[("path", Type::Text, true), ("old_str", Type::Text, false), ("new_str", Type::Text, false)]),
    (
        "grep",
        &[
            ("pattern", Type::Text, true),
            ("output_mode", Type::OneOf(OUTPUT_MODES), false),
            ("glob", Type::TextOrNull, false),
            ("-i", Type::FlagOrNull, false),
            ("multiline", Type::FlagOrNull, false),
            ("-A", Type::Number, false),
            ("head_limit", Type::Number, false),
        ],
    ),
    ("glob", &[("pattern", Type::Text, true)]),
    ("task", &[("description", Type::Text, true), ("prompt", Type::Text, true), ("name", Type::Text, true)]),
    ("sql", &[("description", Type::Text, true), ("query", Type::Text, true)]),
];

/// Returns the arguments with which a tool runs, from those of a hook: an object, or a text that is one. `None` if the
/// call fails.
pub fn usable(tool: &str, new: &Value) -> Option<Map<String, Value>> {
    let object = match new {
        Value::Object(object) => object.clone(),
        Value::String(text) if text.is_empty() => Map::new(),
        Value::String(text) => object_in(text)?,
        _ => return None,
    };
    let arguments = TOOLS.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, arguments)| arguments);
    let fits = |(name, kind, is_required): &Argument| match object.get(*name) {
        Some(value) => kind.accepts(value),
        None => !is_required,
    };
    arguments.iter().all(fits).then_some(object)
}

/// The object that a text is. Half of a character becomes U+FFFD.
fn object_in(text: &str) -> Option<Map<String, Value>> {
    let mut value = json::parse(text).or_else(|| parse_value(text).ok())?;
    replace_surrogates_in(&mut value);
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_that_a_tool_accepts() {
        for (tool, new, is_usable) in [
            ("bash", json!({"command": "c"}), true),
            ("bash", json!({"command": "c", "description": null, "shellId": 5, "mode": "sync", "zzz": 1}), true),
            ("bash", json!({"command": " "}), true),
            ("bash", json!({"command": ""}), false),
            ("bash", json!({"command": 5}), false),
            ("bash", json!({}), false),
            ("bash", json!({"command": "c", "description": 5}), false),
            ("bash", json!({"command": "c", "mode": "x"}), false),
            ("bash", json!({"command": "c", "initial_wait": "5"}), false),
            ("bash", json!({"command": "c", "detach": null}), false),
            ("bash", json!({"command": "c", "shellId": true}), false),
            ("bash", json!(5), false),
            ("bash", json!([1]), false),
            ("bash", json!(null), false),
            ("bash", json!(""), false),
            ("bash", json!(" {\"command\": \"c\"}\n"), true),
            ("bash", json!("\u{feff}{\"command\": \"c\"}"), false),
            ("bash", json!("[1]"), false),
            ("view", json!({"path": "p", "view_range": [1, 2]}), true),
            ("view", json!({"path": "p", "view_range": [1, "x"]}), false),
            ("view", json!({"path": "p", "view_range": null}), false),
            ("create", json!({"path": "p"}), false),
            ("edit", json!({"path": "p"}), true),
            ("edit", json!({"path": "p", "new_str": null}), false),
            ("grep", json!({"pattern": "p", "paths": 5, "glob": null, "-i": null, "output_mode": "count"}), true),
            ("grep", json!({"pattern": "p", "output_mode": "x"}), false),
            ("grep", json!({"pattern": "p", "-A": "1"}), false),
            ("glob", json!({"pattern": 5}), false),
            ("sql", json!({"query": "q"}), false),
            ("another", json!({"a": 5}), true),
            ("another", json!(""), true),
        ] {
            assert_eq!(usable(tool, &new).is_some(), is_usable, "{tool} {new}");
        }
    }
}
