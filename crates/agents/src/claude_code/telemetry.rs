//! The OpenTelemetry records of tool calls and prompts. Measured on 2.1.332, with and without `OTEL_LOG_TOOL_DETAILS` and
//! `ENABLE_BETA_TRACING_DETAILED`.

use serde_json::Value;

use crate::shared::reconstruction::{PayloadBuilder, text};
use hookbench_base::recorded::{
    Attributes, CallOutcome, CallSpans, CalledTool, TelemetryCall, TelemetryFormat, is_cut,
};

/// The end of an input in a span that is not whole.
const TRUNCATED: &str = "\n\n[TRUNCATED - Content exceeds 60KB limit]";

/// The records.
pub static TELEMETRY: TelemetryFormat = TelemetryFormat {
    service: "claude-code",
    version: Some("service.version"),
    prompt: Some(("user_prompt", "UserPromptSubmit")),
    decision: Some("tool_decision"),
    result: "tool_result",
    spans: Some(CallSpans { call: "execute_tool", decision: "claude_code.tool.blocked_on_user" }),
    call_id: Some("tool_use_id"),
    events: ("PreToolUse", Some("PostToolUse")),
    keys: [
        &[("session_id", "session.id"), ("prompt_id", "prompt.id"), ("permission_mode", "permission_mode")],
        &[],
        &[],
    ],
    lacks: &["transcript_path", "cwd"],
    event_lacks: &[
        ("UserPromptSubmit", "", "permission_mode"),
        // The spans lack both.
        ("PreToolUse", "", "prompt_id"),
        ("PreToolUse", "", "permission_mode"),
        ("PreToolUse", "", "effort"),
        ("PostToolUse", "", "effort"),
        ("PostToolUse", "", "duration_ms"),
        ("PreToolUse", "mcp__", "mcp_server"),
        ("PostToolUse", "mcp__", "mcp_server"),
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
    let span_input = span_input(attributes);
    let is_span = span_input.is_some();
    let mut input = span_input.or_else(|| object("tool_input")).unwrap_or_default();
    // Among logs, a command is whole only here, and for a refused call it is nowhere else. A hook may have rewritten it.
    if let Some(command) = text(&parameters, "full_command").filter(|_| !is_span) {
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

/// The input in the span of a call, as it was before hooks changed it: `[TOOL INPUT: NAME]`, a line feed, and JSON. Of more than
/// 60 KB the span holds the beginning, and a text in which that ends is marked as cut. `None` if it ends elsewhere.
fn span_input(attributes: &Attributes) -> Option<Value> {
    let (_, json) = attributes.get("tool_input")?.as_str()?.strip_prefix("[TOOL INPUT: ")?.split_once("]\n")?;
    let Some(kept) = json.strip_suffix(TRUNCATED) else { return serde_json::from_str(json).ok() };
    let length = attributes.get("tool_input_original_length")?;
    // An escape may be cut in its middle.
    serde_json::from_str(&format!("{}…[{length} chars]\"}}", kept.trim_end_matches('\\'))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn the_input_of_a_span_is_whole_or_marked_as_cut() {
        for (kept, want) in [
            ("{\"a\":{\"b\":1}}", Some(json!({"a": {"b": 1}}))),
            (
                "{\"a\":1,\"b\":\"long\n\n[TRUNCATED - Content exceeds 60KB limit]",
                Some(json!({"a": 1, "b": "long…[70061 chars]"})),
            ),
            ("{\"b\":\"long\\\n\n[TRUNCATED - Content exceeds 60KB limit]", Some(json!({"b": "long…[70061 chars]"}))),
            ("{\"b\":[\"long\n\n[TRUNCATED - Content exceeds 60KB limit]", None),
            ("{\"b\":\"lo", None),
        ] {
            let text = format!("[TOOL INPUT: mcp__m__t]\n{kept}");
            let own = [("tool_input", json!(text)), ("tool_input_original_length", json!(70061))];
            let own = own.map(|(key, value)| (key.to_owned(), value)).to_vec();
            assert_eq!(span_input(&Attributes::default().with_own(own)), want, "{kept}");
        }
    }
}
