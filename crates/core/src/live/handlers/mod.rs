//! Handlers: optional work on events in addition to answering them. All handlers are off by default. Work that
//! needs files is requested from the caller as [`HandlerWork`]; the results are computed here.

mod manifest;
mod model_failure;
mod overview;
mod session_commands;
mod summary;
mod todos;

pub use manifest::{Manifest, is_manifest};
pub use model_failure::{FailureClass, ModelFailure};
pub use overview::{GitState, ProjectFacts, overview};
use serde::Serialize;
pub use session_commands::ToolOutcome;
pub use summary::{ChangedFile, CommandRun, SessionSummary, SummaryBuilder, SummaryCounts, yaml};
pub use todos::{Todo, todos_of_file};

/// Work for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandlerWork {
    /// Make an overview of this project directory.
    Overview { project: String },
    /// Summarize a session from its transcript.
    Handoff(HandoffWork),
}

/// The session to summarize.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffWork {
    pub provider: String,
    pub provider_ref: String,
    pub project: String,
    /// The agent's transcript file.
    pub transcript: Option<String>,
    /// The model's last message according to the event, because transcripts are written late.
    pub last_message: Option<String>,
    pub trigger: HandoffTrigger,
}

/// The occasion of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffTrigger {
    PreCompact,
    Stop,
    SessionEnd,
}

/// The result of a [`HandlerWork`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandlerResult {
    /// A text for the model.
    Overview(String),
    Handoff(Handoff),
    /// No result, with the reason.
    Failed(String),
}

/// A summary of a session, to be passed on to it later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    pub provider: String,
    pub provider_ref: String,
    pub project: String,
    pub trigger: HandoffTrigger,
    /// In milliseconds since 1970. Set by the interceptor.
    pub created_ms: i64,
    /// The stored form.
    pub json: String,
    /// The text for the model.
    pub yaml: String,
}
