//! What a face may ask of the live path.

use std::fmt;

use hookbench_core::live::Decision;
use hookbench_core::live::desk::Breakpoint;

/// Something that is asked for. What comes of it is told as facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// Answers an event that is held, by its id.
    Decide { id: String, decision: Decision },
    /// Answers all that are held: go on as without a hook.
    ReleaseAll,
    /// Whether breakpoints hold anything for now. What is held stays held.
    Pause(bool),
    /// The payload of an event that came in this session: `Payload` is the answer.
    Payload { id: String },
    /// Other breakpoints, for events that come from now on: `Breakpoints` is the answer. Only of a process's own server.
    SetBreakpoints(Vec<Breakpoint>),
    /// What lets this process decide at another process's server; kept as long as that is attached.
    Bearer(Bearer),
    /// Ends the server: all that are held go on, what is queued is stored, the socket goes away.
    Shutdown,
}

/// What `serve --remote-decide` has printed. It is in no message and no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(pub String);

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}
