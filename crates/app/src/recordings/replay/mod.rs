//! Replays recorded events: compares the result under the current configuration with an earlier one.
//!
//! The plan is always exact. A verdict is given only if every hook that fires was run, was answered, or has a
//! recorded report for the same definition and stdin; otherwise it is unknown until run.

mod assessment;
mod baseline;
mod compare;
mod concurrent;
mod run;
mod session_states;
mod stored_outcome;

pub use assessment::{EventAssessment, FiringHook, assess};
pub use baseline::{ReplayBaseline, ReplayBaselineError};
pub use compare::{ReplayChange, ReplayRule, ReplaySummary, ReplayTally, ReplayedEvent, compare};
pub use concurrent::{AT_ONCE, ConcurrentReplay, IndexedReplay, WaitPolicy};
pub use run::{ReadyEvent, ReplayError, ReplayOptions, Replayer};
