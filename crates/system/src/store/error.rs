//! Errors of the store, with advice.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of the store, with its path.
#[derive(Debug, thiserror::Error)]
#[error("the store {}: {kind}", path.display())]
pub struct StoreError {
    pub path: PathBuf,
    pub kind: StoreErrorKind,
}

/// The cause of an error.
#[derive(Debug, thiserror::Error)]
pub enum StoreErrorKind {
    #[error("there is none yet")]
    Missing,
    #[error("it was written by a newer hookbench (version {found}; this one knows {known})")]
    Newer { found: i64, known: i64 },
    #[error("it is of version {found}, and cannot be brought to version {known} here")]
    Older { found: i64, known: i64 },
    #[error("this file is not a store of hookbench")]
    NotOurs,
    #[error("it is damaged ({0})")]
    Damaged(String),
    #[error("there is no room left to write: the disk is full, or the file may not grow")]
    Full,
    #[error("another process is writing to it, and did not finish within two seconds")]
    Busy,
    #[error("it cannot be written: {0}")]
    ReadOnly(String),
    #[error("it cannot be opened: {0}")]
    Closed(String),
    #[error("the search was stopped")]
    Stopped,
    #[error("{0}")]
    Other(String),
}

impl StoreErrorKind {
    /// The advice, as a sentence. `None` if there is nothing to do.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            StoreErrorKind::Missing => "Import something first: hookbench import FILE or DIR.",
            StoreErrorKind::Newer { .. } => "Update hookbench, or use another state folder (XDG_STATE_HOME).",
            StoreErrorKind::Older { .. } => "Make the file and its folder writable for you, and try again.",
            StoreErrorKind::NotOurs => "Move it out of the way.",
            StoreErrorKind::Damaged(_) => {
                "Set it aside with `hookbench db set-aside`; the next import begins a new one."
            }
            StoreErrorKind::Full => {
                "Make room; what was stored before is still there. `hookbench db purge` then `vacuum` shrink it."
            }
            StoreErrorKind::Busy => "Try again when it is done.",
            StoreErrorKind::ReadOnly(_) => {
                "Make the file and its folder writable for you, or use another state folder (XDG_STATE_HOME)."
            }
            StoreErrorKind::Closed(_) => "Look at who owns the file and its folder.",
            StoreErrorKind::Stopped | StoreErrorKind::Other(_) => return None,
        })
    }

    pub(super) fn from_sqlite(error: &rusqlite::Error) -> StoreErrorKind {
        let says = match error {
            rusqlite::Error::SqliteFailure(code, message) => {
                let says = message.clone().unwrap_or_else(|| code.to_string());
                return match code.code {
                    ErrorCode::DiskFull => StoreErrorKind::Full,
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreErrorKind::Busy,
                    ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreErrorKind::ReadOnly(says),
                    ErrorCode::CannotOpen => StoreErrorKind::Closed(says),
                    ErrorCode::NotADatabase => StoreErrorKind::NotOurs,
                    ErrorCode::DatabaseCorrupt => StoreErrorKind::Damaged(says),
                    ErrorCode::OperationInterrupted => StoreErrorKind::Stopped,
                    // The system refused a write, for example because the file may not grow. This is treated as a
                    // full disk.
                    ErrorCode::SystemIoFailure if code.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE => {
                        StoreErrorKind::Full
                    }
                    _ => StoreErrorKind::Other(says),
                };
            }
            other => other.to_string(),
        };
        StoreErrorKind::Other(says)
    }

    pub(super) fn at(self, path: &Path) -> StoreError {
        StoreError { path: path.to_owned(), kind: self }
    }
}

impl From<rusqlite::Error> for StoreErrorKind {
    fn from(error: rusqlite::Error) -> StoreErrorKind {
        StoreErrorKind::from_sqlite(&error)
    }
}
