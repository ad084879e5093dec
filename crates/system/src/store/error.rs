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
    #[error("no event has been recorded or imported yet")]
    Missing,
    #[error("no event #{0}")]
    NoEvent(i64),
    #[error("it was written by a newer hookbench (version {found}; this one supports {known})")]
    Newer { found: i64, known: i64 },
    #[error("it has version {found}, and cannot be updated to version {known} here")]
    Older { found: i64, known: i64 },
    #[error("this file is not a store of hookbench")]
    NotOurs,
    #[error("it is damaged ({0})")]
    Damaged(String),
    #[error("event #{seq} is damaged ({why})")]
    DamagedEvent { seq: i64, why: String },
    #[error("its tables are not those of its version, as if another program had changed the file")]
    WrongVersion,
    #[error("no space left: the disk is full, or the file must not grow")]
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
            StoreErrorKind::Missing => {
                "Record an agent with `hookbench install`, or import a session with `hookbench import FILE`."
            }
            StoreErrorKind::NoEvent(_) => "`hookbench db list` lists recorded events.",
            StoreErrorKind::Newer { .. } => "Update hookbench, or use another state directory (XDG_STATE_HOME).",
            StoreErrorKind::Older { .. } => "Make the file and its directory writable, and try again.",
            StoreErrorKind::NotOurs => {
                "Move the file away with `hookbench db set-aside`; the next import creates a new store."
            }
            StoreErrorKind::Damaged(_) => {
                "Move it away with `hookbench db set-aside`; the next import creates a new store. `hookbench db export -o FILE` \
                 saves before what can still be read."
            }
            StoreErrorKind::DamagedEvent { .. } => {
                "Save the other events with `hookbench db export -o FILE`, move the store away with `hookbench db set-aside`, \
                 and read them into a new store with `hookbench import FILE`."
            }
            StoreErrorKind::WrongVersion => {
                "Use a copy from a backup, or move the file away with `hookbench db set-aside`; the next import creates a new \
                 store."
            }
            StoreErrorKind::Full => {
                "Free some space; stored events are not lost. `hookbench db purge` and then `vacuum` shrink the store."
            }
            StoreErrorKind::Busy => "Try again when the other process has finished.",
            StoreErrorKind::ReadOnly(_) => {
                "Make the file and its directory writable, or use another state directory (XDG_STATE_HOME)."
            }
            StoreErrorKind::Closed(_) => "Check the owner of the file and its directory.",
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
                    // A table that a statement of ours names is missing.
                    ErrorCode::Unknown if code.extended_code == rusqlite::ffi::SQLITE_ERROR => {
                        StoreErrorKind::WrongVersion
                    }
                    // The system refused a write, for example because the file may not grow. This is treated as a
                    // full disk.
                    ErrorCode::SystemIoFailure if code.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE => {
                        StoreErrorKind::Full
                    }
                    _ => StoreErrorKind::Other(says),
                };
            }
            // The column or table that a statement of ours names is missing, or is there already.
            rusqlite::Error::SqlInputError { .. } => return StoreErrorKind::WrongVersion,
            rusqlite::Error::InvalidColumnType(_, column, kind) => {
                return StoreErrorKind::Damaged(format!("{column} has the type {kind}"));
            }
            rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::IntegralValueOutOfRange(..) => {
                return StoreErrorKind::Damaged("a value is not what it should be".to_owned());
            }
            rusqlite::Error::Utf8Error(..) => return StoreErrorKind::Damaged("a text is not UTF-8".to_owned()),
            rusqlite::Error::QueryReturnedNoRows => return StoreErrorKind::Damaged("a row is missing".to_owned()),
            other => other.to_string(),
        };
        StoreErrorKind::Other(says)
    }

    /// The damage, if it is one event that cannot be read; the others can be.
    #[must_use]
    pub fn of_event(self, seq: i64) -> StoreErrorKind {
        match self {
            StoreErrorKind::Damaged(why) => StoreErrorKind::DamagedEvent { seq, why },
            other => other,
        }
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
