//! Example payloads, recognition of the agent's payloads, and completion of partial ones (spec §2).

use serde_json::{Map, Value, json};

use super::events::{self, EVENTS};
use super::examples;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const WHEN: &str = "2026-11-20T12:00:00.000Z";

/// Returns the keys before an event's own keys.
fn common(event: &EventSpec, place: &Place) -> Map<String, Value> {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    // The agent names a project after its directory.
    let name = place.project.rsplit('/').next().unwrap_or("");
    let directory = format!("{}/tmp/{name}/chats", super::layers::user_dir(place));
    set("session_id", json!(SESSION));
    set("transcript_path", json!(format!("{directory}/session-2026-11-20T12-00-00000000.jsonl")));
    set("cwd", json!(place.project));
    set("hook_event_name", json!(event.name));
    set("timestamp", json!(WHEN));
    out
}

/// Returns the example payloads of an event.
pub fn examples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    let whole = move |sample: examples::Sample| {
        let mut body = common(event, place);
        body.extend(sample.fields);
        ExamplePayload { label: sample.label, body: Value::Object(body) }
    };
    examples::samples(event.name, place).map(whole)
}

/// Returns the missing keys that the agent would have sent: the common ones, and the event's required ones, taken
/// from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    let needed = |key: &str| EVENTS.common.iter().chain(event.fields).any(|f| f.name == key && !f.optional);
    let empty = json!({"llmContent": "", "returnDisplay": ""});
    fill_missing(event, body, examples, needed, Some(&empty))
}

/// Returns how likely it is that this agent sent the payload. Most of its event names are unique to it.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let Some(event) = text("hook_event_name").and_then(|name| events::EVENTS.by_name(name)) else {
        return Confidence::No;
    };
    if !matches!(event.name, "SessionStart" | "SessionEnd" | "Notification") {
        return Confidence::Certain;
    }
    let path = text("transcript_path").unwrap_or("");
    if ["/.claude/", "/.qwen/", "/.codex/"].iter().any(|directory| path.contains(directory)) {
        return Confidence::No;
    }
    let own = path.contains("/.gemini/")
        || text("notification_type") == Some("ToolPermission")
        || (event.name == "SessionEnd" && text("reason") == Some("exit"));
    match (own, text("timestamp")) {
        (true, _) => Confidence::Certain,
        // Other agents send it together with the model or the permission mode, or not at all.
        (false, Some(_)) if payload.get("model").is_none() && payload.get("permission_mode").is_none() => {
            Confidence::Possible
        }
        _ => Confidence::No,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::place;
    use super::*;

    fn keys(value: &Value) -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn every_event_has_complete_examples() {
        for event in events::EVENTS.events {
            let examples: Vec<ExamplePayload> = examples(event, &place()).collect();
            assert!(!examples.is_empty(), "{}", event.name);
            for example in &examples {
                assert_eq!(fill(&examples, event, &example.body), vec![], "{}", event.name);
                let known = |key: &String| EVENTS.common.iter().chain(event.fields).any(|f| f.name == key);
                assert!(keys(&example.body).iter().all(known), "{} {:?}", event.name, keys(&example.body));
                assert_eq!(recognise(&example.body), Confidence::Certain);
            }
        }
    }

    #[test]
    fn a_short_payload_is_completed() {
        let event = events::EVENTS.by_name("AfterTool").unwrap();
        let short = json!({"hook_event_name": "AfterTool", "tool_name": "mcp_a_b"});
        let filled = fill(&examples(event, &place()).collect::<Vec<_>>(), event, &short);
        let names: Vec<&str> = filled.iter().map(|(k, _)| k.as_str()).collect();
        assert_eq!(names, ["session_id", "transcript_path", "cwd", "timestamp", "tool_input", "tool_response"]);
        assert_eq!(filled.iter().find(|(k, _)| k == "tool_input").map(|(_, v)| v), Some(&json!({})));
    }

    #[test]
    fn payloads_of_others() {
        for (payload, want) in [
            (json!({"hook_event_name": "PreToolUse"}), Confidence::No),
            (json!({"hook_event_name": "BeforeTool"}), Confidence::Certain),
            (json!({"hook_event_name": "SessionStart", "transcript_path": "/h/.claude/x.jsonl"}), Confidence::No),
            (json!({"hook_event_name": "SessionStart", "transcript_path": "", "timestamp": "t"}), Confidence::Possible),
            (
                json!({"hook_event_name": "SessionStart", "timestamp": "t", "permission_mode": "default"}),
                Confidence::No,
            ),
            (json!({"hook_event_name": "SessionEnd", "reason": "exit"}), Confidence::Certain),
        ] {
            assert_eq!(recognise(&payload), want, "{payload}");
        }
    }
}
