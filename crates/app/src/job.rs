//! Work for the outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::firing_record::FiringId;
use crate::lint::{FileChange, Levels};
use crate::session::LoadedBy;
use hookbench_core::config::{Loaded, Watchlist};
use hookbench_core::dialects::Version;
use hookbench_core::run::{RunId, RunRequest};

/// What the session wants done. The driver does it and brings back facts.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// Read an agent's configuration.
    Load { agent: &'static str, version: Version },
    /// Plan the recorded events again, under what was loaded before and now. In place of what is still being planned for
    /// the agent; `change` is its number.
    Impact {
        agent: &'static str,
        version: Version,
        headless: bool,
        before: Arc<Loaded>,
        after: Arc<Loaded>,
        change: u64,
    },
    /// Watch this from now on, and nothing else.
    Watch(Watchlist),
    /// Keep a firing apart: make its place before any of its runs is started. Of the home folder it has these files.
    Contain { firing: FiringId, files: Vec<PathBuf> },
    /// Start a run.
    Start { firing: FiringId, request: Box<RunRequest> },
    /// End a run.
    Kill { firing: FiringId, run: RunId },
    /// Report when the agent's patience for a firing is over.
    Timer { firing: FiringId, after: Duration },
    /// Look at once at what a run has written, and report back when even its last words have been seen.
    Echo,
    /// Report when a file could have changed again.
    Wait { path: PathBuf, after: Duration },
    /// A firing is over: nothing of it may stay.
    TearDown { firing: FiringId },
    /// Look for what is wrong with all that is loaded.
    Lint { agents: Vec<LoadedBy>, levels: Levels },
    /// Write files of the user, all or none, unless one was changed meanwhile.
    WriteFiles(Vec<FileChange>),
    /// Write a file of the user as it was shown.
    Write(Box<super::matching::Rematch>),
    /// Take back what was last written for this project.
    Undo,
    /// Remember consent.
    KeepConsent(Vec<(String, String)>),
    /// Something about the live path.
    Live(super::live::LiveJob),
    /// Ask the store of recorded events.
    Shelf(super::shelf::ShelfAsk),
}
