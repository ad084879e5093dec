//! The events of 0.19.0, the value that matchers are compared with, and payloads.

use serde_json::Value;

use crate::kernel::events::event_table;
use hookbench_base::dialects::Confidence;
use hookbench_base::names::AgentId;

event_table!("hermes");

pub const ID: AgentId = AgentId::new("hermes");

/// How likely Hermes Agent sent this payload. No other agent has these names of events.
pub fn recognise(payload: &Value) -> Confidence {
    let event = payload.get("hook_event_name").and_then(Value::as_str).and_then(|name| EVENTS.by_name(name));
    if event.is_some() && payload.get("extra").is_none_or(Value::is_object) {
        Confidence::Named
    } else {
        Confidence::No
    }
}
