//! What the user may wish of the live path, and what of it is to be done outside.

use super::{Bearer, LiveCommand};
use hookbench_core::live::Decision;
use hookbench_core::live::desk::{Breakpoint, DeskSettings};

/// Something that is wished for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveWish {
    /// Agents are to reach this process; where another one serves already, that is looked on.
    Start,
    /// No longer.
    Stop,
    /// Answers a held event.
    Decide { id: String, decision: Decision },
    /// All that are held go on.
    ReleaseAll,
    /// Breakpoints hold nothing for now.
    Pause(bool),
    /// One more breakpoint, behind the others, for this session.
    Add(Breakpoint),
    /// A breakpoint, by its place in the list, on or off.
    Toggle(usize),
    /// It is taken off the list, for this session.
    Remove(usize),
    /// What lets this process decide where another one serves.
    Bearer(Bearer),
    /// The newest advice was read.
    PutAway,
    /// Puts an event on the bench, by its id.
    ToBench(String),
}

/// Something to be done outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveJob {
    /// Serve, or attach to who serves.
    Start {
        desk: DeskSettings,
    },
    Tell(LiveCommand),
}
