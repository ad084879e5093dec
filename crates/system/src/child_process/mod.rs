//! Runs one process without an async runtime: feeds its stdin and collects its output, up to a size and a time limit. When a
//! signal ends this program, the process ends with it.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::process::Command;
use std::time::Duration;

use hookbench_core::run::{Exit, FinishCondition};

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub(crate) use platform::SignalPipes;
#[cfg(target_os = "linux")]
pub(crate) use platform::{end_like, fork, set_action};

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
    /// There was no result in time.
    Late,
    /// A signal ends this program.
    Signal,
    #[cfg_attr(windows, allow(dead_code, reason = "needs no pipes there"))]
    NoPipes,
}
