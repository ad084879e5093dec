//! The user's requests to the live path, and the resulting jobs.

use super::{BearerToken, LiveCommand};
use hookbench_core::live::Decision;
use hookbench_core::live::intercept::{Breakpoint, InterceptSettings};

/// A request of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveRequest {
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
    AddBreakpoint(Box<Breakpoint>),
    /// Enable or disable a breakpoint, by its index.
    ToggleBreakpoint(usize),
    /// Remove a breakpoint, for this session, by its index.
    RemoveBreakpoint(usize),
    /// Authorize this process to decide at the server of another process.
    Bearer(BearerToken),
    /// Dismiss the newest advice.
    DismissAdvice,
    /// Put an event on the bench, by its id.
    ToBench(String),
}

/// A job for the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveJob {
    /// Serve, or attach to the process that serves.
    Start {
        desk: InterceptSettings,
    },
    Send(LiveCommand),
}
