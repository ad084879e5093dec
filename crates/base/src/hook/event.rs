//! Events that an agent fires, and the object that hooks receive.

use serde::Serialize;
use serde_json::Value;

/// The name of an event in its agent's spelling.
pub type EventName = String;

/// A row of an agent's event table: the known facts about one event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventSpec {
    pub name: &'static str,
    /// When the event fires, in one sentence.
    pub about: &'static str,
    /// The payload key that matchers are matched against. `None` if matchers are ignored.
    pub subject: Option<&'static str>,
    /// Known values of the subject.
    pub subjects: &'static [&'static str],
    /// Payload keys of this event, in addition to the common ones.
    pub fields: &'static [PayloadField],
    /// JSON pointers to the output keys that the agent honours on this event.
    #[serde(rename = "honours")]
    pub honoured_output: &'static [&'static str],
    /// The action that a hook can block. `None` if hooks cannot block.
    #[serde(rename = "blocks")]
    pub blockable_action: Option<&'static str>,
    /// The meaning of exit status 2 on this event, in one sentence.
    pub exit_2: &'static str,
    /// Whether a text with exit status 2 reaches the model or changes a result, even if nothing is blocked.
    #[serde(skip)]
    pub exit_2_delivers: bool,
}

/// One key of an event's payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PayloadField {
    pub name: &'static str,
    /// `string`, `object`, `boolean`, `number`, `list` or `any`.
    pub kind: &'static str,
    pub optional: bool,
    /// The possible values, if they are a closed list.
    pub values: &'static [&'static str],
}

/// An example payload for an event. `label` names it in lists ("Bash: rm -rf build").
#[derive(Debug, Clone, PartialEq)]
pub struct ExamplePayload {
    pub label: String,
    pub body: Value,
}

/// The value that matchers are matched against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The value. `None` if the event has no subject.
    pub value: Option<String>,
    /// Other names that an exact matcher may use for the value.
    pub aliases: Vec<String>,
}

/// One event, as hooks receive it.
#[derive(Debug, Clone, PartialEq)]
pub struct HookInput {
    pub event: EventName,
    pub subject: Subject,
    /// The whole object that hooks read on stdin.
    pub body: Value,
}
