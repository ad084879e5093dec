//! What a face may ask of the live path.

use crate::core::live::Decision;
use crate::core::live::desk::Breakpoint;

/// Something that is asked for. What comes of it is told as facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// Answers an event that is held, by its id.
    Decide { id: String, decision: Decision },
    /// Answers all that are held: go on as without a hook.
    ReleaseAll,
    /// Whether breakpoints hold anything for now. What is held stays held.
    Pause(bool),
    /// Other breakpoints, for events that come from now on.
    SetBreakpoints(Vec<Breakpoint>),
    /// The payload of an event that came in this session: `Payload` is the answer.
    Payload { id: String },
    /// With this token, a face that looks on at another process may decide there.
    Token(String),
    /// Ends the server: all that are held go on, what is queued is stored, the socket goes away.
    Shutdown,
}
