//! The words that a model was told: the texts of a conversation that the model did not write itself.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::calibration::{Difference, NotedRun};
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

/// The evidence of a session. Paths are those of the user, and commands those of the settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerifiedSession {
    /// The version of the agent, as its files state it.
    pub version: String,
    /// The runs of the hooks, in the order in which they started.
    pub runs: Vec<NotedRun>,
    pub requests: Vec<ModelRequest>,
    /// Whether hookbench's own hook was in the settings.
    pub observed: bool,
    /// Whether the agent ran without a network on read-only files.
    pub isolated: bool,
    /// Differences from the user's event, and parts that are not compared, as sentences.
    pub notes: Vec<String>,
}

/// One run of a hook in the agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VerifiedRunDoc"))]
pub struct VerifiedRun {
    pub hook: String,
    pub stdin: Value,
    /// `code 2` or `signal 9`. Null if the agent ended the hook or did not wait for it.
    pub exit: Option<String>,
}

/// The comparison of a firing here and in the installed agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// The version of the agent.
    pub version: String,
    pub differences: Vec<Difference>,
    /// The texts that the model was told because of the event, in order.
    pub told_the_model: Vec<String>,
    /// In the order in which they started.
    pub runs: Vec<VerifiedRun>,
    /// Whether the announced action was blocked. `None` if the session does not show it.
    pub blocked: Option<bool>,
    /// The input that the tool was given. `None` if it did not run or the session does not show it.
    pub tool_input: Option<Value>,
    /// Differences from the user's event, and parts that are not compared, as sentences.
    pub notes: Vec<String>,
    pub isolated: bool,
}

impl Verification {
    /// Whether the agent did what hookbench predicts.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// The result in one word.
    pub fn word(&self) -> &'static str {
        if self.agrees() { "AGREES" } else { "DIFFERS" }
    }

    /// The result in one line.
    pub fn headline(&self, agent: &str) -> String {
        let version = &self.version;
        match self.differences.as_slice() {
            [] => format!("{agent} {version} does the same"),
            [one] => format!("{agent} {version}: {}: {} here, {} there", one.aspect, one.predicted, one.seen),
            [first, rest @ ..] => {
                let more = rest.len();
                format!(
                    "{agent} {version}: {}: {} here, {} there; {more} more",
                    first.aspect, first.predicted, first.seen
                )
            }
        }
    }
}
