//! Keys of a settings file, other than hooks, whose wrong type invalidates the whole file (spec §2.2).

use super::settings_keys::{KEYS, SettingsKey, ValueType};
use crate::kernel::settings::SchemaError;
use hookbench_base::diagnostic::Code;
use hookbench_base::text::{Node, NodeValue};

/// The largest integer that the agent accepts.
const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Returns the first schema error outside the hooks that makes the agent skip a settings file.
pub fn schema_error(node: &Node) -> Option<SchemaError> {
    if node.members().is_none() {
        let says = format!("a settings file must contain an object, not {}", node.kind());
        return Some(SchemaError::new(Code::HW101, node.span, says, "write { … }"));
    }
    check_keys(node, KEYS, "")
}

fn check_keys(node: &Node, known: &[SettingsKey], prefix: &str) -> Option<SchemaError> {
    known.iter().find_map(|field| {
        let path = if prefix.is_empty() { field.key.to_owned() } else { format!("{prefix}.{}", field.key) };
        match node.get(field.key) {
            Some(value) => check_value(value, &field.kind, &path),
            None if field.required => {
                let says = format!("`{}` is missing in `{prefix}`", field.key);
                let help = format!("add `{}`, or delete `{prefix}`", field.key);
                Some(SchemaError::new(Code::HW101, node.span, says, help))
            }
            None => None,
        }
    })
}

/// Returns the first part of a value that does not have the expected type.
fn check_value(node: &Node, kind: &ValueType, path: &str) -> Option<SchemaError> {
    if has_type(node, kind) {
        return check_parts(node, kind, path);
    }
    let got = match (&node.value, kind) {
        (NodeValue::String(text), ValueType::OneOf(_) | ValueType::NonEmptyText | ValueType::NonBlankOrTexts) => {
            format!("\"{text}\"")
        }
        (NodeValue::Number(_), ValueType::Number { .. } | ValueType::PositiveInteger) => {
            node.as_f64().map_or_else(|| node.kind().to_owned(), |number| number.to_string())
        }
        _ => node.kind().to_owned(),
    };
    let says = format!("`{path}` must be {}, not {got}", expected_type(kind));
    Some(SchemaError::new(Code::HW101, node.span, says, format!("correct `{path}`, or delete it")))
}

/// Checks the parts of a value that has the expected type as a whole.
fn check_parts(node: &Node, kind: &ValueType, path: &str) -> Option<SchemaError> {
    let items = |kind: &ValueType| {
        let items = node.items().unwrap_or(&[]).iter().enumerate();
        items.into_iter().find_map(|(index, item)| check_value(item, kind, &format!("{path}[{index}]")))
    };
    match kind {
        ValueType::List(of) => items(of),
        ValueType::NonBlankOrTexts | ValueType::TextOrTexts => items(&ValueType::Text),
        ValueType::Map(of) => {
            node.effective_members().into_iter().find_map(|m| check_value(&m.value, of, &format!("{path}.{}", m.key)))
        }
        ValueType::Object(known) | ValueType::FlagOrObject(known) => check_keys(node, known, path),
        ValueType::Nullable(of) if node.value != NodeValue::Null => check_parts(node, of, path),
        ValueType::Source(kinds) => {
            let named = node.get("source").and_then(Node::as_str);
            let known = kinds.iter().find(|(name, _)| Some(*name) == named);
            known.and_then(|(_, known)| check_keys(node, known, path))
        }
        _ => None,
    }
}

fn has_type(node: &Node, kind: &ValueType) -> bool {
    let text = node.as_str();
    let number = node.as_f64();
    let list = node.items().is_some();
    let object = node.members().is_some();
    match kind {
        ValueType::Any => true,
        ValueType::Text => text.is_some(),
        ValueType::NonEmptyText => text.is_some_and(|text| !text.is_empty()),
        ValueType::Flag => node.as_bool().is_some(),
        ValueType::Number { least, most } => number.is_some_and(|n| n >= *least && n <= *most),
        ValueType::Fraction => number.is_some_and(|n| n > 0.0 && n <= 1.0),
        ValueType::PositiveInteger => number.is_some_and(|n| (1.0..=MAX_INTEGER).contains(&n) && n.fract() == 0.0),
        ValueType::OneOf(values) => text.is_some_and(|text| values.contains(&text)),
        ValueType::List(_) => list,
        ValueType::NonBlankOrTexts => list || text.is_some_and(|text| !text.trim().is_empty()),
        ValueType::TextOrTexts => list || text.is_some(),
        ValueType::FlagOrTexts => {
            node.as_bool().is_some() || node.items().is_some_and(|items| items.iter().all(|i| i.as_str().is_some()))
        }
        ValueType::PluginOption => {
            let texts = node.items().is_some_and(|items| items.iter().all(|i| i.as_str().is_some()));
            text.is_some() || number.is_some() || node.as_bool().is_some() || texts
        }
        ValueType::FlagOrObject(_) => object || node.as_bool().is_some(),
        ValueType::Map(_) | ValueType::Object(_) => object,
        ValueType::Source(kinds) => {
            object
                && node.get("source").and_then(Node::as_str).is_some_and(|n| kinds.iter().any(|(name, _)| *name == n))
        }
        ValueType::Nullable(of) => node.value == NodeValue::Null || has_type(node, of),
    }
}

fn expected_type(kind: &ValueType) -> String {
    let one_of = |values: &[&str]| format!("\"{}\"", values.join("\", \""));
    match kind {
        ValueType::Any => "a value".to_owned(),
        ValueType::Text => "a string".to_owned(),
        ValueType::NonEmptyText => "a non-empty string".to_owned(),
        ValueType::Flag => "true or false".to_owned(),
        ValueType::Number { least, most } if least.is_finite() && most.is_finite() => {
            format!("a number from {least} to {most}")
        }
        ValueType::Number { .. } => "a number".to_owned(),
        ValueType::Fraction => "a number above 0, up to 1".to_owned(),
        ValueType::PositiveInteger => "a whole number of at least 1".to_owned(),
        ValueType::OneOf(values) => one_of(values),
        ValueType::List(_) => "a list".to_owned(),
        ValueType::NonBlankOrTexts | ValueType::TextOrTexts => "a list of strings".to_owned(),
        ValueType::FlagOrTexts => "true, false or a list of strings".to_owned(),
        ValueType::PluginOption => "a string, a number, true, false or a list of strings".to_owned(),
        ValueType::FlagOrObject(_) => "true, false or an object".to_owned(),
        ValueType::Map(_) | ValueType::Object(_) => "an object".to_owned(),
        ValueType::Source(kinds) => {
            let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
            format!("an object with `source` {}", one_of(&names))
        }
        ValueType::Nullable(of) => expected_type(of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::{JsonSyntax, SourceId, parse_json};
    use serde_json::{Value, json};

    fn says(text: &str) -> Option<String> {
        let node = parse_json(SourceId(0), text, JsonSyntax::default()).unwrap();
        schema_error(&node).map(|p| p.message)
    }

    /// Measured on 2.1.330: each line is a file and whether Claude Code skipped it, or a key with accepted and
    /// rejected values.
    #[test]
    fn what_the_program_skips() {
        let check = |settings: &Value, skipped: bool| {
            let text = settings.to_string();
            assert_eq!(says(&text).is_some(), skipped, "{text}: {:?}", says(&text));
        };
        for line in include_str!("../../../../tests/tables/claude/settings-keys.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let Some(key) = row["key"].as_str() else {
                check(&row["settings"], row["skipped"] == true);
                continue;
            };
            for (list, skipped) in [("skipped", true), ("kept", false)] {
                row[list].as_array().unwrap().iter().for_each(|value| check(&json!({ key: value }), skipped));
            }
        }
    }

    #[test]
    fn places() {
        for (text, want) in [
            ("{}", None),
            ("{\"model\":\"x\",\"permissions\":{\"allow\":[]},\"zzz\":5}", None),
            ("{\"model\":5}", Some("`model` must be a string, not a number")),
            ("{\"permissions\":\"x\"}", Some("`permissions` must be an object, not a string")),
            ("{\"permissions\":{\"deny\":\"x\"}}", Some("`permissions.deny` must be a list, not a string")),
            ("{\"cleanupPeriodDays\":1.5}", Some("`cleanupPeriodDays` must be a whole number of at least 1, not 1.5")),
            ("{\"tui\":\"x\"}", Some("`tui` must be \"default\", \"fullscreen\", not \"x\"")),
            ("{\"statusLine\":{\"type\":\"command\"}}", Some("`command` is missing in `statusLine`")),
            (
                "{\"httpHookAllowedEnvVars\":[\"a\",5]}",
                Some("`httpHookAllowedEnvVars[1]` must be a string, not a number"),
            ),
            (
                "{\"enabledPlugins\":{\"a@b\":\"x\"}}",
                Some("`enabledPlugins.a@b` must be true, false or a list of strings, not a string"),
            ),
            ("[]", Some("a settings file must contain an object, not a list")),
        ] {
            assert_eq!(says(text).as_deref(), want, "{text}");
        }
    }
}
