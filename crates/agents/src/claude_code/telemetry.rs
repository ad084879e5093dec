//! The OpenTelemetry records of tool calls and prompts. Measured on 2.1.332, with and without `OTEL_LOG_TOOL_DETAILS`.

use serde_json::Value;

use crate::shared::reconstruction::{PayloadBuilder, text};
use hookbench_base::recorded::{Attributes, CallOutcome, CalledTool, TelemetryCall, TelemetryFormat, is_cut};

/// The records.
pub static TELEMETRY: TelemetryFormat = TelemetryFormat {
    service: "claude-code",
    version: Some("service.version"),
    prompt: Some(("user_prompt", "UserPromptSubmit")),
    decision: Some("tool_decision"),
    result: "tool_result",
    call_id: Some("tool_use_id"),
    events: ("PreToolUse", Some("PostToolUse")),
    keys: [
        &[("session_id", "session.id"), ("prompt_id", "prompt.id"), ("permission_mode", "permission_mode")],
        &[],
        &[],
    ],
    lacks: &["transcript_path", "cwd"],
    event_lacks: &[
        ("UserPromptSubmit", "permission_mode"),
        ("PreToolUse", "effort"),
        ("PostToolUse", "effort"),
        ("PostToolUse", "duration_ms"),
    ],
    call,
    hook_run: None,
};

fn call(attributes: &Attributes) -> Option<TelemetryCall> {
    let word = |key: &str| attributes.get(key).and_then(Value::as_str);
    let object = |key: &str| word(key).and_then(|json| serde_json::from_str::<Value>(json).ok());
    let parameters = object("tool_parameters").unwrap_or_default();
    let tool = match (word("tool_name")?, text(&parameters, "mcp_server_name"), text(&parameters, "mcp_tool_name")) {
        ("mcp_tool", Some(server), Some(tool)) => format!("mcp__{server}__{tool}"),
        // Hooks see the names of the server and of its tool, which only details state.
        ("mcp_tool", ..) => String::new(),
        (tool, ..) => tool.to_owned(),
    };
    let mut input = object("tool_input").unwrap_or_default();
    // A command is whole only here, and for a refused call it is nowhere else.
    if let Some(command) = text(&parameters, "full_command") {
        match input.as_object_mut() {
            Some(input) if !is_cut(command) => {
                input.insert("command".to_owned(), Value::from(command));
            }
            Some(_) => {}
            None => {
                let description = parameters.get("description").cloned();
                input =
                    PayloadBuilder::default().put("command", command).put_some("description", description).into_value();
            }
        }
    }
    let end = match (word("decision"), word("source"), word("success")) {
        (Some("reject"), Some("hook"), _) => CallOutcome::Refused,
        (Some("reject"), ..) => CallOutcome::Other,
        (_, _, Some("true")) => CallOutcome::Succeeded,
        _ => CallOutcome::Other,
    };
    let id = word("tool_use_id").map(str::to_owned);
    Some(TelemetryCall { called: CalledTool { id, tool, input }, response: None, end })
}
