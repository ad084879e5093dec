//! Recognition of the agent's payloads, and completion of partial ones (spec §2).

use serde_json::{Value, json};

use super::events::EVENTS;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

/// Returns the missing keys that the agent would have sent: the common ones, and the event's required ones, taken
/// from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    let empty = json!({"llmContent": "", "returnDisplay": ""});
    fill_missing(event, body, examples, |key| EVENTS.requires(event, key), Some(&empty))
}

/// Returns how likely it is that this agent sent the payload. Most of its event names are unique to it.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let Some(event) = text("hook_event_name").and_then(|name| EVENTS.by_name(name)) else {
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
    use super::*;
    use crate::kernel::test::place;

    #[test]
    fn a_short_payload_is_completed() {
        let event = EVENTS.by_name("AfterTool").unwrap();
        let short = json!({"hook_event_name": "AfterTool", "tool_name": "mcp_a_b"});
        let filled = fill(&EVENTS.examples(event.name, &place(), "/u").collect::<Vec<_>>(), event, &short);
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
