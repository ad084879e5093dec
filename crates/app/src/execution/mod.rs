//! Fires events: the processes of firings, single firings, and replays of recorded events.

mod bare_start;
mod concurrent_replay;
mod hook_trial;
mod plan_cache;
mod process_jobs;
mod replay_gaps;
mod replayer;
mod row_planner;
mod stress;
mod verification;

pub use bare_start::{bare_command, measure_bare_starts};
pub use concurrent_replay::{AT_ONCE, ConcurrentReplay, IndexedReplay, WaitPolicy};
pub use process_jobs::ProcessJobs;
pub use replayer::{ReadyEvent, ReplayError, Replayer};
pub use stress::{run_stress, try_hook};
pub use verification::run_verification;
