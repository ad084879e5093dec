//! The parameters of a firing.

use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::dialects::{Agent, Scene};
use hookbench_core::plan::Plan;
use hookbench_core::transcript::TranscriptCut;

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
