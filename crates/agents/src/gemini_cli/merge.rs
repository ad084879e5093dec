//! Merges the layers into one object, as the agent does (spec §1.1): lists of definitions are concatenated. Every
//! value keeps its position.

use crate::shared::gemini_fork::layers::SettingsFile;
use hookbench_base::text::{Member, Node, NodeValue, SourceId, Span};

use super::events::EVENTS;

/// The place of a default value, which no file contains.
const BUILT_IN: Span = Span { source: SourceId(u32::MAX), start: 0, end: 0 };

/// Returns the defaults of the agent's schema. They are not parsed from a text, because an agent waits.
fn defaults() -> Node {
    let node = |value: NodeValue| Node { span: BUILT_IN, value };
    let object = |members: Vec<(&str, NodeValue)>| {
        let member =
            |(key, value): (&str, NodeValue)| Member { key: key.to_owned(), key_span: BUILT_IN, value: node(value) };
        NodeValue::Object(members.into_iter().map(member).collect())
    };
    let list = || NodeValue::Array(Vec::new());
    let switch = NodeValue::Bool;
    node(object(vec![
        ("hooks", object(EVENTS.events.iter().map(|event| (event.name, list())).collect())),
        ("hooksConfig", object(vec![("enabled", switch(true)), ("disabled", list())])),
        (
            "security",
            object(vec![
                ("folderTrust", object(vec![("enabled", switch(true))])),
                (
                    "environmentVariableRedaction",
                    object(vec![("enabled", switch(false)), ("allowed", list()), ("blocked", list())]),
                ),
            ]),
        ),
    ]))
}

/// Merges the settings of these layers; the last one wins.
pub fn merge<'a>(settings: impl Iterator<Item = &'a SettingsFile>) -> Node {
    let mut target = defaults();
    for one in settings {
        overlay(&mut target, &one.root, &mut Vec::new());
    }
    target
}

/// How two lists are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MergeStrategy {
    Replace,
    Concat,
    Union,
}

fn strategy(path: &[String]) -> MergeStrategy {
    match path {
        [hooks, event] if hooks == "hooks" && super::events::EVENTS.by_name(event).is_some() => MergeStrategy::Concat,
        [config, list] if config == "hooksConfig" && list == "disabled" => MergeStrategy::Union,
        _ => MergeStrategy::Replace,
    }
}

fn overlay(target: &mut Node, source: &Node, path: &mut Vec<String>) {
    for member in source.effective_members() {
        if matches!(member.key.as_str(), "__proto__" | "constructor" | "prototype") {
            continue;
        }
        path.push(member.key.clone());
        overlay_member(target, member, path);
        path.pop();
    }
}

fn overlay_member(target: &mut Node, member: &Member, path: &mut Vec<String>) {
    let NodeValue::Object(members) = &mut target.value else { return };
    let Some(below) = members.iter_mut().rev().find(|m| m.key == member.key).map(|m| &mut m.value) else {
        let mut value = member.value.clone();
        if value.members().is_some() {
            value.value = NodeValue::Object(Vec::new());
            overlay(&mut value, &member.value, path);
        }
        members.push(Member { key: member.key.clone(), key_span: member.key_span, value });
        return;
    };
    let how = strategy(path);
    if let (NodeValue::Array(items), MergeStrategy::Concat | MergeStrategy::Union) = (&mut below.value, how) {
        let more = match &member.value.value {
            NodeValue::Array(more) => more.clone(),
            _ => vec![member.value.clone()],
        };
        items.extend(more);
        if how == MergeStrategy::Union {
            drop_duplicates(items);
        }
        return;
    }
    match (below.members().is_some(), member.value.members().is_some()) {
        (true, true) => overlay(below, &member.value, path),
        (false, true) => {
            *below = Node { span: member.value.span, value: NodeValue::Object(Vec::new()) };
            overlay(below, &member.value, path);
        }
        _ => *below = member.value.clone(),
    }
}

/// Removes duplicates, keeping the first of each. Objects and lists are never equal to each other.
fn drop_duplicates(items: &mut Vec<Node>) {
    let mut seen: Vec<serde_json::Value> = Vec::new();
    items.retain(|item| {
        let value = item.to_value();
        let fresh = value.is_object() || value.is_array() || !seen.contains(&value);
        seen.push(value);
        fresh
    });
}

/// Top-level sections that must be objects in a valid file.
const SECTIONS: [&str; 20] = [
    "general",
    "output",
    "ui",
    "ide",
    "privacy",
    "billing",
    "model",
    "modelConfigs",
    "agents",
    "context",
    "tools",
    "mcp",
    "mcpServers",
    "security",
    "advanced",
    "experimental",
    "extensions",
    "skills",
    "admin",
    "contextManagement",
];

/// Converts values as the agent's validation does in a valid file: switches written as text become booleans.
/// Covers only the parts of the schema that concern hooks.
pub fn coerce(root: &mut Node) {
    if !is_valid(root) {
        return;
    }
    for path in [
        &["hooksConfig", "enabled"][..],
        &["security", "folderTrust", "enabled"],
        &["security", "environmentVariableRedaction", "enabled"],
    ] {
        let Some(node) = at_mut(root, path) else { continue };
        let flag = node.as_str().and_then(parse_flag);
        if let Some(flag) = flag {
            node.value = NodeValue::Bool(flag);
        }
    }
}

/// Parses a text as a boolean.
fn parse_flag(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn at_mut<'a>(node: &'a mut Node, path: &[&str]) -> Option<&'a mut Node> {
    let Some((first, rest)) = path.split_first() else { return Some(node) };
    let NodeValue::Object(members) = &mut node.value else { return None };
    let member = members.iter_mut().rev().find(|m| m.key == *first)?;
    at_mut(&mut member.value, rest)
}

fn is_valid(root: &Node) -> bool {
    let object = |key: &str| root.get(key).is_none_or(|node| node.members().is_some());
    let flag =
        |node: Option<&Node>| node.is_none_or(|n| n.as_bool().is_some() || n.as_str().and_then(parse_flag).is_some());
    let config = root.get("hooksConfig");
    let texts = |node: Option<&Node>| {
        node.is_none_or(|n| n.items().is_some_and(|items| items.iter().all(|i| i.as_str().is_some())))
    };
    let security = root.get("security");
    let redaction = security.and_then(|s| s.get("environmentVariableRedaction"));
    SECTIONS.iter().all(|key| object(key))
        && object("hooks")
        && object("hooksConfig")
        && flag(config.and_then(|c| c.get("enabled")))
        && flag(config.and_then(|c| c.get("notifications")))
        && texts(config.and_then(|c| c.get("disabled")))
        && flag(security.and_then(|s| s.get("folderTrust")).and_then(|f| f.get("enabled")))
        && security.is_none_or(|s| s.get("folderTrust").is_none_or(|f| f.members().is_some()))
        && redaction.is_none_or(|r| r.members().is_some())
        && flag(redaction.and_then(|r| r.get("enabled")))
        && texts(redaction.and_then(|r| r.get("allowed")))
        && texts(redaction.and_then(|r| r.get("blocked")))
        && root.get("hooks").is_none_or(|hooks| hooks.effective_members().iter().all(|m| is_valid_event(m)))
}

fn is_valid_event(member: &Member) -> bool {
    let Some(groups) = member.value.items() else { return false };
    if super::events::EVENTS.by_name(&member.key).is_none() {
        return true;
    }
    let text = |node: &Node, key: &str| node.get(key).is_none_or(|n| n.as_str().is_some());
    let hook = |node: &Node| {
        let number = node.get("timeout").is_none_or(|n| {
            let of_text = |t: &str| crate::shared::javascript::js_number(t).filter(|_| !t.trim().is_empty());
            n.as_f64().is_some() || n.as_str().and_then(of_text).is_some()
        });
        node.members().is_some() && number && ["name", "type", "command", "description"].iter().all(|k| text(node, k))
    };
    groups.iter().all(|group| {
        let hooks = group.get("hooks").is_none_or(|h| h.items().is_some_and(|items| items.iter().all(hook)));
        group.members().is_some() && text(group, "matcher") && hooks
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::hook::Layer;
    use hookbench_base::text::{JsonSyntax, parse_json};
    use serde_json::{Value, json};

    fn settings(texts: &[&str]) -> Vec<SettingsFile> {
        let parse = |text: &&str| super::super::layers::parse(SourceId(0), text).unwrap();
        texts.iter().map(|t| SettingsFile { layer: Layer::User, path: String::new(), root: parse(t) }).collect()
    }

    fn hooks(texts: &[&str]) -> Value {
        let mut found = merge(settings(texts).iter()).get("hooks").map(Node::to_value).unwrap_or_default();
        if let Some(map) = found.as_object_mut() {
            map.retain(|_, list| *list != json!([]));
        }
        found
    }

    #[test]
    fn lists_of_definitions_follow_one_another() {
        for (texts, want) in [
            (
                vec![r#"{"hooks": {"AfterTool": [1]}}"#, r#"{"hooks": {"AfterTool": [2, 3]}}"#],
                json!({"AfterTool": [1, 2, 3]}),
            ),
            (
                vec![r#"{"hooks": {"AfterTool": {"a": 1}}}"#, r#"{"hooks": {"AfterTool": null}}"#],
                json!({"AfterTool": [{"a": 1}, null]}),
            ),
            (vec![r#"{"hooks": {"AfterTool": [1]}}"#, r#"{"hooks": null}"#], json!(null)),
            // From here on the value is not a list, so nothing can be added.
            (vec![r#"{"hooks": null}"#, r#"{"hooks": {"AfterTool": {"a": 1}}}"#], json!({"AfterTool": {"a": 1}})),
            (
                vec![r#"{"hooks": "x"}"#, r#"{"hooks": {"AfterTool": [1]}}"#, r#"{"hooks": {"AfterTool": [2]}}"#],
                json!({"AfterTool": [1, 2]}),
            ),
        ] {
            assert_eq!(hooks(&texts), want, "{texts:?}");
        }
        let disabled = |texts: &[&str]| merge(settings(texts).iter()).get("hooksConfig").map(Node::to_value).unwrap();
        let texts = [r#"{"hooksConfig": {"disabled": ["a", "b"]}}"#, r#"{"hooksConfig": {"disabled": ["b", "c"]}}"#];
        assert_eq!(disabled(&texts), json!({"enabled": true, "disabled": ["a", "b", "c"]}));
    }

    #[test]
    fn switches_that_are_texts() {
        for (text, want) in [
            (r#"{"hooksConfig": {"enabled": "False"}}"#, json!(false)),
            (r#"{"hooksConfig": {"enabled": "no"}}"#, json!("no")),
            (r#"{"hooksConfig": {"enabled": "false"}, "ui": 5}"#, json!("false")),
            (r#"{"hooksConfig": {"enabled": "false"}, "hooks": {"AfterTool": {}}}"#, json!("false")),
        ] {
            let mut root = parse_json(SourceId(0), text, JsonSyntax::default()).unwrap();
            coerce(&mut root);
            assert_eq!(root.get("hooksConfig").unwrap().get("enabled").unwrap().to_value(), want, "{text}");
        }
    }
}
