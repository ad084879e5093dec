//! The records of tool calls and prompts in the telemetry file. Measured on 0.24.4.

use serde_json::Value;

use hookbench_base::recorded::{Attributes, CallOutcome, CalledTool, TelemetryCall, TelemetryFormat};

/// The records. Hooks are only spans, without input and output.
pub static TELEMETRY: TelemetryFormat = TelemetryFormat {
    service: "qwen-code",
    version: Some("service.version"),
    prompt: Some(("qwen-code.user_prompt", "UserPromptSubmit")),
    decision: None,
    result: "qwen-code.tool_call",
    spans: None,
    call_id: None,
    events: ("PreToolUse", Some("PostToolUse")),
    keys: [&[("session_id", "session.id")], &[("prompt_id", "prompt_id")], &[("tool_call_id", "call_id")]],
    lacks: &["transcript_path", "cwd", "timestamp", "permission_mode"],
    event_lacks: &[
        ("PreToolUse", "", "tool_use_id"),
        ("PostToolUse", "", "tool_use_id"),
        ("PostToolUse", "", "duration_ms"),
        ("UserPromptSubmit", "", "submitted_prompt"),
    ],
    call,
    hook_run: None,
};

/// A call without a decision never reached the hooks: its tool or its input is unknown, or a permission rule forbids it.
fn call(attributes: &Attributes) -> Option<TelemetryCall> {
    let word = |key: &str| attributes.get(key).and_then(Value::as_str);
    word("decision")?;
    let input = word("function_args").and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let end = match (word("execution_status"), word("error_type")) {
        (Some("success"), _) => CallOutcome::Succeeded,
        (Some("not_started"), Some("execution_denied")) => CallOutcome::Refused,
        _ => CallOutcome::Other,
    };
    let called = CalledTool { id: None, tool: word("function_name")?.to_owned(), input };
    Some(TelemetryCall { called, response: None, end })
}
