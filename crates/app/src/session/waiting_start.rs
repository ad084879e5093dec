//! Starts that wait for the user's consent to their commands.

use crate::stress::{LintTrial, StressRequest};

/// A start that waits for the user's consent to its commands.
#[derive(Debug, Default)]
pub(super) enum WaitingStart {
    /// The event on the bench.
    #[default]
    Bench,
    /// The event on the bench, in every agent.
    AllAgents,
    Stress(Box<StressRequest>),
    Trial(Box<LintTrial>),
    /// A verification. `insists` is true if a tool that can do harm may run without isolation.
    Verification {
        insists: bool,
    },
}
