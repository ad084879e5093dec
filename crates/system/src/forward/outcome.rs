//! The result of forwarding one event, and its irregularities.

use hookbench_core::live::HookResponse;

/// An irregularity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardNote {
    pub problem: &'static str,
    pub detail: String,
}

impl ForwardNote {
    /// Creates a note from a keyword and a sentence.
    pub fn new(problem: &'static str, detail: impl Into<String>) -> ForwardNote {
        ForwardNote { problem, detail: detail.into() }
    }
}

/// The result: the response to the agent, and the irregularities to log.
#[derive(Debug, PartialEq, Eq)]
pub struct ForwardOutcome {
    pub response: HookResponse,
    pub notes: Vec<ForwardNote>,
    /// The event's wire name, if it is known.
    pub event: Option<String>,
}

impl ForwardOutcome {
    /// The agent continues as if there were no hook.
    pub fn pass(notes: Vec<ForwardNote>) -> ForwardOutcome {
        ForwardOutcome { response: HookResponse::observe(), notes, event: None }
    }
}
