//! What the desk asks to be done.

use std::fmt;

use super::Cooldown;
use crate::live::handlers::{Failure, FailureClass, Handoff, Work};
use crate::live::{Answer, DecisionKind};

/// One thing to be done, in the order in which they are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Tell the client that its answer will take its time (`102`).
    Processing { seq: u64 },
    /// The request is held for the user from now on; [`super::Desk::held`] has it.
    Held { seq: u64 },
    /// The one and final answer.
    Answer { seq: u64, answer: Answer, record: Record },
    /// The client has gone; there is nobody to be answered.
    Abandoned { seq: u64, held_ms: u64 },
    /// Do this, and say [`super::Desk::handled`]. Where it follows an [`Step::Answer`], that is to be written first.
    Handle { seq: u64, work: Work },
    /// Keep this for later: [`super::Desk::remember`].
    Keep(Kept),
    /// An agent's request to its model has failed: to be shown.
    Failed { seq: u64, failure: Failure },
}

/// What is known of an answer beside the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// How long the client waited for somebody: the user, a handler.
    pub held_ms: Option<u64>,
    /// What would have been answered, and why it was not.
    pub suppressed: Option<Suppressed>,
    /// The work after a stop was not done, because it was done a short while ago.
    pub cooldown: bool,
    /// The client's time was not believed.
    pub clock_skew: bool,
    /// It would have been held, had the desk not been full.
    pub passed_full: bool,
    /// What the failure was that it tells of.
    pub failure: Option<FailureClass>,
}

/// A decision that was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// None: it would have been held.
    pub decision: Option<DecisionKind>,
    pub why: WhySuppressed,
}

/// Why it was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhySuppressed {
    NotAccepted,
    NotExpressible,
    /// The event is one that is answered at once, with nothing.
    AnsweredAtOnce,
    /// The event is one that is never held for the user, or its client leaves no time for it.
    NeverHeld,
    RawNotAllowed,
    /// Longer than what clients read.
    TooLong,
}

impl fmt::Display for Suppressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            WhySuppressed::NotAccepted => "not accepted",
            WhySuppressed::NotExpressible => "not expressible",
            WhySuppressed::AnsweredAtOnce => "answered at once",
            WhySuppressed::NeverHeld => "never held",
            WhySuppressed::RawNotAllowed => "raw not allowed",
            WhySuppressed::TooLong => "too long",
        };
        write!(f, "{}: {why}", self.decision.map_or("hold", DecisionKind::word))
    }
}

/// What outlives the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Cooldown(Cooldown),
    /// Made; delivered later, or never.
    Handoff(Handoff),
    /// Given to its session.
    Delivered {
        provider: String,
        provider_ref: String,
        created_ms: i64,
        at_ms: i64,
    },
}

impl Kept {
    pub(super) fn delivered(handoff: &Handoff, at_ms: i64) -> Kept {
        let Handoff { provider, provider_ref, created_ms, .. } = handoff;
        Kept::Delivered {
            provider: provider.clone(),
            provider_ref: provider_ref.clone(),
            created_ms: *created_ms,
            at_ms,
        }
    }
}
