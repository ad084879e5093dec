//! What may be done about events beside answering them. All of it is off unless the user's settings turn it on. What has
//! to look at files is asked of the outside as [`Work`]; what is made of it is computed here.

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

/// Work for the outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// An overview of this project folder.
    Overview { project: String },
    /// What a session has come to, from its transcript.
    Handoff(SessionWork),
}

/// The session that is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWork {
    pub provider: String,
    pub provider_ref: String,
    pub project: String,
    /// The file that the agent keeps of it.
    pub transcript: Option<String>,
    /// What the event says that the model has said last; transcripts lag.
    pub last_message: Option<String>,
    pub trigger: Trigger,
}

/// On which occasion a handoff is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    PreCompact,
    Stop,
    SessionEnd,
}

/// What came of a [`Work`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// A text for the model.
    Overview(String),
    Handoff(Handoff),
    /// Nothing, and why.
    Failed(String),
}

/// What a session has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    pub provider: String,
    pub provider_ref: String,
    pub project: String,
    pub trigger: Trigger,
    /// In milliseconds since 1970; set by the desk.
    pub created_ms: i64,
    /// As it is stored.
    pub json: String,
    /// As it is told to the model.
    pub yaml: String,
}
