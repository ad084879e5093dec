//! Replays recorded events: compares the result under the current configuration with an earlier one.
//!
//! The plan is always exact. A verdict is given only if every hook that fires was run, was answered, or has a
//! recorded report for the same definition and stdin; otherwise it is unknown until run.

mod abreast;
mod baseline;
mod compare;
mod courses;
mod judged;
mod kept;
mod run;

pub use abreast::{AT_ONCE, Abreast, Came, Wait};
pub use baseline::{Baseline, BaselineError};
pub use compare::{Change, Replayed, Rule, Summary, Tally, compare};
pub use judged::{Fires, Judged, judge};
pub use run::{Ready, ReplayError, ReplayOptions, Replayer};
