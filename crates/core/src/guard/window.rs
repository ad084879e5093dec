//! The newest messages of a session, read from the end of its transcript.

use std::collections::BTreeSet;

use serde_json::Value;

use super::rule::{ToolKind, TranscriptEnd};
use crate::catalogue::AgentTools;
use crate::recorded::{CallOutput, CalledTool, MessagePart};
use crate::transcript::formats;

/// The maximum number of messages that are read.
const MAX_MESSAGES: usize = 400;

/// The newest messages, the oldest first.
#[derive(Debug, Default)]
pub struct Window {
    pub messages: Vec<Vec<MessagePart>>,
}

/// A tool call with its output.
pub struct WindowCall<'a> {
    pub kind: ToolKind,
    pub call: &'a CalledTool,
    pub output: Option<&'a CallOutput>,
}

impl WindowCall<'_> {
    /// Whether the input mentions a text.
    pub fn mentions(&self, text: &str) -> bool {
        mentions(&self.call.input, text)
    }
}

fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(items) => items.iter().any(|item| mentions(item, text)),
        Value::Object(members) => members.values().any(|item| mentions(item, text)),
        _ => false,
    }
}

impl Window {
    /// Reads messages from the end until `enough` is true for the messages so far, the newest first.
    pub fn read(end: &TranscriptEnd, enough: impl Fn(&[Vec<MessagePart>]) -> bool) -> Window {
        let mut messages = Vec::new();
        let mut seen = BTreeSet::new();
        for (index, record) in records(end).enumerate() {
            // A message that grows is written again with the same id. The newest copy is complete.
            if let Some(id) = record.get("id").and_then(Value::as_str)
                && !seen.insert(id.to_owned())
            {
                continue;
            }
            let parts = message(&record);
            if parts.is_empty() {
                continue;
            }
            messages.push(parts);
            if messages.len() >= MAX_MESSAGES || index > MAX_MESSAGES * 8 || enough(&messages) {
                break;
            }
        }
        messages.reverse();
        Window { messages }
    }

    /// Returns the calls with their outputs, the oldest first.
    pub fn calls<'a>(&'a self, tools: &'a AgentTools) -> Vec<WindowCall<'a>> {
        let outputs =
            || self.parts().filter_map(|part| if let MessagePart::Result(output) = part { Some(output) } else { None });
        let mut calls = Vec::new();
        for (message, part) in self.messages.iter().enumerate().flat_map(|(n, parts)| parts.iter().map(move |p| (n, p)))
        {
            let MessagePart::Call(call) = part else { continue };
            let output = match &call.id {
                Some(id) => outputs().find(|output| output.call.as_ref() == Some(id)),
                // Without ids, the result follows in this message or the next.
                None => self.messages.iter().skip(message).take(2).flatten().find_map(|part| match part {
                    MessagePart::Result(output) if output.call.is_none() => Some(output),
                    _ => None,
                }),
            };
            calls.push(WindowCall { kind: ToolKind::of(&call.tool, tools), call, output });
        }
        calls
    }

    fn parts(&self) -> impl Iterator<Item = &MessagePart> {
        self.messages.iter().flatten()
    }

    /// Returns the text of the newest message, if that is one of the model and calls no tool. A transcript that is written
    /// late ends earlier, and an older text is not the end of the turn.
    pub fn final_model_text(&self) -> Option<&str> {
        let parts = self.messages.last()?;
        let texts = parts.iter().map(|part| match part {
            MessagePart::ModelText(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Option<Vec<&str>>>()?.last().copied()
    }

    /// Returns the newest text of the model.
    pub fn last_model_text(&self) -> Option<&str> {
        self.messages.iter().rev().flat_map(|parts| parts.iter().rev()).find_map(|part| match part {
            MessagePart::ModelText(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the prompts of the newest messages.
    pub fn prompts(&self, messages: usize) -> impl Iterator<Item = &str> {
        let skipped = self.messages.len().saturating_sub(messages);
        self.messages.iter().skip(skipped).flatten().filter_map(|part| match part {
            MessagePart::UserText(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Drops all messages before the newest one for which `is` is true. Returns whether there is one.
    pub fn start_after(&mut self, is: impl Fn(&MessagePart) -> bool) -> bool {
        let found = self.messages.iter().rposition(|parts| parts.iter().any(&is));
        if let Some(at) = found {
            self.messages.drain(..=at);
        }
        found.is_some()
    }
}

fn message(record: &Value) -> Vec<MessagePart> {
    formats().map(|format| format.message(record)).find(|parts| !parts.is_empty()).unwrap_or_default()
}

/// Returns the records of a transcript, the newest first.
fn records(end: &TranscriptEnd) -> Box<dyn Iterator<Item = Value> + '_> {
    // A file that is one object, over many lines.
    if end.whole && end.bytes.starts_with(b"{\n") {
        let file: Option<Value> = serde_json::from_slice(&end.bytes).ok();
        let messages = file.and_then(|mut file| file.get_mut("messages").map(Value::take));
        let messages = match messages {
            Some(Value::Array(messages)) => messages,
            _ => Vec::new(),
        };
        return Box::new(messages.into_iter().rev());
    }
    let mut bytes = end.bytes.as_slice();
    if !end.whole {
        // The first line is not complete.
        let start = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        bytes = bytes.get(start..).unwrap_or_default();
    }
    let one = end.whole && !bytes.contains(&b'\n');
    let records = bytes.rsplit(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    if one {
        let whole = records.flat_map(|mut record| match record.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => messages.into_iter().rev().collect(),
            _ => vec![record],
        });
        return Box::new(whole);
    }
    Box::new(records)
}
