//! Keys of a settings file, other than hooks, whose wrong type invalidates the whole file (spec §2.2).

use super::handler::Problem;
use super::schema_keys::{Field, KEYS, Kind};
use hookbench_base::text::{Node, NodeValue};

/// The largest integer that the agent accepts.
const WHOLE: f64 = 9_007_199_254_740_991.0;

/// Returns the first schema error outside the hooks that makes the agent skip a settings file.
pub fn wrong(node: &Node) -> Option<Problem> {
    if node.members().is_none() {
        let says = format!("a settings file must hold an object, not {}", node.kind());
        return Some(Problem::new("HW101", node.span, says, "write { … }"));
    }
    fields(node, KEYS, "")
}

fn fields(node: &Node, known: &[Field], prefix: &str) -> Option<Problem> {
    known.iter().find_map(|field| {
        let path = if prefix.is_empty() { field.key.to_owned() } else { format!("{prefix}.{}", field.key) };
        match node.get(field.key) {
            Some(value) => check(value, &field.kind, &path),
            None if field.required => {
                let says = format!("`{prefix}` lacks `{}`", field.key);
                let help = format!("add `{}`, or delete `{prefix}`", field.key);
                Some(Problem::new("HW101", node.span, says, help))
            }
            None => None,
        }
    })
}

/// Returns the first part of a value that does not have the expected type.
fn check(node: &Node, kind: &Kind, path: &str) -> Option<Problem> {
    if fits(node, kind) {
        return inside(node, kind, path);
    }
    let got = match (&node.value, kind) {
        (NodeValue::String(text), Kind::OneOf(_) | Kind::Filled | Kind::FilledOrTexts) => format!("\"{text}\""),
        (NodeValue::Number(_), Kind::Number { .. } | Kind::Whole) => {
            node.as_f64().map_or_else(|| node.kind().to_owned(), |number| number.to_string())
        }
        _ => node.kind().to_owned(),
    };
    let says = format!("`{path}` must be {}, not {got}", wanted(kind));
    Some(Problem::new("HW101", node.span, says, format!("correct `{path}`, or delete it")))
}

/// Checks the parts of a value that has the expected type as a whole.
fn inside(node: &Node, kind: &Kind, path: &str) -> Option<Problem> {
    let items = |kind: &Kind| {
        let items = node.items().unwrap_or(&[]).iter().enumerate();
        items.into_iter().find_map(|(index, item)| check(item, kind, &format!("{path}[{index}]")))
    };
    match kind {
        Kind::List(of) => items(of),
        Kind::FilledOrTexts | Kind::TextOrTexts => items(&Kind::Text),
        Kind::Record(of) => {
            node.effective_members().into_iter().find_map(|m| check(&m.value, of, &format!("{path}.{}", m.key)))
        }
        Kind::Object(known) | Kind::FlagOrObject(known) => fields(node, known, path),
        Kind::Maybe(of) if node.value != NodeValue::Null => inside(node, of, path),
        Kind::Source(kinds) => {
            let named = node.get("source").and_then(Node::as_str);
            let known = kinds.iter().find(|(name, _)| Some(*name) == named);
            known.and_then(|(_, known)| fields(node, known, path))
        }
        _ => None,
    }
}

fn fits(node: &Node, kind: &Kind) -> bool {
    let text = node.as_str();
    let number = node.as_f64();
    let list = node.items().is_some();
    let object = node.members().is_some();
    match kind {
        Kind::Any => true,
        Kind::Text => text.is_some(),
        Kind::Filled => text.is_some_and(|text| !text.is_empty()),
        Kind::Flag => node.as_bool().is_some(),
        Kind::Number { least, most } => number.is_some_and(|n| n >= *least && n <= *most),
        Kind::Share => number.is_some_and(|n| n > 0.0 && n <= 1.0),
        Kind::Whole => number.is_some_and(|n| (1.0..=WHOLE).contains(&n) && n.fract() == 0.0),
        Kind::OneOf(values) => text.is_some_and(|text| values.contains(&text)),
        Kind::List(_) => list,
        Kind::FilledOrTexts => list || text.is_some_and(|text| !text.trim().is_empty()),
        Kind::TextOrTexts => list || text.is_some(),
        Kind::FlagOrTexts => {
            node.as_bool().is_some() || node.items().is_some_and(|items| items.iter().all(|i| i.as_str().is_some()))
        }
        Kind::Option => {
            let texts = node.items().is_some_and(|items| items.iter().all(|i| i.as_str().is_some()));
            text.is_some() || number.is_some() || node.as_bool().is_some() || texts
        }
        Kind::FlagOrObject(_) => object || node.as_bool().is_some(),
        Kind::Record(_) | Kind::Object(_) => object,
        Kind::Source(kinds) => {
            object
                && node.get("source").and_then(Node::as_str).is_some_and(|n| kinds.iter().any(|(name, _)| *name == n))
        }
        Kind::Maybe(of) => node.value == NodeValue::Null || fits(node, of),
    }
}

fn wanted(kind: &Kind) -> String {
    let one_of = |values: &[&str]| format!("\"{}\"", values.join("\", \""));
    match kind {
        Kind::Any => "a value".to_owned(),
        Kind::Text => "a string".to_owned(),
        Kind::Filled => "a string that is not empty".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Number { least, most } if least.is_finite() && most.is_finite() => {
            format!("a number from {least} to {most}")
        }
        Kind::Number { .. } => "a number".to_owned(),
        Kind::Share => "a number above 0, up to 1".to_owned(),
        Kind::Whole => "a whole number from 1".to_owned(),
        Kind::OneOf(values) => one_of(values),
        Kind::List(_) => "a list".to_owned(),
        Kind::FilledOrTexts | Kind::TextOrTexts => "a list of strings".to_owned(),
        Kind::FlagOrTexts => "true, false or a list of strings".to_owned(),
        Kind::Option => "a string, a number, true, false or a list of strings".to_owned(),
        Kind::FlagOrObject(_) => "true, false or an object".to_owned(),
        Kind::Record(_) | Kind::Object(_) => "an object".to_owned(),
        Kind::Source(kinds) => {
            let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
            format!("an object with `source` {}", one_of(&names))
        }
        Kind::Maybe(of) => wanted(of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::{JsonSyntax, SourceId, parse_json};
    use serde_json::{Value, json};

    fn says(text: &str) -> Option<String> {
        let node = parse_json(SourceId(0), text, JsonSyntax::default()).unwrap();
        wrong(&node).map(|p| p.says)
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
            ("{\"cleanupPeriodDays\":1.5}", Some("`cleanupPeriodDays` must be a whole number from 1, not 1.5")),
            ("{\"tui\":\"x\"}", Some("`tui` must be \"default\", \"fullscreen\", not \"x\"")),
            ("{\"statusLine\":{\"type\":\"command\"}}", Some("`statusLine` lacks `command`")),
            (
                "{\"httpHookAllowedEnvVars\":[\"a\",5]}",
                Some("`httpHookAllowedEnvVars[1]` must be a string, not a number"),
            ),
            (
                "{\"enabledPlugins\":{\"a@b\":\"x\"}}",
                Some("`enabledPlugins.a@b` must be true, false or a list of strings, not a string"),
            ),
            ("[]", Some("a settings file must hold an object, not a list")),
        ] {
            assert_eq!(says(text).as_deref(), want, "{text}");
        }
    }
}
