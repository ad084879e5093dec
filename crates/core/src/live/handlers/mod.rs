//! Handlers: optional work on events in addition to answering them. All handlers are off by default. Work that
//! needs files is requested from the caller as [`Work`]; the results are computed here.

mod commands;
mod failure;
mod handoff;
mod manifest;
mod overview;
mod summary;
mod texts;
mod todos;
mod yaml;

pub use commands::Outcome;
pub use failure::{Failure, FailureClass};
pub use manifest::{Manifest, is_manifest};
pub use overview::{Git, Look, overview};
use serde::Serialize;
pub use summary::{Changed, Counts, Gathering, Ran, Summary};
pub use todos::Todo;
pub use yaml::yaml;

/// Work for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Make an overview of this project folder.
    Overview { project: String },
    /// Summarize a session from its transcript.
    Handoff(SessionWork),
}

/// The session to summarize.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWork {
    pub provider: String,
    pub provider_ref: String,
    pub project: String,
    /// The agent's transcript file.
    pub transcript: Option<String>,
    /// The model's last message according to the event, because transcripts are written late.
    pub last_message: Option<String>,
    pub trigger: Trigger,
}

/// The occasion of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    PreCompact,
    Stop,
    SessionEnd,
}

/// The result of a [`Work`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
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
    pub trigger: Trigger,
    /// In milliseconds since 1970. Set by the interceptor.
    pub created_ms: i64,
    /// The stored form.
    pub json: String,
    /// The text for the model.
    pub yaml: String,
}
