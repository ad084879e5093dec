//! The parameters of a firing, and the starts that wait for consent.

use crate::stress::{LintTrial, StressRequest};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::dialects::{Agent, Scene};
use hookbench_core::plan::Plan;
use hookbench_core::transcript::TranscriptCut;

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

/// The parameters of a firing.
pub(super) struct FiringStart {
    pub dialect: &'static Agent,
    pub scene: Scene,
    pub plan: Plan,
    pub filled: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a saved file caused the firing, and not the user.
    pub auto: bool,
    /// The transcript of a recorded event, and where to cut it for the hooks.
    pub transcript: Option<TranscriptCut>,
}
