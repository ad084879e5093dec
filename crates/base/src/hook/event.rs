//! Events: what an agent announces, and the object that it gives to hooks.

use serde::Serialize;
use serde_json::Value;

/// An event's name in its agent's own spelling.
pub type EventName = String;

/// What is known of one event of one agent. A row of the agent's event table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventSpec {
    pub name: &'static str,
    /// When it fires, in one sentence.
    pub about: &'static str,
    /// The payload key that matchers look at; none: matchers are ignored.
    pub subject: Option<&'static str>,
    /// Subjects that are known to occur.
    pub subjects: &'static [&'static str],
    /// The event's own payload keys, after the common ones.
    pub fields: &'static [Field],
    /// Output keys that the agent honours on this event, as JSON pointers.
    pub honours: &'static [&'static str],
    /// What does not happen when a hook blocks; none: nothing can be blocked.
    pub blocks: Option<&'static str>,
    /// What exit status 2 means here, in one sentence.
    pub exit_2: &'static str,
}

/// One key of an event's payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    pub name: &'static str,
    /// `string`, `object`, `boolean`, `number`, `list` or `any`.
    pub kind: &'static str,
    pub optional: bool,
    /// The values that occur, where they are a closed list.
    pub values: &'static [&'static str],
}

/// A ready payload for an event: `label` names it in lists ("Bash: rm -rf build").
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub label: String,
    pub body: Value,
}

/// What matchers are held against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The value itself; none: the event has no subject.
    pub value: Option<String>,
    /// Other names that an exact matcher may use for it.
    pub aliases: Vec<String>,
}

/// One event on its way to hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct HookInput {
    pub event: EventName,
    pub subject: Subject,
    /// The whole object that hooks read on stdin.
    pub body: Value,
}
