//! A user's decision about a held request, and the reasons to reject it.

use std::fmt;

use crate::live::{Decision, DecisionKind};

/// A decision, with the user's edits of reason, text or input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    pub decision: Decision,
}

/// The reason why a request cannot be answered with a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionError {
    /// It is not held: it was already answered, its client has disconnected, or it never existed.
    NotHeld(u64),
    /// The agent does not support this decision on this event.
    NotExpressible { decision: DecisionKind, event: String },
    /// The client does not understand it.
    NotAccepted(DecisionKind),
    /// The new input is not a JSON object.
    NotAnObject,
    /// The new input lacks this key, so the agent would fail the call.
    InputLacks { tool: &'static str, key: &'static str },
    /// Raw answers are not allowed by the server's options.
    RawNotAllowed,
    /// The answer is longer than clients can read.
    TooLong { bytes: usize },
}

impl fmt::Display for DecisionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecisionError::NotHeld(_) => f.write_str("this request is no longer held"),
            DecisionError::NotExpressible { decision, event } => {
                write!(f, "the agent does not support {} on {event}", decision.word())
            }
            DecisionError::NotAccepted(decision) => {
                write!(f, "the waiting hook does not support {}", decision.word())
            }
            DecisionError::NotAnObject => f.write_str("the new input must be a JSON object"),
            DecisionError::InputLacks { tool, key } => {
                write!(
                    f,
                    "the new input of {tool} needs a string under \"{key}\": without it, the call fails in this agent"
                )
            }
            DecisionError::RawNotAllowed => {
                f.write_str("raw answers are off; start the server with --allow-raw to send them")
            }
            DecisionError::TooLong { bytes } => write!(f, "the answer has {bytes} bytes, but hooks read at most 1 MiB"),
        }
    }
}

impl std::error::Error for DecisionError {}
