//! Recognition of Droid's payloads (spec §3).

use serde_json::Value;

use super::events::EVENTS;
use hookbench_base::dialects::Confidence;

/// The tools whose names only this agent has.
const OWN_TOOLS: [&str; 2] = ["Execute", "Create"];

/// Returns how likely it is that Droid sent this payload. Its event names are those of other agents.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    if text("hook_event_name").and_then(|name| EVENTS.by_name(name)).is_none() {
        return Confidence::No;
    }
    let path = text("transcript_path").unwrap_or("");
    let mode = text("permission_mode").unwrap_or("");
    let own = path.contains("/.factory/")
        || payload.get("CLAUDE_ENV_FILE").is_some()
        || payload.get("tool_execution_count").is_some()
        || mode.starts_with("auto-")
        || text("tool_name").is_some_and(|tool| OWN_TOOLS.contains(&tool));
    if own { Confidence::Certain } else { Confidence::No }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn payloads_of_others_are_not_ours() {
        for (path, want) in
            [("/h/.claude/projects/x.jsonl", Confidence::No), ("/h/.factory/x.jsonl", Confidence::Certain)]
        {
            let payload = json!({"hook_event_name": "Stop", "transcript_path": path});
            assert_eq!(recognise(&payload), want, "{path}");
        }
    }
}
