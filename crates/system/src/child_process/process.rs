//! A process to run, and how it ended.

use std::process::Command;
use std::time::Duration;

use hookbench_core::run::{Exit, FinishCondition};

/// A process to run.
pub(crate) struct ChildProcess<'a> {
    pub command: Command,
    pub stdin: &'a [u8],
    /// The number of bytes to keep of each stream.
    pub keep: usize,
    pub finish: FinishCondition,
    /// The time after which it is killed.
    pub limit: Option<Duration>,
    /// Whether it is the leader of a new session, whose processes all end with the call.
    pub has_own_session: bool,
}

/// How the process ended.
pub(crate) struct ChildOutput {
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The exit status if a signal ended this program.
    pub killed_by_caller: Option<u8>,
}

/// How the work of another thread ended.
pub(crate) enum ThreadEnd<T> {
    Result(T),
    /// The result did not arrive in time.
    Late,
    /// A signal ends this program.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no signals"))]
    Signal,
    #[cfg_attr(windows, allow(dead_code, reason = "there it needs no pipes"))]
    NoPipes,
}
