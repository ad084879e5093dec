//! HW614: a hook's `allow` that does not override a permission rule which asks or denies.

use serde_json::Value;

use super::super::condition;
use hookbench_base::config::LayerState;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::text::{JsonSyntax, Node, parse_json};

/// A rule of the settings that takes precedence over the `allow` of a hook.
pub struct OverridingRule {
    pub text: String,
    /// `deny` or `ask`.
    pub list: &'static str,
    /// Its file and line.
    place: String,
}

/// Reports the rule that a hook's `allow` does not override.
pub fn unlifted_rule(scene: &Scene) -> Option<Diagnostic> {
    let OverridingRule { text, list, place } = overriding_rule(scene)?;
    let does = if list == "deny" { "denies the call" } else { "asks the user" };
    let says = format!("its `allow` does not override the rule `{text}`, which {does}");
    let found = Diagnostic::new(Code::HW614, says).with_note(format!("the rule is in permissions.{list}, {place}"));
    Some(found.with_help("change the rule: the user's rules take precedence over a hook"))
}

/// Returns the first rule of the settings that covers the call; deny rules come before ask rules.
pub fn overriding_rule(scene: &Scene) -> Option<OverridingRule> {
    for list in ["deny", "ask"] {
        for layer in scene.loaded.layers.iter().filter(|layer| layer.state == LayerState::Read) {
            let Some(source) = scene.loaded.sources.by_path(&layer.path) else { continue };
            let syntax = JsonSyntax { bom: true, ..JsonSyntax::default() };
            let Ok(node) = parse_json(source, scene.loaded.sources.text(source), syntax) else { continue };
            let rules = node.get("permissions").and_then(|p| p.get(list)).and_then(Node::items).unwrap_or_default();
            for rule in rules {
                let Some(text) = rule.as_str().filter(|text| !text.is_empty()) else { continue };
                if covers(text, scene) {
                    let line = scene.loaded.sources.start(rule.span).line;
                    return Some(OverridingRule {
                        text: text.to_owned(),
                        list,
                        place: format!("{}:{line}", layer.file),
                    });
                }
            }
        }
    }
    None
}

/// Whether a permission rule covers the call. It covers more than the same text as an `if`: as documented, `Edit`
/// means every tool that changes files, a server's name means all of its tools, and some rules name a host or an
/// agent type.
fn covers(rule: &str, scene: &Scene) -> bool {
    let body = &scene.input.body;
    let tool = body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    let input = |key: &str| body.pointer(&format!("/tool_input/{key}")).and_then(Value::as_str).unwrap_or("");
    if condition::certainly_matches(rule, &scene.input, &scene.place) {
        return true;
    }
    if tool.starts_with("mcp__") {
        return tool.strip_prefix(rule.trim_end_matches('*')).is_some_and(|rest| {
            if rule.ends_with('*') { rule.matches("__").count() > 1 } else { rest.starts_with("__") }
        });
    }
    let Some((name, content)) = rule.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)))
    else {
        return rule == "Edit" && matches!(tool, "Write" | "NotebookEdit");
    };
    match (name, tool) {
        ("Edit", "Write" | "NotebookEdit") => {
            let own = format!("{tool}({content})");
            condition::certainly_matches(&own, &scene.input, &scene.place)
        }
        ("WebFetch", "WebFetch") => content.strip_prefix("domain:").is_some_and(|domain| host(input("url")) == domain),
        ("Agent" | "Task", "Agent" | "Task") => input("subagent_type") == content,
        _ => false,
    }
}

/// Returns the host of a URL.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    host.split(':').next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::project_scene;
    use serde_json::json;

    #[test]
    fn what_a_rule_covers() {
        let bash = json!({"command": "git push origin main"});
        let file = json!({"file_path": "/home/user/project/src/a.ts"});
        let web = json!({"url": "https://user@docs.example.com:8443/a?b"});
        let agent = json!({"subagent_type": "Explore"});
        for (rule, tool, input, want) in [
            ("Bash(git push *)", "Bash", &bash, true),
            ("Bash", "Bash", &bash, true),
            ("Bash(npm *)", "Bash", &bash, false),
            ("Edit(src/**)", "Edit", &file, true),
            ("Edit(src/**)", "Write", &file, true),
            ("Edit", "Write", &file, true),
            ("Edit(lib/**)", "Write", &file, false),
            ("Write(src/**)", "Edit", &file, false),
            ("Edit", "Bash", &bash, false),
            ("mcp__github", "mcp__github__create_issue", &json!({}), true),
            ("mcp__github__*", "mcp__github__create_issue", &json!({}), true),
            ("mcp__github__create_issue", "mcp__github__create_issue", &json!({}), true),
            ("mcp__git", "mcp__github__create_issue", &json!({}), false),
            ("mcp__github__get_*", "mcp__github__create_issue", &json!({}), false),
            ("WebFetch(domain:docs.example.com)", "WebFetch", &web, true),
            ("WebFetch(domain:example.com)", "WebFetch", &web, false),
            ("Agent(Explore)", "Agent", &agent, true),
            ("Task(Plan)", "Agent", &agent, false),
        ] {
            let scene = project_scene(
                json!({}),
                json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "cwd": "/home/user/project"}),
            );
            assert_eq!(covers(rule, &scene), want, "{rule} {tool}");
        }
    }
}
