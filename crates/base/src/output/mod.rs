//! What an agent makes of one run: its vote, and for every key of the answer whether it counts.

use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::hook::EventSpec;
use crate::trace::TraceStep;

/// What one hook says to the event, as the agent understands it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    Deny,
    Ask,
    Allow,
    Block,
    Defer,
    /// No opinion.
    #[default]
    None,
}

impl Vote {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Vote::Deny => "deny",
            Vote::Ask => "ask",
            Vote::Allow => "allow",
            Vote::Block => "block",
            Vote::Defer => "defer",
            Vote::None => "no opinion",
        }
    }

    /// For people, on an event: where nothing can be blocked any more, a block is heard as feedback.
    pub fn words_on(self, event: Option<&EventSpec>) -> &'static str {
        match event {
            Some(event) if self == Vote::Block && event.blocks.is_none() => "feedback",
            _ => self.words(),
        }
    }
}

/// Whether the agent uses a key of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Used,
    /// Valid, and without effect on this event in this version.
    Ignored,
    /// Of a type or value that the agent does not take.
    Invalid,
}

/// Who gets a text that is no JSON answer, of a hook that ends with status 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Model,
    User,
    Nobody,
}

/// One key of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldUse {
    /// JSON pointer into the answer.
    pub pointer: String,
    pub use_: Use,
    /// Why, in a few words.
    pub says: String,
}

/// In which form the agent takes the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// Nothing was said.
    #[default]
    Nothing,
    Text,
    Json,
    /// Looked like an answer and was refused.
    Rejected,
    /// Thrown away without being looked at (timeout, cancelled, detached).
    Lost,
}

/// What an agent makes of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOutput {
    pub form: Form,
    /// The answer as an object, after the agent's own normalisation.
    pub value: Option<Value>,
    /// The answer as text, where it is taken as text.
    pub text: Option<String>,
    /// Set when the run gave no usable answer: why.
    pub failure: Option<String>,
    pub vote: Vote,
    pub fields: Vec<FieldUse>,
    pub notes: Vec<Diagnostic>,
    pub trace: Vec<TraceStep>,
}

impl HookOutput {
    /// Pointers of the keys that stand in this relation.
    pub fn pointers(&self, use_: Use) -> Vec<String> {
        self.fields.iter().filter(|f| f.use_ == use_).map(|f| f.pointer.clone()).collect()
    }
}
