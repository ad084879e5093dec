//! What is known of the live path: who is reached, what has come, what is held.

use std::sync::Arc;

use super::{AnsweredFact, ArrivedFact, HeldFact};

/// Whether agents reach anybody, and whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reach {
    /// Nobody has asked for it.
    #[default]
    Off,
    /// Asked for, and not told yet.
    Starting,
    /// This process.
    Serving { socket: String, pid: u32 },
    /// Another one; this one looks on.
    Attached { socket: String, pid: u32 },
    /// Asked for, and not possible: why.
    Refused { says: String },
}

/// The payload of a held event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldPayload {
    Asked,
    Here(Arc<str>),
    /// Nobody has it any more.
    Gone,
}

/// An event that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldEvent {
    pub fact: HeldFact,
    pub payload: HeldPayload,
    /// An answer is on its way.
    pub deciding: bool,
}

/// What has become of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Became {
    Waiting,
    Held,
    Answered(AnsweredFact),
    Abandoned,
}

/// One of the events that have come lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveEvent {
    pub arrived: ArrivedFact,
    pub became: Became,
}

/// What has been counted since the server was reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveCounts {
    pub arrived: u64,
    pub held: u64,
    pub answered: u64,
    pub abandoned: u64,
    /// Would have been held, had there been room. Since the server began, as the next.
    pub passed_full: u64,
    /// How often something could not be kept, or not at once.
    pub store_errors: u64,
    /// Facts that have passed by unseen.
    pub missed: u64,
}

/// What a handler has to say to the user about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveAdvice {
    /// What it is about, where that is still known.
    pub about: Option<ArrivedFact>,
    pub says: String,
}
