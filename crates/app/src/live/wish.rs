//! The user's requests to the live path, and the resulting jobs.

use super::{Bearer, LiveCommand};
use hookbench_core::live::Decision;
use hookbench_core::live::desk::{Breakpoint, DeskSettings};

/// A request of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveWish {
    /// Start a server; if another process serves already, attach to it.
    Start,
    /// Stop it.
    Stop,
    /// Answer a pending event.
    Decide { id: String, decision: Decision },
    /// Answer all pending events, as if no hook existed.
    ReleaseAll,
    /// Pause or resume breakpoints.
    Pause(bool),
    /// Append a breakpoint, for this session.
    Add(Breakpoint),
    /// Enable or disable a breakpoint, by its index.
    Toggle(usize),
    /// Remove a breakpoint, for this session, by its index.
    Remove(usize),
    /// Authorize this process to decide at the server of another process.
    Bearer(Bearer),
    /// Dismiss the newest advice.
    PutAway,
    /// Put an event on the bench, by its id.
    ToBench(String),
}

/// A job for the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveJob {
    /// Serve, or attach to the process that serves.
    Start {
        desk: DeskSettings,
    },
    Tell(LiveCommand),
}
