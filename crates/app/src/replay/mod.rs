//! Recorded events fired again: what a configuration makes of them now, and what it made of them before.
//!
//! A plan is exact. A verdict is claimed only where every hook that fires has run, was answered, or has a recorded report
//! for the same definition and stdin; else it is unknown until run.

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
