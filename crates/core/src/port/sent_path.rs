//! The place of a key that hookbench holds in the payload that an agent sends.

use serde_json::Value;

use crate::dialects::Agent;

/// The keys that lead to the value of a held key. `None` if the agent does not send the value.
pub fn sent_path(agent: &Agent, event: &str, held: &Value, key: &str) -> Option<Vec<String>> {
    let (sent, value) = (agent.sent_payload(event, held), held.get(key)?);
    if sent.get(key) == Some(value) { Some(vec![key.to_owned()]) } else { path_to(&sent, value) }
}

fn path_to(inside: &Value, wanted: &Value) -> Option<Vec<String>> {
    inside.as_object()?.iter().find_map(|(key, value)| {
        let below = if value == wanted { Vec::new() } else { path_to(value, wanted)? };
        Some(std::iter::once(key.clone()).chain(below).collect())
    })
}
