//! The keys with which a script reads the payload that an agent sends: some agents send other keys than hookbench holds.

use serde_json::Value;

use crate::config::Place;
use crate::dialects::find_event;
use crate::port::{AgentVersion, sent_path};

/// The keys that the scripts of recipes read.
const READ: [&str; 3] = ["hook_event_name", "tool_input", "prompt"];

/// The keys that lead to the value of a held key in an event's payload. `None` if the agent does not send it.
pub(super) fn payload_path(agent: &AgentVersion, event: &str, key: &str) -> Option<Vec<String>> {
    sent_path(agent.dialect, event, &example_with(agent, event, key)?, key)
}

/// Whether the agent sends a key that scripts read in another place, or not at all.
pub(super) fn sends_otherwise(agent: &AgentVersion, event: &str) -> bool {
    READ.iter().filter_map(|key| Some((key, example_with(agent, event, key)?))).any(|(key, held)| {
        let path = sent_path(agent.dialect, event, &held, key);
        path.is_none_or(|path| path != [*key])
    })
}

/// An example of the event, as held, that has the key.
fn example_with(agent: &AgentVersion, event: &str, key: &str) -> Option<Value> {
    let AgentVersion { dialect, version } = agent;
    let examples = dialect.examples(find_event(dialect, version, event)?, &Place::default(), version);
    examples.into_iter().map(|example| example.body).find(|body| body.get(key).is_some())
}
