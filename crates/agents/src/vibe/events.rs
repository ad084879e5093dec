//! The events of 3.0.2, the names that matchers are compared with, and payloads.

use serde_json::{Value, json};

use crate::kernel::events::event_table;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::catalogue::catalogue;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{ExamplePayload, Subject};
use hookbench_base::names::AgentId;

event_table!("vibe");

pub const ID: AgentId = AgentId::new("vibe");

/// The name of a tool that matchers are compared with, and its other names: without its group, with `_` for the dots, and as
/// the model calls it.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(Value::as_str);
    value.map_or_else(Subject::default, named)
}

/// A tool by its name in payloads, or by one that matchers accept.
pub fn named(tool: &str) -> Subject {
    let known = catalogue().agent(ID.as_str()).and_then(|tools| tools.tools.iter().find(|one| one.id == tool));
    let mut aliases = vec![tool.rsplit('.').next().unwrap_or(tool).to_owned(), tool.replace('.', "_")];
    aliases.extend(known.into_iter().flat_map(|known| known.aliases).map(|alias| (*alias).to_owned()));
    aliases.retain(|alias| alias != tool);
    aliases.dedup();
    Subject { value: Some(tool.to_owned()), aliases }
}

/// The missing keys that the agent would have sent, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    fill_missing(event, body, examples, |key| EVENTS.requires(event, key), Some(&json!({})))
}

/// How likely Mistral Vibe sent this payload. No other agent has these names of events.
pub fn recognise(payload: &Value) -> Confidence {
    let event = payload.get("hook_event_name").and_then(Value::as_str).and_then(|name| EVENTS.by_name(name));
    if event.is_some() { Confidence::Named } else { Confidence::No }
}
