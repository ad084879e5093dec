//! Exit statuses, as the contract has them.

use std::process::ExitCode;

use crate::app::{InputError, PlaceError};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    /// Not as expected (`--expect`).
    NotAsExpected,
    Usage,
    /// `unknown` under `--strict`.
    Unknown,
    ConsentNeeded,
    /// A file named on the command line is not readable, or not what it should be.
    BadFile,
    Internal,
    Interrupted,
}

impl Status {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Status::Ok => 0,
            Status::NotAsExpected => 1,
            Status::Usage => 2,
            Status::Unknown => 3,
            Status::ConsentNeeded => 4,
            Status::BadFile => 5,
            Status::Internal => 70,
            Status::Interrupted => 130,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

/// Why a command could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Place(#[from] PlaceError),
    #[error("{file}: {why}")]
    File { file: String, why: String },
    #[error("{0}")]
    Consent(String),
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// The status that goes with it.
    pub fn status(&self) -> Status {
        match self {
            Failure::Usage(_) => Status::Usage,
            Failure::Input(why) if why.in_payload() => Status::BadFile,
            Failure::Input(_) => Status::Usage,
            Failure::Place(_) | Failure::File { .. } => Status::BadFile,
            Failure::Consent(_) => Status::ConsentNeeded,
            Failure::Internal(_) => Status::Internal,
        }
    }
}
