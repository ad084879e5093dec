//! The words that a model was told: the texts of a conversation that the model did not write itself.

use std::collections::HashMap;

use serde_json::Value;

use crate::model_interface::ModelRequest;

/// Keys whose texts are not meant for the model to read.
const TECHNICAL_KEYS: [&str; 12] = [
    "id",
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "type",
    "role",
    "name",
    "cache_control",
    "status",
    "signature",
    "args",
    "arguments",
];
/// Kinds of elements that the model wrote.
const OWN_KINDS: [&str; 4] = ["function_call", "custom_tool_call", "reasoning", "tool_use"];

/// The texts of a request's messages, in order, without those of the model.
pub(super) fn told_texts(request: &ModelRequest) -> Vec<String> {
    let mut texts = Vec::new();
    // Where there are two elements, the first one is the instructions.
    let messages = request.conversation.get(1).or_else(|| request.conversation.get(0));
    collect(messages.unwrap_or(&Value::Null), &mut texts);
    texts
}

/// The texts of each request that its predecessor did not have.
pub(super) fn news(requests: &[ModelRequest]) -> Vec<Vec<String>> {
    // A text that is told twice is new twice, so the texts of the predecessor are counted.
    let mut before: HashMap<String, usize> = HashMap::new();
    let new_of = |request: &ModelRequest| {
        let texts = told_texts(request);
        let mut known = std::mem::take(&mut before);
        let mut new = Vec::new();
        for text in texts {
            *before.entry(text.clone()).or_default() += 1;
            match known.get_mut(&text) {
                Some(count) if *count > 0 => *count -= 1,
                _ => new.push(text),
            }
        }
        new
    };
    requests.iter().map(new_of).collect()
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.trim().is_empty() => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(map) => {
            let is = |key: &str, words: &[&str]| {
                map.get(key).and_then(Value::as_str).is_some_and(|text| words.contains(&text))
            };
            if is("role", &["assistant", "model"]) || is("type", &OWN_KINDS) {
                return;
            }
            for (key, value) in map {
                if !TECHNICAL_KEYS.contains(&key.as_str()) {
                    collect(value, texts);
                }
            }
        }
        _ => {}
    }
}

/// Whether a text was told: every line of it, whatever the agent puts around the lines.
pub(super) fn contains_text(told: &str, text: &str) -> bool {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).all(|line| told.contains(line))
}
