//! The runs of a session, one row each: the newest with their full records, older ones reduced to their outcome and
//! their event, which can be fired again. Limited by number and by bytes.

mod event;
mod keep;
mod past;
#[cfg(test)]
mod tests;

pub use event::{FiredEvent, gist, what_of};
pub use keep::History;
pub use past::{Decider, Decision, PastRun};
