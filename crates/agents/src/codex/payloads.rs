//! Recognition of Codex's payloads, and completion of partial ones (spec §3).

use serde_json::{Value, json};

use super::events;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

/// Returns the missing keys that Codex would have sent, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    // A payload of a turn is complete; before 0.171.0 it had no keys of its request.
    let is_of_request =
        |key: &str| matches!(key, "kind" | "request_id" | "attempt_number" | "thread_id" | "response_id");
    let is_older = body.get("turn_id").is_some() && body.get("kind").is_none();
    fill_missing(event, body, examples, |key| !(is_older && is_of_request(key)), Some(&json!("")))
}

/// Returns how likely it is that Codex sent this payload.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let Some(event) = text("hook_event_name").and_then(|name| events::EVENTS.by_name(name)) else {
        return Confidence::No;
    };
    let path = text("transcript_path").unwrap_or("");
    if ["/.claude/", "/.qwen/", "/.gemini/"].iter().any(|directory| path.contains(directory)) {
        return Confidence::No;
    }
    let rollout = path.rsplit('/').next().is_some_and(|name| name.starts_with("rollout-"));
    let only_here = matches!(event.name, "Interrupt" | "PreModelRequest" | "PostModelRequest");
    let turn = text("turn_id").is_some() && text("model").is_some();
    if path.contains("/.codex/") || rollout || only_here || turn { Confidence::Certain } else { Confidence::Possible }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::Place;
    use serde_json::Map;

    fn place() -> Place {
        Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() }
    }

    #[test]
    fn a_short_payload_is_completed() {
        let event = events::EVENTS.by_name("PostToolUse").unwrap();
        let short = json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__a__b"});
        let filled: Map<String, Value> =
            fill(&events::EVENTS.examples(event.name, &place(), "/u").collect::<Vec<_>>(), event, &short)
                .into_iter()
                .collect();
        assert_eq!((filled.get("tool_input"), filled.get("tool_response")), (Some(&json!({})), Some(&json!(""))));
        assert_eq!(filled.keys().next().map(String::as_str), Some("session_id"));
    }

    #[test]
    fn payloads_of_others_are_not_ours() {
        for (path, want) in [
            ("/h/.claude/projects/x.jsonl", Confidence::No),
            ("/h/.codex/sessions/x.jsonl", Confidence::Certain),
            ("/elsewhere/rollout-1.jsonl", Confidence::Certain),
            ("", Confidence::Possible),
        ] {
            let payload = json!({"hook_event_name": "SessionStart", "transcript_path": path, "source": "startup"});
            assert_eq!(recognise(&payload), want, "{path}");
        }
    }
}
