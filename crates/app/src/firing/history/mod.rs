//! The runs of a session, one row each: the newest with their full records, older ones reduced to their outcome and
//! their event, which can be fired again. Limited by number and by bytes.

mod past_run;
mod storage;
#[cfg(test)]
mod tests;

pub use past_run::{Decider, FiredEvent, PastDecision, PastRun, gist, is_minor_key, recorded_gist};
pub use storage::History;
