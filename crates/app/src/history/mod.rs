//! The runs of a session, each a row of its own: the newest with everything that is known of them, older ones as what
//! they came to and the event that they were of, so that it can be fired again. Bounded by number and by bytes.

mod event;
mod keep;
mod past;
#[cfg(test)]
mod tests;

pub use event::{FiredEvent, gist, what_of};
pub use keep::History;
pub use past::{Decider, Decision, PastRun};
