//! The commands that a frontend can send to the live path.

use std::fmt;

use hookbench_core::live::Decision;
use hookbench_core::live::intercept::Breakpoint;

/// A command to the live path. Its results are reported as facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// Answers a pending event, by its id.
    Decide { id: String, decision: Decision },
    /// Answers all pending events, as if no hook existed.
    ReleaseAll,
    /// Pauses or resumes breakpoints. Events that are already pending stay pending.
    Pause(bool),
    /// Requests the payload of an event of this session; answered with a `Payload` fact.
    Payload { id: String },
    /// Replaces the breakpoints for later events; answered with a `Breakpoints` fact. Works only with a process's
    /// own server.
    SetBreakpoints(Vec<Breakpoint>),
    /// Authorizes this process to decide at another process's server, while it is attached.
    Bearer(BearerToken),
    /// Ends the server: gives all pending events their announced answer, stores queued events and removes the
    /// socket.
    Shutdown,
}

/// The token that `serve --remote-decide` printed. It never appears in a message or log.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(pub String);

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}
