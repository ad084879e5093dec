//! The steps that the interceptor requests.

use std::fmt;

use super::Cooldown;
use crate::live::handlers::{FailureClass, HandlerWork, Handoff, ModelFailure};
use crate::live::{Decision, DecisionKind, LiveAnswer};

/// A step to execute, in the given order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterceptStep {
    /// Tell the client that its answer takes longer (`102`).
    Processing { seq: u64 },
    /// The request is now held for the user. [`super::Interceptor::held`] returns it.
    Held { seq: u64 },
    /// Send the only and final answer.
    Answer { seq: u64, answer: LiveAnswer, record: AnswerRecord },
    /// The client has disconnected before it was answered.
    Abandoned { seq: u64, held_ms: u64 },
    /// Do this work and report it to [`super::Interceptor::work_done`]. If it follows a [`InterceptStep::Answer`], send the answer
    /// first.
    Handle { seq: u64, work: HandlerWork },
    /// Store this for [`super::Interceptor::remember`].
    Store(PersistedState),
    /// Show that an agent's request to its model has failed.
    ModelFailed { seq: u64, failure: ModelFailure },
}

/// Details about an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerRecord {
    /// The time that the client waited for the user or a handler.
    pub held_ms: Option<u64>,
    /// The decision that was not sent, and why.
    pub suppressed: Option<SuppressedDecision>,
    /// The work after a stop was skipped, because it was done recently.
    pub cooldown: bool,
    /// The client's time was implausible.
    pub clock_skew: bool,
    /// The event was not held because the interceptor was full.
    pub passed_full: bool,
    /// The class of the failure that the event reports.
    pub failure: Option<FailureClass>,
}

/// A decision that was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressedDecision {
    /// `None` if the event would have been held.
    pub decision: Option<DecisionKind>,
    pub reason: SuppressionReason,
}

/// The reason why it was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionReason {
    NotAccepted,
    NotExpressible,
    /// The event is always answered immediately with `observe`.
    AnsweredAtOnce,
    /// The event is never held for the user, or its client leaves no time for it.
    NeverHeld,
    RawNotAllowed,
    /// The answer is longer than clients can read.
    TooLong,
}

impl fmt::Display for SuppressedDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.reason {
            SuppressionReason::NotAccepted => "not accepted",
            SuppressionReason::NotExpressible => "not expressible",
            SuppressionReason::AnsweredAtOnce => "answered at once",
            SuppressionReason::NeverHeld => "never held",
            SuppressionReason::RawNotAllowed => "raw not allowed",
            SuppressionReason::TooLong => "too long",
        };
        write!(f, "{}: {why}", self.decision.map_or("hold", DecisionKind::word))
    }
}

/// Data that is stored across restarts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersistedState {
    Cooldown(Cooldown),
    /// Made, and delivered later or never.
    Handoff(Handoff),
    /// Delivered to its session.
    Delivered {
        provider: String,
        provider_ref: String,
        created_ms: i64,
        at_ms: i64,
    },
}

impl PersistedState {
    pub(super) fn delivered(handoff: &Handoff, at_ms: i64) -> PersistedState {
        let Handoff { provider, provider_ref, created_ms, .. } = handoff;
        PersistedState::Delivered {
            provider: provider.clone(),
            provider_ref: provider_ref.clone(),
            created_ms: *created_ms,
            at_ms,
        }
    }
}

/// A decision, with the user's edits of reason, text or input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    pub decision: Decision,
}

/// The reason why a request cannot be answered with a decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    /// It is not held: it was already answered, its client has disconnected, or it never existed.
    #[error("this request is no longer held")]
    NotHeld(u64),
    /// The agent does not support this decision on this event.
    #[error("the agent does not support {} on {event}", .decision.word())]
    NotExpressible { decision: DecisionKind, event: String },
    /// The client does not understand it.
    #[error("the waiting hook does not support {}", .0.word())]
    NotAccepted(DecisionKind),
    /// The new input is not a JSON object.
    #[error("the new input must be a JSON object")]
    NotAnObject,
    /// The new input lacks this key, so the agent would fail the call.
    #[error("the new input of {tool} needs a string under \"{key}\": without it, the call fails in this agent")]
    InputLacks { tool: &'static str, key: &'static str },
    /// Raw answers are not allowed by the server's options.
    #[error("raw answers are off; start the server with --allow-raw to send them")]
    RawNotAllowed,
    /// The answer is longer than clients can read.
    #[error("the answer has {bytes} bytes, but hooks read at most 1 MiB")]
    TooLong { bytes: usize },
}
