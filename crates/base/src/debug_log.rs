//! Debug logs of agents: what an agent itself wrote about its hooks. Each agent parses its own format into these
//! records.

use crate::config::Place;

/// The debug log of an agent.
pub struct DebugLogFormat {
    /// The name of the format, such as in reports of an import.
    pub kind: &'static str,
    /// Whether its lines are about hooks. Otherwise nothing is read.
    pub names_hooks: bool,
    /// Whether a file with this beginning is such a log.
    pub detect: fn(&str) -> bool,
    /// Parses the statements about hooks.
    pub parse: fn(&str) -> Vec<LogRecord>,
    /// The log of the session with this id. `None` if a log has another name.
    pub session_file: fn(&Place, &str) -> Option<String>,
    /// The logs that contain several sessions.
    pub shared_files: fn(&Place) -> Vec<String>,
}

/// One statement of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    /// Counted from 1.
    pub line: u64,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    pub statement: LogStatement,
}

/// The statements of an agent about hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogStatement {
    /// It loaded this number of hooks from all settings.
    Loaded { hooks: u64 },
    /// It ignored a part of the settings.
    Ignored { message: String },
    /// It searches the hooks for an event. The subject is `None` if the log does not state it.
    Searched { event: String, subject: Option<String> },
    /// The settings have this number of groups for the event of the last search.
    Found { groups: u64 },
    /// This number of hooks matches the event of the last search.
    Matched { hooks: u64 },
    /// A hook starts.
    Started { event: String, hook: LogHook },
    /// A hook has ended.
    Ended { event: String, subject: Option<String>, hook: LogHook, end: LogEnd, took: LogDuration },
}

/// The name of a hook in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogHook {
    /// Its command, URL or name.
    Text(String),
    /// Its position among all hooks, counted from 0.
    Position(usize),
}

/// The duration of a run in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDuration {
    Milliseconds(u64),
    /// The time between the two lines.
    BetweenLines,
    Unknown,
}

/// The end of a run, as far as the log states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogEnd {
    Exit(i32),
    TimedOut,
    Succeeded,
    Failed,
    /// The run ended, and the log does not state how.
    Completed,
    /// The agent does not wait for it.
    Background,
}
