//! The state of the live path: the connection, recent events and pending events.

use std::sync::Arc;

use super::{AnsweredFact, ArrivedFact, PendingEventFact};

/// The connection of agents to a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LiveConnection {
    /// Not requested.
    #[default]
    Off,
    /// Requested; no answer yet.
    Starting,
    /// This process serves.
    Serving { socket: String, pid: u32 },
    /// Another process serves, and this one is attached to it.
    Attached { socket: String, pid: u32 },
    /// Requested and failed, with the reason.
    Refused { message: String },
}

/// The payload of a pending event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingPayload {
    Requested,
    Available(Arc<str>),
    /// No longer available.
    Gone,
}

/// An event that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingEventView {
    pub fact: PendingEventFact,
    pub payload: PendingPayload,
    /// Whether a decision was sent and is not confirmed yet.
    pub deciding: bool,
}

/// The state of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveEventState {
    Waiting,
    Held,
    Answered(AnsweredFact),
    Abandoned,
}

/// A recent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveEvent {
    pub arrived: ArrivedFact,
    pub state: LiveEventState,
}

/// Counters since this process began to serve or was attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveCounts {
    pub arrived: u64,
    pub held: u64,
    pub answered: u64,
    pub abandoned: u64,
    /// Events that a breakpoint matched but that could not be held for lack of room. This counter and the next
    /// start with the server.
    pub passed_full: u64,
    /// The number of store errors, including delayed writes.
    pub store_errors: u64,
    /// The number of facts that this process missed.
    pub missed: u64,
}

/// A handler's message to the user about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveAdvice {
    /// The event that the message is about, if it is still known.
    pub about: Option<ArrivedFact>,
    pub message: String,
}
