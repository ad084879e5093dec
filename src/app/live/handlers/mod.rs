//! The work of handlers: what has to look at files or run a program. One function, to be called on a thread of its own.

mod git;
mod handoff;
mod overview;

use crate::core::live::handlers::{Done, Work};

/// Does it. It ends by itself: an overview within about 2 seconds, a handoff within about 10.
pub fn run(work: &Work) -> Done {
    match work {
        Work::Overview { project } => overview::overview_of(project),
        Work::Handoff(asked) => Done::Handoff(handoff::handoff_of(asked)),
    }
}
