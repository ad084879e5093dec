//! A file system that records what is looked up.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use super::{FileError, Files, LookupPaths};

/// A view of files that records which paths were requested.
pub(crate) struct TrackingFiles<'a> {
    files: &'a dyn Files,
    requested: RefCell<LookupPaths>,
}

impl TrackingFiles<'_> {
    /// Wraps `files` with an empty record.
    pub fn new(files: &dyn Files) -> TrackingFiles<'_> {
        TrackingFiles { files, requested: RefCell::default() }
    }

    /// Returns every path that was requested.
    pub fn requested(self) -> LookupPaths {
        self.requested.into_inner()
    }
}

impl Files for TrackingFiles<'_> {
    fn below(&self) -> Option<&dyn Files> {
        Some(self.files)
    }
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        self.requested.borrow_mut().files.insert(path.to_owned());
        self.files.read(path)
    }
    fn exists(&self, path: &str) -> bool {
        self.requested.borrow_mut().files.insert(path.to_owned());
        self.files.exists(path)
    }
    fn list(&self, path: &str) -> Vec<String> {
        self.requested.borrow_mut().directories.insert(path.to_owned());
        self.files.list(path)
    }
}

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
