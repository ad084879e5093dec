//! Where a script finds a key in the payload that an agent sends: some agents send other keys than hookbench holds.

use serde_json::Value;

use crate::adapt::LoneHook;
use crate::config::Place;
use crate::port::AgentVersion;

/// The keys that the scripts of recipes read.
const READ: [&str; 3] = ["hook_event_name", "tool_input", "prompt"];

/// The pointer to the value of a held key in the payload of an event that the agent sends. `None` if it is not there.
pub(super) fn sent_pointer(agent: &AgentVersion, event: &str, key: &str) -> Option<String> {
    let hook = LoneHook::on(agent, event, &Place::default())?;
    let held = hook.example_inputs(event).into_iter().map(|input| input.body).find(|body| body.get(key).is_some())?;
    let sent = agent.dialect.sent_payload(event, &held);
    let value = held.get(key)?;
    if sent.get(key) == Some(value) { Some(format!("/{key}")) } else { pointer_to(&sent, value) }
}

/// Whether the agent sends a key that scripts read in another place, or not at all.
pub(super) fn sends_otherwise(agent: &AgentVersion, event: &str) -> bool {
    let Some(hook) = LoneHook::on(agent, event, &Place::default()) else { return false };
    let Some(held) = hook.example_inputs(event).into_iter().next().map(|input| input.body) else { return false };
    let sent = agent.dialect.sent_payload(event, &held);
    READ.iter().any(|key| held.get(key).is_some_and(|value| sent.get(key) != Some(value)))
}

fn pointer_to(inside: &Value, wanted: &Value) -> Option<String> {
    inside.as_object()?.iter().find_map(|(key, value)| {
        let below = if value == wanted { Some(String::new()) } else { pointer_to(value, wanted) };
        Some(format!("/{key}{}", below?))
    })
}
