//! Errors of the store, with advice.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// An error of the store, with its path.
#[derive(Debug, thiserror::Error)]
#[error("the store {}: {trouble}", path.display())]
pub struct StoreFault {
    pub path: PathBuf,
    pub trouble: Trouble,
}

/// The cause of an error.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
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

impl Trouble {
    /// The advice, as a sentence. `None` if there is nothing to do.
    pub fn cure(&self) -> Option<&'static str> {
        Some(match self {
            Trouble::Missing => "Import something first: hookbench import FILE or DIR.",
            Trouble::Newer { .. } => "Update hookbench, or use another state folder (XDG_STATE_HOME).",
            Trouble::Older { .. } => "Make the file and its folder writable for you, and try again.",
            Trouble::NotOurs => "Move it out of the way.",
            Trouble::Damaged(_) => "Set it aside with `hookbench db set-aside`; the next import begins a new one.",
            Trouble::Full => {
                "Make room; what was stored before is still there. `hookbench db purge` then `vacuum` shrink it."
            }
            Trouble::Busy => "Try again when it is done.",
            Trouble::ReadOnly(_) => {
                "Make the file and its folder writable for you, or use another state folder (XDG_STATE_HOME)."
            }
            Trouble::Closed(_) => "Look at who owns the file and its folder.",
            Trouble::Stopped | Trouble::Other(_) => return None,
        })
    }

    pub(super) fn of(error: &rusqlite::Error) -> Trouble {
        let says = match error {
            rusqlite::Error::SqliteFailure(code, message) => {
                let says = message.clone().unwrap_or_else(|| code.to_string());
                return match code.code {
                    ErrorCode::DiskFull => Trouble::Full,
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Trouble::Busy,
                    ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Trouble::ReadOnly(says),
                    ErrorCode::CannotOpen => Trouble::Closed(says),
                    ErrorCode::NotADatabase => Trouble::NotOurs,
                    ErrorCode::DatabaseCorrupt => Trouble::Damaged(says),
                    ErrorCode::OperationInterrupted => Trouble::Stopped,
                    // The system refused a write, for example because the file may not grow. This is treated as a
                    // full disk.
                    ErrorCode::SystemIoFailure if code.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE => {
                        Trouble::Full
                    }
                    _ => Trouble::Other(says),
                };
            }
            other => other.to_string(),
        };
        Trouble::Other(says)
    }

    pub(super) fn at(self, path: &Path) -> StoreFault {
        StoreFault { path: path.to_owned(), trouble: self }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        Trouble::of(&error)
    }
}
