//! What has to be watched for changes, as data.

use std::path::PathBuf;
use std::time::Duration;

/// Files and folders whose changes matter, and when a change counts as over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watchlist {
    /// Files, whether they are there or not.
    pub files: Vec<PathBuf>,
    /// Folders of which only the names in them matter.
    pub folders: Vec<PathBuf>,
    /// Files that are there as long as a greater change goes on.
    pub locks: Vec<PathBuf>,
    /// A save is over when nothing has happened for so long.
    pub quiet: Duration,
}
