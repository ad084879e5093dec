//! The parts of the message that a line of a session file holds.

use serde_json::{Value, json};

use crate::shared::conversation::{function_response, message_text};
use crate::shared::reconstruction::text;
use hookbench_base::recorded::{CallOutput, CalledTool, MessagePart};

/// Returns the parts of a record. Notifications and texts that hooks added are left out.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let Some(parts) = record.pointer("/message/parts") else { return Vec::new() };
    match text(record, "type") {
        Some("user") => {
            let own = matches!(text(record, "provenance"), None | Some("real_user"));
            let shown = record.pointer("/systemPayload/displayText").and_then(Value::as_str);
            let spoken = shown.map_or_else(|| message_text(parts), str::to_owned);
            let own = own && record.get("subtype").is_none() && !spoken.trim().is_empty();
            if own { vec![MessagePart::UserText(spoken)] } else { Vec::new() }
        }
        Some("assistant") => {
            let spoken = Some(message_text(parts)).filter(|text| !text.trim().is_empty());
            let calls = parts.as_array().into_iter().flatten().filter_map(|part| part.get("functionCall"));
            let calls = calls.filter_map(|call| {
                let input = call.get("args").cloned().unwrap_or_else(|| json!({}));
                let id = text(call, "id").map(str::to_owned);
                Some(MessagePart::Call(CalledTool { id, tool: text(call, "name")?.to_owned(), input }))
            });
            spoken.map(MessagePart::ModelText).into_iter().chain(calls).collect()
        }
        Some("tool_result") => {
            let (output, error) = function_response(parts);
            let done = record.get("toolCallResult").unwrap_or(&Value::Null);
            let answered = parts.pointer("/0/functionResponse/id").and_then(Value::as_str);
            let failed = Some(error.is_some() || !matches!(text(done, "status"), None | Some("success")));
            let output = output.as_ref().map(message_text);
            vec![MessagePart::Result(CallOutput {
                call: text(done, "callId").or(answered).map(str::to_owned),
                text: error.or(output).unwrap_or_default(),
                failed,
            })]
        }
        _ => Vec::new(),
    }
}
