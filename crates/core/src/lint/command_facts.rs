//! Facts about a command from outside of the settings.

use std::time::Duration;

use crate::dialects::StartPrediction;

/// Facts about a command from outside of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandFacts {
    pub script: Option<ScriptFile>,
    pub start: Option<StartPrediction>,
    /// Durations of recorded runs.
    pub times: Vec<Duration>,
    /// The exit status with which the last run of the hook, with the same script, failed to block. `None` if it did
    /// not run, or ended otherwise.
    pub failed_to_block: Option<i32>,
}

/// The script that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// The path as opened.
    pub path: String,
    pub text: String,
    /// See [`Script::interpreted`].
    pub interpreted: bool,
}
