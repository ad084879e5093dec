//! Example payloads, recognition of the agent's payloads, and completion of partial ones (spec §5.1).

use serde_json::{Map, Value, json};

use super::events::{self, EVENTS};
use super::version_behaviour;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::dialects::{Confidence, Version};
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const WHEN: &str = "2026-11-20T12:00:00.000Z";
/// Payload keys that only the newest version sends.
const NEW_KEYS: [&str; 9] = [
    "prompt_id",
    "tool_call_id",
    "duration_ms",
    "submitted_prompt",
    "context_usage",
    "context_limit",
    "input_tokens",
    "background_tasks",
    "crons",
];
/// Events that have carried `permission_mode` from the start.
const MODE_EVENTS: [&str; 7] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "SessionStart",
    "SubagentStart",
    "SubagentStop",
];

/// Returns the agent's directory for a project.
fn project_dir(place: &Place) -> String {
    let slug: String = place.project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{}/projects/{slug}", super::layers::user_dir(place))
}

/// Returns the keys before an event's own keys.
fn common(event: &EventSpec, place: &Place, version: &Version, inside: ListScope) -> Map<String, Value> {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    let new = version_behaviour::for_version(version).new_fields;
    set("session_id", json!(SESSION));
    set("transcript_path", json!(format!("{}/chats/{SESSION}.jsonl", project_dir(place))));
    set("cwd", json!(place.project));
    set("hook_event_name", json!(event.name));
    set("timestamp", json!(WHEN));
    if new || MODE_EVENTS.contains(&event.name) {
        set("permission_mode", json!("default"));
    }
    if new && inside.agent {
        set("agent_id", json!("general-purpose-call_m1_0"));
    }
    if new && inside.turn {
        set("prompt_id", json!(format!("{SESSION}########0")));
    }
    out
}

/// Whether an event fires inside a sub-agent and inside a turn, which determines two of the common keys.
#[derive(Debug, Clone, Copy)]
struct ListScope {
    agent: bool,
    turn: bool,
}

fn event_scope(event: &str) -> ListScope {
    ListScope {
        agent: matches!(event, "SubagentStart" | "SubagentStop"),
        turn: !matches!(event, "InstructionsLoaded" | "SessionStart" | "SessionEnd" | "SessionDelete"),
    }
}

/// Returns the example payloads of an event.
pub fn examples(event: &EventSpec, place: &Place, version: &Version) -> impl Iterator<Item = ExamplePayload> {
    let examples = EVENTS.examples(event.name, place, &super::layers::user_dir(place));
    examples.map(move |example| complete(event, place, version, example))
}

/// An example with the common keys, as a version sends it.
fn complete(event: &EventSpec, place: &Place, version: &Version, example: ExamplePayload) -> ExamplePayload {
    let behaviour = version_behaviour::for_version(version);
    let scope = event_scope(event.name);
    let mut body =
        common(event, place, version, ListScope { turn: scope.turn && example.label != "auth_success", ..scope });
    for (key, mut value) in example.body.as_object().cloned().into_iter().flatten() {
        if !behaviour.new_fields && NEW_KEYS.contains(&key.as_str()) {
            continue;
        }
        if behaviour.stop_always_active && key == "stop_hook_active" {
            value = Value::Bool(true);
        }
        body.insert(key, value);
    }
    ExamplePayload { label: example.label, body: Value::Object(body) }
}

/// Returns the missing keys that the agent would have sent: the common ones, except those that depend on where the
/// event fired, and the event's required ones, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    fill_missing(event, body, examples, |key| EVENTS.requires(event, key) || key == "tool_call_id", None)
}

/// Returns how likely it is that this agent sent the payload.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let Some(event) = text("hook_event_name").and_then(|name| events::EVENTS.by_name(name)) else {
        return Confidence::No;
    };
    let path = text("transcript_path").unwrap_or("");
    let id = text("prompt_id").is_some_and(|id| id.contains("########"));
    if path.contains("/.claude/") || path.contains("/.gemini/") || path.contains("/.codex/") {
        return Confidence::No;
    }
    if path.contains("/.qwen/") || id || (path.contains("/chats/") && text("timestamp").is_some()) {
        return Confidence::Certain;
    }
    let own_tool = text("tool_name").is_some_and(|tool| super::tools::by_id(tool).is_some());
    let only_here = matches!(event.name, "SessionDelete" | "TodoCreated" | "TodoCompleted");
    if only_here || (own_tool && text("timestamp").is_some()) { Confidence::Certain } else { Confidence::Possible }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() }
    }

    fn keys(value: &Value) -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn the_first_tool_call_is_a_dangerous_one() {
        let version = Version::new(0, 24, 4);
        let event = events::EVENTS.by_name("PreToolUse").unwrap();
        let first = examples(event, &place(), &version).next().unwrap();
        assert_eq!(first.body.pointer("/tool_input/command"), Some(&json!("rm -rf build")));
        assert_eq!(
            keys(&first.body),
            [
                "session_id",
                "transcript_path",
                "cwd",
                "hook_event_name",
                "timestamp",
                "permission_mode",
                "prompt_id",
                "tool_name",
                "tool_input",
                "tool_use_id",
                "tool_call_id"
            ]
        );
        assert_eq!(
            first.body.get("transcript_path"),
            Some(&json!(
                "/home/user/.qwen/projects/-home-user-project/chats/00000000-0000-4000-8000-000000000001.jsonl"
            ))
        );
    }

    #[test]
    fn a_short_payload_is_completed() {
        let version = Version::new(0, 24, 4);
        let event = events::EVENTS.by_name("PreToolUse").unwrap();
        let short = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__a__b"});
        let filled = fill(&examples(event, &place(), &version).collect::<Vec<_>>(), event, &short);
        let names: Vec<&str> = filled.iter().map(|(k, _)| k.as_str()).collect();
        assert_eq!(
            names,
            [
                "session_id",
                "transcript_path",
                "cwd",
                "timestamp",
                "permission_mode",
                "tool_input",
                "tool_use_id",
                "tool_call_id"
            ]
        );
        assert_eq!(filled.iter().find(|(k, _)| k == "tool_input").map(|(_, v)| v), Some(&json!({})));
    }

    #[test]
    fn older_versions_send_less() {
        let event = events::EVENTS.by_name("Stop").unwrap();
        let body = examples(event, &place(), &Version::new(0, 15, 6)).next().unwrap().body;
        assert_eq!(
            keys(&body),
            [
                "session_id",
                "transcript_path",
                "cwd",
                "hook_event_name",
                "timestamp",
                "stop_hook_active",
                "last_assistant_message"
            ]
        );
        assert_eq!(body.get("stop_hook_active"), Some(&json!(true)));
    }
}
