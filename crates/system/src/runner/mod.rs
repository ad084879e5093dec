//! Starts what a plan asks for and reports what came of it: bytes, deadlines and process groups, nothing about hooks.
//!
//! | file | holds |
//! |---|---|
//! | `control` | [`Runner`]: starts the runs of one firing and ends them; [`RunEvent`] |
//! | `process` | one process from its start to its report |
//! | `http` | one request; without the feature `http-hooks` a refusal |
//! | `tap` | what is kept of a run's output, and what nobody has been told yet |
//! | `teller` | tells the listener, a frame at a time |
//! | `group` | process groups that are alive, and the end of all of them |
//! | `leftovers` | who outlived a hook |
//! | `starter` | the thread that starts every process |
//! | `start_error` | why a program did not start, in words |
//! | `unix`, `windows` | what differs between systems |
//!
//! A listener that is slow or gone never slows a hook down: output is always read, kept within bounds, and what the
//! listener could not be told in time is counted as skipped.

mod control;
mod group;
mod http;
mod leftovers;
mod process;
mod start_error;
#[cfg(unix)]
mod starter;
mod tap;
mod teller;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use control::{RunEvent, Runner};
pub use group::kill_every_group;
pub use platform::while_nothing_starts;
