//! Everything that can happen, as data.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::contain::Containment;
use crate::firing_record::FiringId;
use crate::impact::Impact;
use crate::lint::Report;
use hookbench_core::config::Loaded;
use hookbench_core::run::{RunId, RunReport, Stream};

/// What the outside reports to the session.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// An agent's configuration has been read.
    Loaded { agent: &'static str, loaded: Arc<Loaded> },
    /// What a change of settings comes to for the recorded events, as far as that is known.
    Impact { change: u64, impact: Box<Impact> },
    /// Watched files have changed. `calm`: nothing else is going on, as far as can be seen; a fact that says so follows
    /// otherwise. `at` is counted from anywhere.
    FilesChanged { paths: Vec<PathBuf>, calm: bool, at: Duration },
    /// Changes are seen late or not at all, and why.
    WatchLost(String),
    /// Changes are seen at once again.
    WatchFound,
    /// What a run wrote just before its end has been reported by now.
    Echoed,
    /// A file could have changed again. `at` as where files changed.
    Waited { path: PathBuf, at: Duration },
    /// A firing is kept apart, and how.
    Contained { firing: FiringId, how: Box<Containment> },
    /// A run has started.
    Started { firing: FiringId, run: RunId, pid: Option<u32>, at: Duration },
    /// A run has written something. `skipped` bytes went by before `bytes` without being kept for showing.
    Grew { firing: FiringId, run: RunId, stream: Stream, bytes: Vec<u8>, skipped: u64, at: Duration },
    /// A run has ended.
    Ended { firing: FiringId, report: Box<RunReport> },
    /// The agent's patience for a firing is over.
    Expired { firing: FiringId },
    /// What is wrong with all that is loaded.
    Linted(Arc<Report>),
    /// A file of the user was written, or was not, and why.
    Wrote { says: String },
    /// Something could not be remembered or watched.
    Trouble { says: String },
    /// Something has happened on the live path.
    Live(Box<super::live::LiveFact>),
    /// The store of recorded events has answered.
    Shelf(super::shelf::ShelfNews),
}
