//! The parts of the message that a record of a session file holds.

use serde_json::Value;

use super::reader::{NON_PROMPT_PREFIXES, result_text};
use crate::shared::reconstruction::{flag, text};
use hookbench_base::recorded::{CallOutput, CalledTool, MessagePart};

/// The beginning of the message by which a stop hook continues a turn.
const STOP_FEEDBACK: &str = "Stop hook feedback:";

/// Returns the parts of a record. Injected texts, such as reminders and the messages of hooks, are left out.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let Some(content) = record.pointer("/message/content") else { return Vec::new() };
    let from_user = match text(record, "type") {
        Some("user") => true,
        Some("assistant") => false,
        _ => return Vec::new(),
    };
    let injected = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];
    let injected = injected.iter().any(|key| flag(record, key));
    let spoken = |text: &str| {
        let text = without_reminders(text);
        let prompt = |text: &str| {
            !text.starts_with(STOP_FEEDBACK) && !NON_PROMPT_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
        };
        if text.is_empty() || injected {
            None
        } else if from_user {
            prompt(&text).then_some(MessagePart::UserText(text))
        } else {
            Some(MessagePart::ModelText(text))
        }
    };
    match content {
        Value::String(text) => spoken(text).into_iter().collect(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| part(block, &spoken)).collect(),
        _ => Vec::new(),
    }
}

fn part(block: &Value, spoken: &dyn Fn(&str) -> Option<MessagePart>) -> Option<MessagePart> {
    let owned = |key: &str| text(block, key).map(str::to_owned);
    match text(block, "type")? {
        "text" => spoken(text(block, "text")?),
        "tool_use" => {
            let input = block.get("input").cloned().unwrap_or(Value::Null);
            Some(MessagePart::Call(CalledTool { id: owned("id"), tool: owned("name")?, input }))
        }
        "tool_result" => {
            let text = without_reminders(&result_text(block.get("content").unwrap_or(&Value::Null)));
            Some(MessagePart::Result(CallOutput {
                call: owned("tool_use_id"),
                text,
                failed: Some(flag(block, "is_error")),
            }))
        }
        _ => None,
    }
}

/// Removes the reminders that the agent adds to texts.
fn without_reminders(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<system-reminder>") {
        kept.push_str(before);
        rest = after.split_once("</system-reminder>").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}
