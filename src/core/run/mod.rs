//! One run of one definition: what is to be started, and what is reported back.

mod captured;
mod launch;
mod report;

pub use captured::Captured;
pub use launch::{EnvChange, Finish, HttpSpec, KillSpec, Launch, Network, ProcessSpec, Question};
pub use report::{Exit, Leftover, RunReport, Timing};

use serde::Serialize;

/// Which run of a firing. Counted from 0 in the order of starting; a definition that runs twice has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

/// The streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Stdin,
    Stdout,
    Stderr,
}

/// Something to start.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    pub run: RunId,
    pub hook: crate::core::hook::DefinitionId,
    pub launch: Launch,
    /// False: the agent starts it and goes on; its answer cannot decide.
    pub awaited: bool,
}
