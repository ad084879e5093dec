//! The parts of the message that a line of a session file holds.

use serde_json::Value;

use crate::shared::reconstruction::{flag, text};
use hookbench_base::recorded::{CallOutput, CalledTool, MessagePart};

/// Returns the parts of a record. Texts that the program adds are left out; the reason with which a hook continues a
/// turn looks like a prompt of the user.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let Some(message) = record.get("message").filter(|_| text(record, "type") == Some("message")) else {
        return Vec::new();
    };
    if text(message, "visibility").is_some() {
        return Vec::new();
    }
    let from_user = text(message, "role") == Some("user");
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| part(block, from_user)).collect()
}

fn part(block: &Value, from_user: bool) -> Option<MessagePart> {
    let owned = |key: &str| text(block, key).map(str::to_owned);
    match text(block, "type")? {
        "text" => {
            let spoken = owned("text").filter(|text| !text.trim().is_empty())?;
            Some(if from_user { MessagePart::UserText(spoken) } else { MessagePart::ModelText(spoken) })
        }
        "tool_use" => {
            let input = block.get("input").cloned().unwrap_or_default();
            Some(MessagePart::Call(CalledTool { id: owned("id"), tool: owned("name")?, input }))
        }
        "tool_result" => Some(MessagePart::Result(CallOutput {
            call: owned("tool_use_id"),
            text: result_text(block),
            failed: Some(flag(block, "is_error")),
        })),
        _ => None,
    }
}

/// The text of a tool's result.
pub fn result_text(block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
