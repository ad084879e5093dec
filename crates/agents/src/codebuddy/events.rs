//! The events of 2.117.0, and the recognition of payloads.

use serde_json::Value;

use crate::kernel::events::event_table;
use hookbench_base::dialects::Confidence;

event_table!("codebuddy");

/// How likely CodeBuddy Code sent this payload. Its event names are those of other agents.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let is_known = text("hook_event_name").is_some_and(|name| EVENTS.by_name(name).is_some());
    let is_client = text("client") == Some("CLI") && text("version").is_some();
    let is_own = text("transcript_path").is_some_and(|path| path.contains("/.codebuddy/")) || is_client;
    if is_known && is_own { Confidence::Certain } else { Confidence::No }
}

/// Whether what the agent does with an answer to this event is not known: `codebuddy -p` does not fire it, and the text of
/// the program shows that it reads the answer.
pub fn is_unobserved(name: &str) -> bool {
    ["PostToolUseFailure", "PermissionRequest", "PermissionDenied", "PreCompact", "Elicitation", "WorktreeCreate"]
        .contains(&name)
}
