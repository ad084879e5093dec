//! What a user decides about a held request, and why it may not be so.

use std::fmt;

use crate::live::{Decision, DecisionKind};

/// A decision, with what the user has edited: the reason, the text, the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub decision: Decision,
}

/// Why a request cannot be answered so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyNot {
    /// It is not held: it was answered, or its client is gone, or it never was.
    NotHeld(u64),
    /// The agent cannot be told this on this event.
    NotExpressible { decision: DecisionKind, event: String },
    /// The client would not understand it.
    NotAccepted(DecisionKind),
    /// The new input is no JSON object.
    NotAnObject,
    /// The tool is given nothing under this key, and the agent would fail the call.
    InputLacks { tool: &'static str, key: &'static str },
    /// Raw answers were not allowed when the server was started.
    RawNotAllowed,
    /// The answer would be longer than what clients read.
    TooLong { bytes: usize },
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyNot::NotHeld(_) => f.write_str("this request is not held any more"),
            WhyNot::NotExpressible { decision, event } => {
                write!(f, "the agent cannot be told to {} on {event}", decision.word())
            }
            WhyNot::NotAccepted(decision) => {
                write!(f, "the hook that waits does not understand {}", decision.word())
            }
            WhyNot::NotAnObject => f.write_str("the new input has to be a JSON object"),
            WhyNot::InputLacks { tool, key } => {
                write!(f, "the new input of {tool} needs a text under \"{key}\": without one this agent fails the call")
            }
            WhyNot::RawNotAllowed => f.write_str("raw answers are off; start the server with --allow-raw to send them"),
            WhyNot::TooLong { bytes } => write!(f, "the answer has {bytes} bytes, and hooks read at most 1 MiB"),
        }
    }
}

impl std::error::Error for WhyNot {}
