//! Exit statuses, as documented in the contract.

use std::process::ExitCode;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    /// The result differs from `--expect`.
    NotAsExpected,
    Usage,
    /// The verdict is `unknown`, or the agent version is untested, under `--strict`.
    Unknown,
    ConsentNeeded,
    /// A file named on the command line is unreadable or invalid.
    BadFile,
    Internal,
    Interrupted,
}

impl Status {
    /// The status as a number.
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
