//! One run of one definition: the instruction to start it, and the report.

mod launch;
mod report;

pub use launch::{
    EnvChange, FinishCondition, HookVariable, HttpSpec, KillSpec, Launch, NEEDS_MODEL, Network, ProcessSpec, Question,
    VariableSource,
};
pub use report::{CapturedStream, Exit, Leftover, RunReport, Timing, deciding_line, milliseconds};

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
