//! The parts of the message that a line of a rollout holds.

use serde_json::{Value, json};

use super::calls::{CallItem, read_item};
use crate::shared::reconstruction::text;
use hookbench_base::recorded::{CallOutput, CalledTool, MessagePart};

/// The beginnings of user messages that the program writes itself.
const INJECTED: [&str; 6] =
    ["<environment_context>", "<user_instructions>", "<hook_prompt", "<turn_aborted>", "# AGENTS.md", "<permissions"];

/// Returns the parts of a record. Injected texts are left out.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let item = match text(record, "type") {
        Some("response_item") => record.get("payload").unwrap_or(&Value::Null),
        _ => return Vec::new(),
    };
    let call = || text(item, "call_id").or(text(item, "id")).map(str::to_owned);
    match text(item, "type") {
        Some("message") => {
            let spoken = item.get("content").and_then(Value::as_array).into_iter().flatten();
            let spoken = spoken.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n");
            match text(item, "role") {
                Some("assistant") if !spoken.trim().is_empty() => vec![MessagePart::ModelText(spoken)],
                Some("user") if !INJECTED.iter().any(|tag| spoken.trim_start().starts_with(tag)) => {
                    vec![MessagePart::UserText(spoken)]
                }
                _ => Vec::new(),
            }
        }
        Some("function_call" | "custom_tool_call" | "local_shell_call") => {
            if text(item, "name") == Some("update_plan") {
                return plan(item).map(|input| called(call(), "todo_write", input)).into_iter().collect();
            }
            match read_item(item) {
                CallItem::Call(found) => vec![called(call(), &found.tool, found.input)],
                _ => Vec::new(),
            }
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let output = item.get("output").unwrap_or(&Value::Null);
            let (text, failed) = output_text(output);
            vec![MessagePart::Result(CallOutput { call: call(), text, failed })]
        }
        Some("web_search_call") => vec![called(call(), "web_search", json!({}))],
        _ => Vec::new(),
    }
}

fn called(id: Option<String>, tool: &str, input: Value) -> MessagePart {
    MessagePart::Call(CalledTool { id, tool: tool.to_owned(), input })
}

/// Returns the steps of a plan as a list of todos.
fn plan(item: &Value) -> Option<Value> {
    let given: Value = serde_json::from_str(text(item, "arguments")?).ok()?;
    let steps = given.get("plan")?.as_array()?.iter();
    let todo = |step: &Value| json!({"content": step.get("step"), "status": step.get("status")});
    Some(json!({"todos": steps.map(todo).collect::<Vec<_>>()}))
}

/// Returns the text of an output, and whether its header reports a failure.
fn output_text(output: &Value) -> (String, Option<bool>) {
    let printed = match output {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        output => text(output, "content").unwrap_or_default().to_owned(),
    };
    let older = serde_json::from_str::<Value>(&printed).ok();
    if let Some(code) = older.as_ref().and_then(|value| value.pointer("/metadata/exit_code")).and_then(Value::as_i64) {
        let printed = older.as_ref().and_then(|value| text(value, "output")).unwrap_or_default().to_owned();
        return (printed, Some(code != 0));
    }
    let head = printed.split("\nOutput:\n").next().unwrap_or_default();
    let code = ["Process exited with code ", "Exit code: "].iter().find_map(|label| {
        let (_, rest) = head.split_once(label)?;
        rest.split_whitespace().next()?.parse::<i32>().ok()
    });
    let failed = code.map(|code| code != 0);
    (printed.split_once("\nOutput:\n").map_or(printed.as_str(), |(_, rest)| rest).to_owned(), failed)
}
