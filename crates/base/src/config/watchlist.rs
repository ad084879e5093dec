//! The list of paths to watch for changes, as data.

use std::path::PathBuf;
use std::time::Duration;

/// Files and directories to watch, and the rule for when a change is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watchlist {
    /// Files, whether they exist or not.
    pub files: Vec<PathBuf>,
    /// Directories in which only the names matter.
    pub directories: Vec<PathBuf>,
    /// Lock files that exist while a larger change is in progress.
    pub locks: Vec<PathBuf>,
    /// A change is complete when nothing has happened for this time.
    pub quiet: Duration,
}
