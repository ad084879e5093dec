//! YAML in block style: new text, and items added to or removed from lists of a user's file. Comments stay. Each edit is
//! checked: the changed text must have the wanted content.

use serde_json::{Value, json};

use super::json::{RemovedGap, remove_element};
use super::quote::{FileFormat, quote_like};
use super::{EditSet, TextEdit};
use crate::text::{JsonError, Member, Node, NodeValue, SourceId, parse_yaml, stringify};

/// The number of blanks of one level.
const UNIT: usize = 2;

/// A value in block style, with this many blanks before each line.
pub fn yaml_block(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let is_nested = |value: &Value| {
        value.as_object().is_some_and(|map| !map.is_empty()) || value.as_array().is_some_and(|list| !list.is_empty())
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            let line = |(key, value): (&String, &Value)| {
                let key = quote_like(key, "x", FileFormat::Yaml);
                let gap = if is_nested(value) { '\n' } else { ' ' };
                format!("{pad}{key}:{gap}{}", yaml_block(value, if gap == '\n' { indent + UNIT } else { 0 }))
            };
            map.iter().map(line).collect()
        }
        Value::Array(list) if !list.is_empty() => {
            let item = |value: &Value| format!("{pad}- {}", yaml_block(value, indent + UNIT).trim_start());
            list.iter().map(item).collect()
        }
        Value::String(text) => format!("{pad}{}\n", quote_like(text, "x", FileFormat::Yaml)),
        other => format!("{pad}{}\n", stringify(other)),
    }
}

/// Adds the keys of another text. Its keys at top level replace those of the first text.
///
/// # Errors
/// Returns an error if one of the texts is not valid YAML.
pub fn with_yaml(own: &str, added: &str) -> Result<String, JsonError> {
    let (root, keys) = (parse_yaml(SourceId(0), own, 0)?, parse_yaml(SourceId(0), added, 0)?);
    let is_apart = |key: &Member| root.get(&key.key).is_none();
    if keys.members().is_some_and(|keys| keys.iter().all(is_apart)) && !is_flow(own, &root) {
        return Ok(format!("{added}{own}"));
    }
    let mut merged = root.to_value().as_object().cloned().unwrap_or_default();
    merged.extend(keys.to_value().as_object().cloned().unwrap_or_default());
    Ok(yaml_block(&Value::Object(merged), 0))
}

/// The edit that adds items to the list under a path of keys, with the keys that are missing. `None` if the text has no place
/// for them.
pub fn append_to_yaml(text: &str, root: &Node, path: &[&str], items: &[Value]) -> Option<TextEdit> {
    let edit = addition(text, root, path, items)?;
    let changed = EditSet::from_iter([edit.clone()]).apply(text).ok()?;
    let mut wanted = root.to_value();
    let list = path.iter().try_fold(&mut wanted, |value, key| {
        if value.is_null() {
            *value = json!({});
        }
        Some(value.as_object_mut()?.entry(*key).or_insert(Value::Null))
    })?;
    if list.is_null() {
        *list = json!([]);
    }
    list.as_array_mut()?.extend(items.iter().cloned());
    let is = parse_yaml(SourceId(0), &changed, 0).ok()?.to_value();
    (as_numbers(is) == as_numbers(wanted)).then_some(edit)
}

/// A value whose numbers are doubles, as the reader has them.
fn as_numbers(mut value: Value) -> Value {
    crate::text::as_doubles(&mut value);
    value
}

fn addition(text: &str, root: &Node, path: &[&str], items: &[Value]) -> Option<TextEdit> {
    let (mut node, mut owner, mut depth) = (root, None, 0);
    for key in path {
        let Some(member) = node.member(key) else { break };
        (node, owner, depth) = (&member.value, Some(member), depth + 1);
    }
    let new = path.get(depth..)?.iter().rev().fold(json!(items), |value, key| json!({ *key: value }));
    if is_flow(text, node) {
        return flow_addition(text, node, &new);
    }
    let (indent, last) = match (children(text, node).as_slice(), owner) {
        ([first, ..], _) => (column(text, first.0), last_end(text, node)),
        ([], Some(owner)) if node.value == NodeValue::Null => {
            (column(text, owner.key_span.start) + UNIT, owner.key_span.end)
        }
        ([], None) => (0, text.len()),
        _ => return None,
    };
    let block = yaml_block(&new, indent);
    Some(match text.get(last..)?.find('\n') {
        Some(line) => TextEdit::insert(last + line + 1, block),
        None if text.is_empty() || text.ends_with('\n') => TextEdit::insert(text.len(), block),
        None => TextEdit::insert(text.len(), format!("\n{block}")),
    })
}

/// Adds items or members before the closing bracket.
fn flow_addition(text: &str, node: &Node, new: &Value) -> Option<TextEdit> {
    let parts: Vec<String> = match new {
        Value::Array(items) => items.iter().map(stringify).collect(),
        other => other.as_object()?.iter().map(|(key, value)| super::member_text(key, &stringify(value))).collect(),
    };
    let inner = text.get(node.span.start + 1..node.span.end.checked_sub(1)?)?;
    let end = node.span.start + 1 + inner.trim_end().len();
    let comma = if inner.trim().is_empty() || inner.trim_end().ends_with(',') { "" } else { ", " };
    Some(TextEdit::insert(end, format!("{comma}{}", parts.join(", "))))
}

/// The edits that remove an item of the list under a path of keys, with the keys that become empty and have no comment. `None`
/// if there is no such item.
pub fn remove_from_yaml(text: &str, root: &Node, path: &[&str], index: usize) -> Option<EditSet> {
    let mut containers = vec![root];
    for key in path {
        containers.push(containers.last()?.get(key)?);
    }
    let (mut container, mut at) = (containers.pop()?, index);
    let item_start = container.items()?.get(index)?.span.start;
    for (key, outer) in path.iter().rev().zip(containers.iter().rev()) {
        let place = outer.members()?.iter().position(|member| member.key == *key)?;
        let key_start = outer.members()?.get(place)?.key_span.start;
        let has_comment = text.get(key_start..item_start)?.contains('#');
        if children(text, container).len() > 1 || has_comment {
            break;
        }
        (container, at) = (outer, place);
    }
    if is_flow(text, container) {
        return Some(remove_element(text, container, at, RemovedGap::Before));
    }
    let (start, child) = children(text, container).get(at).copied()?;
    let end = last_end(text, child).max(start);
    let end = text.get(end..)?.find('\n').map_or(text.len(), |line| end + line + 1);
    Some(EditSet::from_iter([TextEdit::remove(start - column(text, start), end)]))
}

/// The members or items of a node, each with the place of its key or its dash.
fn children<'n>(text: &str, node: &'n Node) -> Vec<(usize, &'n Node)> {
    let members = node.members().unwrap_or_default().iter().map(|member| (member.key_span.start, &member.value));
    let dash = |start: usize| text.get(..start).and_then(|head| head.rfind('-')).unwrap_or(start);
    members.chain(node.items().unwrap_or_default().iter().map(|item| (dash(item.span.start), item))).collect()
}

/// Whether a node is in flow style, as in JSON.
fn is_flow(text: &str, node: &Node) -> bool {
    let is_container = node.members().is_some() || node.items().is_some();
    is_container && text.get(node.span.start..).is_some_and(|rest| rest.starts_with(['{', '[']))
}

/// The end of the last scalar, key or bracket of a node. 0 if it is null.
fn last_end(text: &str, node: &Node) -> usize {
    let key_end = node.members().and_then(<[Member]>::last).map_or(0, |last| last.key_span.end);
    match children(text, node).last() {
        Some((_, child)) if !is_flow(text, node) => last_end(text, child).max(key_end),
        _ if node.value == NodeValue::Null => 0,
        _ => node.span.end,
    }
}

/// The number of bytes before a place in its line.
fn column(text: &str, start: usize) -> usize {
    start - text.get(..start).and_then(|head| head.rfind('\n')).map_or(0, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["hooks", "e"];

    fn parsed(text: &str) -> Node {
        parse_yaml(SourceId(0), text, 0).unwrap()
    }

    /// An item is added where its list is, in the style of the text, and removed again without a trace.
    #[test]
    fn items_are_added_and_removed() {
        let item = json!({"command": "x 'y'", "timeout": 5});
        let flow = r#"{"command":"x 'y'","timeout":5}"#;
        let entry = |pad: &str| format!("{pad}- command: 'x ''y'''\n{pad}  timeout: 5\n");
        let event = format!("  e:\n{}", entry("    "));
        for (text, want) in [
            ("", format!("hooks:\n{event}")),
            ("# c\n", format!("# c\nhooks:\n{event}")),
            ("a: 1", format!("a: 1\nhooks:\n{event}")),
            ("a:\n  b: [1]  # c\n# d\n", format!("a:\n  b: [1]  # c\nhooks:\n{event}# d\n")),
            ("hooks:\n    d: []\nz: 1\n", format!("hooks:\n    d: []\n    e:\n{}z: 1\n", entry("      "))),
            (
                "hooks:\n  e:\n  - command: a # c\nz: 1\n",
                format!("hooks:\n  e:\n  - command: a # c\n{}z: 1\n", entry("  ")),
            ),
            ("hooks:\n  e: # c\nz: 1\n", format!("hooks:\n  e: # c\n{}z: 1\n", entry("    "))),
            (
                "hooks: {\"e\": [{\"command\": \"a\"}]}\n",
                format!("hooks: {{\"e\": [{{\"command\": \"a\"}}, {flow}]}}\n"),
            ),
            ("hooks: {}\n", format!("hooks: {{\"e\": [{flow}]}}\n")),
            (
                "hooks:\n  d:\n    - command: |\n        a\n\n",
                format!("hooks:\n  d:\n    - command: |\n        a\n{event}\n"),
            ),
        ] {
            let edit = append_to_yaml(text, &parsed(text), &PATH, std::slice::from_ref(&item)).unwrap();
            let added = EditSet::from_iter([edit]).apply(text).unwrap();
            assert_eq!(added, want, "{text}");
            let root = parsed(&added);
            let count = root.get("hooks").and_then(|hooks| hooks.get("e")).and_then(Node::items).unwrap().len();
            let left = remove_from_yaml(&added, &root, &PATH, count - 1).unwrap().apply(&added).unwrap();
            let is_gone = text == "hooks: {}\n" && left.trim().is_empty();
            assert!(is_gone || left.trim_end() == text.trim_end(), "{text}\n{left}");
        }
    }

    #[test]
    fn what_has_no_place_is_left_alone() {
        let item = json!({"command": "x"});
        for text in ["hooks: 1\n", "hooks:\n  e: x\n", "- a\n", "hooks: {\n  d: []  # }\n  }\n"] {
            assert_eq!(append_to_yaml(text, &parsed(text), &PATH, std::slice::from_ref(&item)), None, "{text}");
        }
    }

    #[test]
    fn keys_are_added_before_the_others() {
        for (own, added, want) in [
            ("# c\nhooks: {}\n", "m: 1\n", "m: 1\n# c\nhooks: {}\n"),
            ("m: 2\nb: 'yes'\n", "m:\n  a: '1'\n", "m:\n  a: '1'\nb: 'yes'\n"),
            ("", "m: 1\n", "m: 1\n"),
        ] {
            assert_eq!(with_yaml(own, added).as_deref(), Ok(want), "{own}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[hookse:\\- \n\"'\\[\\]{},#|0]{0,60}") {
            if let Ok(root) = parse_yaml(SourceId(0), &text, 0) {
                let _ = append_to_yaml(&text, &root, &["h", "e"], &[json!({"command": "x"})]);
                let _ = remove_from_yaml(&text, &root, &["h", "e"], 0);
            }
        }

        #[test]
        fn blocks_are_read_back(texts: Vec<String>) {
            let value = json!({"a": texts, "b": {"c": [{"d": texts, "e": 1.0}], "f": []}});
            let read = parse_yaml(SourceId(0), &yaml_block(&value, 0), 0);
            proptest::prop_assert_eq!(read.map(|node| node.to_value()).ok(), Some(as_numbers(value)));
        }
    }
}
