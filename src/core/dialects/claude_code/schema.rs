//! Keys of a settings file other than hooks whose wrong type costs the whole file (spec §2.2).

use super::handler::Problem;
use crate::core::text::{Node, NodeValue};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Flag,
    Number,
    List,
    Object,
}

/// Documented keys and their types. `model` and `permissions` were measured on 2.1.329, the rest follows the rule.
const KEYS: &[(&str, Kind)] = &[
    ("model", Kind::Text),
    ("permissions", Kind::Object),
    ("env", Kind::Object),
    ("disableAllHooks", Kind::Flag),
    ("allowManagedHooksOnly", Kind::Flag),
    ("allowedHttpHookUrls", Kind::List),
    ("httpHookAllowedEnvVars", Kind::List),
    ("apiKeyHelper", Kind::Text),
    ("cleanupPeriodDays", Kind::Number),
    ("includeCoAuthoredBy", Kind::Flag),
    ("outputStyle", Kind::Text),
    ("language", Kind::Text),
    ("statusLine", Kind::Object),
    ("enabledPlugins", Kind::Object),
    ("enableAllProjectMcpServers", Kind::Flag),
    ("enabledMcpjsonServers", Kind::List),
    ("disabledMcpjsonServers", Kind::List),
];
const PERMISSION_KEYS: &[(&str, Kind)] = &[
    ("allow", Kind::List),
    ("deny", Kind::List),
    ("ask", Kind::List),
    ("additionalDirectories", Kind::List),
    ("defaultMode", Kind::Text),
];

/// The first thing in a settings file that makes the agent skip it, hooks apart.
pub fn wrong(node: &Node) -> Option<Problem> {
    if node.members().is_none() {
        let says = format!("a settings file must hold an object, not {}", node.kind());
        return Some(Problem::new("HW101", node.span, says, "write { … }"));
    }
    let permissions = node.get("permissions");
    check(node, KEYS, "").or_else(|| permissions.and_then(|p| check(p, PERMISSION_KEYS, "permissions.")))
}

fn check(node: &Node, keys: &[(&str, Kind)], prefix: &str) -> Option<Problem> {
    keys.iter().find_map(|(key, kind)| {
        let value = node.get(key)?;
        let (good, wanted) = match (kind, &value.value) {
            (Kind::Text, v) => (matches!(v, NodeValue::String(_)), "a string"),
            (Kind::Flag, v) => (matches!(v, NodeValue::Bool(_)), "true or false"),
            (Kind::Number, v) => (matches!(v, NodeValue::Number(_)), "a number"),
            (Kind::List, v) => (matches!(v, NodeValue::Array(_)), "a list"),
            (Kind::Object, v) => (matches!(v, NodeValue::Object(_)), "an object"),
        };
        let says = format!("`{prefix}{key}` must be {wanted}, not {}", value.kind());
        let help = format!("correct `{prefix}{key}`, or leave it out");
        (!good).then(|| Problem::new("HW101", value.span, says, help))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::text::{SourceId, Syntax, parse_json};

    #[test]
    fn types() {
        for (text, want) in [
            ("{}", None),
            ("{\"model\":\"x\",\"permissions\":{\"allow\":[]},\"zzz\":5}", None),
            ("{\"model\":5}", Some("`model` must be a string, not a number")),
            ("{\"permissions\":\"x\"}", Some("`permissions` must be an object, not a string")),
            ("{\"permissions\":{\"deny\":\"x\"}}", Some("`permissions.deny` must be a list, not a string")),
            ("[]", Some("a settings file must hold an object, not a list")),
        ] {
            let node = parse_json(SourceId(0), text, Syntax::default()).unwrap();
            assert_eq!(wrong(&node).map(|p| p.says).as_deref(), want, "{text}");
        }
    }
}
