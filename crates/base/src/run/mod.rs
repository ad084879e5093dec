//! One run of one definition: what is to be started, and what is reported back.

mod captured;
mod launch;
mod report;

pub use captured::Captured;
pub use launch::{EnvChange, Finish, HttpSpec, KillSpec, Launch, Network, ProcessSpec, Question};
pub use report::{Exit, Leftover, RunReport, Timing};

pub use crate::names::{RunId, Stream};

/// Something to start.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    pub run: RunId,
    pub hook: crate::hook::DefinitionId,
    pub launch: Launch,
    /// False: the agent starts it and goes on; its answer cannot decide.
    pub awaited: bool,
}
