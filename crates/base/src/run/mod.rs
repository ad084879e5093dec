//! One run of one definition: the instruction to start it, and the report.

mod launch;
mod report;

pub use launch::{EnvChange, HookVariable, VariableSource};
pub use launch::{FinishCondition, HttpSpec, KillSpec, Launch, NEEDS_MODEL, Network, ProcessSpec, Question};
pub use report::CapturedStream;
pub use report::deciding_line;
pub use report::{Exit, Leftover, RunReport, Timing};

pub use crate::names::{RunId, Stream};

/// A run to start.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    pub run: RunId,
    pub hook: crate::hook::DefinitionId,
    pub launch: Launch,
    /// Whether the agent waits for it. If not, its answer has no effect.
    pub awaited: bool,
}
