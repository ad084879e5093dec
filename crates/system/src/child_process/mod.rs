//! Runs one process without an async runtime: feeds its stdin and collects its output, up to a size and a time limit. When a
//! signal ends this program, the process ends with it.

mod process;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub(crate) use platform::SignalPipes;
#[cfg(target_os = "linux")]
pub(crate) use platform::{end_like, fork, set_action};
pub(crate) use process::{ChildOutput, ChildProcess, ThreadEnd};
