//! An agent's interpretation of one run: its vote, and the effect of each key of the answer.

use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::hook::EventSpec;
use crate::trace::TraceStep;

crate::words! {
    /// The decision of one hook, as the agent understands it.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Vote {
        Deny = "deny",
        Ask = "ask",
        Allow = "allow",
        Block = "block",
        Defer = "defer",
        /// No objection.
        #[default]
        None = "no objection",
    }
    /// The words on the screen.
    fn words;
}

impl Vote {
    /// The words on the screen for an event. If the event cannot be blocked, a block only gives feedback.
    pub fn words_on(self, event: Option<&EventSpec>) -> &'static str {
        match event {
            Some(event) if self == Vote::Block && event.blockable_action.is_none() => "feedback",
            _ => self.words(),
        }
    }
}

/// How the agent treats a key of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    Used,
    /// Valid, but without effect on this event in this version.
    Ignored,
    /// The agent does not accept the type or value.
    Invalid,
}

/// The recipient of text that is not a JSON answer, from a hook that ends with status 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRecipient {
    Model,
    User,
    Discarded,
}

/// One key of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldUse {
    /// JSON pointer into the answer.
    pub pointer: String,
    pub key_use: KeyUse,
    /// The reason, in a few words.
    pub message: String,
}

/// The form in which the agent accepts the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerForm {
    /// There was no output.
    #[default]
    Nothing,
    Text,
    Json,
    /// The output looks like an answer but was rejected.
    Rejected,
    /// The output was discarded without parsing (timeout, cancelled, detached).
    Lost,
}

/// An agent's interpretation of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOutput {
    pub form: AnswerForm,
    /// The answer as an object, after the agent's normalisation.
    pub value: Option<Value>,
    /// The answer as text, if the agent accepts it as text.
    pub text: Option<String>,
    /// The reason if the run gave no usable answer.
    pub failure: Option<String>,
    pub vote: Vote,
    pub fields: Vec<FieldUse>,
    pub notes: Vec<Diagnostic>,
    pub trace: Vec<TraceStep>,
}

impl HookOutput {
    /// Whether the agent ends its turn because of this answer's `"continue": false`.
    pub fn stops_agent(&self) -> bool {
        let used = |field: &FieldUse| field.pointer == "/continue" && field.key_use == KeyUse::Used;
        let value = self.value.as_ref().and_then(|value| value.get("continue"));
        value == Some(&Value::Bool(false)) && self.fields.iter().any(used)
    }

    /// The vote in words, and whether the answer stops the agent.
    pub fn words_on(&self, event: Option<&EventSpec>) -> String {
        match (self.vote, self.stops_agent()) {
            (Vote::None, true) => "stops the agent".to_owned(),
            // A hook that failed has said nothing.
            (Vote::None, false) if self.failure.is_some() => "no answer".to_owned(),
            (vote, true) => format!("{}, and stops the agent", vote.words_on(event)),
            (vote, false) => vote.words_on(event).to_owned(),
        }
    }

    /// Pointers of the keys with the given use.
    pub fn pointers(&self, use_: KeyUse) -> Vec<String> {
        self.fields.iter().filter(|f| f.key_use == use_).map(|f| f.pointer.clone()).collect()
    }
}
