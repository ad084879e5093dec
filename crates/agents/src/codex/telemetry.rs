//! The OpenTelemetry records of tool calls and prompts. Measured on 0.171.0.

use serde_json::{Value, json};

use super::transcript::{CallItem, CallResult, read_item, read_result};
use hookbench_base::recorded::{Attributes, CallOutcome, CalledTool, TelemetryCall, TelemetryFormat};

/// The records.
pub static TELEMETRY: TelemetryFormat = TelemetryFormat {
    service: "codex",
    version: Some("app.version"),
    prompt: Some(("codex.user_prompt", "UserPromptSubmit")),
    decision: Some("codex.tool_decision"),
    result: "codex.tool_result",
    spans: None,
    call_id: Some("call_id"),
    events: ("PreToolUse", Some("PostToolUse")),
    keys: [&[("session_id", "conversation.id")], &[("model", "model")], &[]],
    lacks: &["turn_id", "transcript_path", "cwd", "permission_mode"],
    event_lacks: &[],
    call,
    hook_run: None,
};

fn call(attributes: &Attributes) -> Option<TelemetryCall> {
    let word = |key: &str| attributes.get(key).and_then(Value::as_str);
    let name = word("tool_name")?;
    let given = word("arguments");
    let item = match name {
        "apply_patch" => json!({"type": "custom_tool_call", "name": name, "input": given.unwrap_or_default()}),
        name => json!({
            "type": "function_call", "name": name, "namespace": word("tool_namespace"), "arguments": given.unwrap_or_default(),
        }),
    };
    let CallItem::Call(call) = read_item(&item) else { return None };
    let result = read_result(&call.tool, &Value::from(word("output").unwrap_or_default()));
    let response = match result {
        CallResult::Output(output) if word("output").is_some() && !is_true(attributes, "output_truncated") => {
            Some(output)
        }
        _ => None,
    };
    let end = if is_true(attributes, "success") { CallOutcome::Succeeded } else { CallOutcome::Other };
    let input = if given.is_some() { call.input } else { Value::Null };
    let called = CalledTool { id: word("call_id").map(str::to_owned), tool: call.tool, input };
    Some(TelemetryCall { called, response, end })
}

fn is_true(attributes: &Attributes, key: &str) -> bool {
    attributes.get(key).is_some_and(|value| value.as_bool().unwrap_or(value == "true"))
}
