//! The spans of tool calls in the telemetry file. Measured on 1.0.102 with hooks whose events are in PascalCase.

use serde_json::Value;

use super::spelling::pascal_tool;
use hookbench_base::recorded::{Attributes, CallOutcome, CalledTool, TelemetryCall, TelemetryFormat};

/// The beginning of the status of a call that a hook refused.
const REFUSED: &str = "Denied by preToolUse hook";

/// The records. The prompt is only among all messages to the model, and the result is that of the rewritten call.
pub static TELEMETRY: TelemetryFormat = TelemetryFormat {
    service: "github-copilot",
    version: Some("service.version"),
    prompt: None,
    decision: None,
    result: "execute_tool",
    spans: None,
    call_id: None,
    events: ("PreToolUse", None),
    keys: [&[], &[("session_id", "gen_ai.conversation.id")], &[]],
    lacks: &["timestamp", "cwd", "traceparent"],
    event_lacks: &[],
    call,
    hook_run: None,
};

fn call(attributes: &Attributes) -> Option<TelemetryCall> {
    let word = |key: &str| attributes.get(key).and_then(Value::as_str);
    let input = word("gen_ai.tool.call.arguments").and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let is_refused = word("status.message").is_some_and(|message| message.starts_with(REFUSED));
    let end = if is_refused { CallOutcome::Refused } else { CallOutcome::Other };
    let called = CalledTool { id: None, tool: pascal_tool(word("gen_ai.tool.name")?).to_owned(), input };
    Some(TelemetryCall { called, response: None, end })
}
