//! Exit statuses, as the contract has them.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    /// Not as expected (`--expect`).
    NotAsExpected,
    Usage,
    /// `unknown`, or a version that nobody measured, under `--strict`.
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
