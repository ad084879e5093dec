//! Replays recorded events: compares the result under the current configuration with an earlier one.
//!
//! The plan is always exact. A verdict is given only if every hook that fires was run, was answered, or has a
//! recorded report for the same definition and stdin; otherwise it is unknown until run.

mod assessment;
mod baseline;
mod compare;
mod headline;
mod options;
mod report;
mod rows;
mod session_states;

pub use assessment::{EventAssessment, FiringHook, assess};
pub(crate) use assessment::{assess_firing, assess_recorded, recorded_runs};
pub(crate) use baseline::{CommitFiles, codes, recorded_outcome};
pub use baseline::{ReplayBaseline, ReplayBaselineError};
pub use compare::{ReplayChange, ReplayRule, ReplaySummary, ReplayTally, ReplayedEvent, compare};
pub use headline::{ActionChange, ReplayFinding, ReplayHeadline};
pub use options::ReplayOptions;
pub use report::{RefusalExample, RefusalGroup, ReplayReport, ReplayReportDoc};
pub use rows::{ROW_SCHEMA, ReplayRow, UnmaskedValues};
pub(crate) use session_states::SessionStates;
