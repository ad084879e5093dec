//! Exit statuses, as documented in the contract.

use std::process::ExitCode;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
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

impl ExitStatus {
    /// The status as a number.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Ok => 0,
            ExitStatus::NotAsExpected => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Unknown => 3,
            ExitStatus::ConsentNeeded => 4,
            ExitStatus::BadFile => 5,
            ExitStatus::Internal => 70,
            ExitStatus::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status.code())
    }
}
