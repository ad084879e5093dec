//! The events that entries are installed on.

use crate::dialects::{Agent, Version};
use crate::hook::EventSpec;
use crate::live::{native_event, wire_event};
use crate::text::nearest;

/// The reason why no entry is installed on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// Any answer on this event changes what the agent does.
    Unsafe,
    /// It fires very often. It is installed only if it is named.
    Frequent,
}

impl SkipReason {
    /// Explains the reason in a sentence.
    pub fn message(self) -> &'static str {
        match self {
            SkipReason::Unsafe => "never: any output of a hook on this event changes what the agent does",
            SkipReason::Frequent => "only if you name it with --events: it fires very often",
        }
    }
}

/// An event that cannot be installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventSelectionError {
    #[error("{agent} {version} has no event {name}{}", .near.as_ref().map_or(String::new(), |near| format!("; did you mean {near}?")))]
    Unknown { agent: &'static str, version: String, name: String, near: Option<String> },
    #[error("{0} is never installed: any output of a hook on this event changes what the agent does")]
    Unsafe(&'static str),
    #[error("--events is empty: name at least one event")]
    Empty,
}

/// Returns the events that are installed by default, and the others with the reason.
pub fn default_events(
    dialect: &Agent,
    version: &Version,
) -> (Vec<&'static EventSpec>, Vec<(&'static str, SkipReason)>) {
    let live = dialect.live_format();
    let (mut wanted, mut left) = (Vec::new(), Vec::new());
    for event in dialect.events(version) {
        if live.unsafe_events.contains(&event.name) {
            left.push((event.name, SkipReason::Unsafe));
        } else if live.frequent.contains(&event.name) {
            left.push((event.name, SkipReason::Frequent));
        } else {
            wanted.push(event);
        }
    }
    (wanted, left)
}

/// Returns the events with these names, in the agent's or the wire's spelling, without duplicates.
///
/// # Errors
/// Returns an error if an event does not exist, if it must not be installed, or if the list is empty.
pub fn named_events(
    dialect: &Agent,
    version: &Version,
    names: &[&str],
) -> Result<Vec<&'static EventSpec>, EventSelectionError> {
    let (all, live) = (dialect.events(version), dialect.live_format());
    let mut out: Vec<&'static EventSpec> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let native = native_event(live, &wire_event(Some(live), name));
        let found = all.iter().find(|event| event.name == name).or_else(|| all.iter().find(|e| e.name == native));
        let Some(event) = found else {
            let known: Vec<&str> = all.iter().map(|event| event.name).collect();
            let near = nearest(name, &known).map(str::to_owned);
            let (agent, version) = (dialect.name(), version.to_string());
            return Err(EventSelectionError::Unknown { agent, version, name: name.to_owned(), near });
        };
        if live.unsafe_events.contains(&event.name) {
            return Err(EventSelectionError::Unsafe(event.name));
        }
        if !out.iter().any(|known| known.name == event.name) {
            out.push(event);
        }
    }
    if out.is_empty() { Err(EventSelectionError::Empty) } else { Ok(out) }
}
