//! Starts the runs of a plan and reports their results. It handles bytes, deadlines and process groups, and knows
//! nothing about hooks.
//!
//! | file | content |
//! |---|---|
//! | `control` | [`Runner`]: starts and stops the runs of one firing; [`RunEvent`] |
//! | `process` | one process from its start to its report |
//! | `http` | one HTTP request |
//! | `output_tap` | the captured output of a run, and the part not yet sent to the listener |
//! | `group` | live process groups, and how to kill all of them |
//! | `keeper` | the process that waits for hookbench, and ends what is left if a signal ends it |
//! | `guardian` | the process that ends hooks if both are killed |
//! | `leftovers` | processes that outlived a hook |
//! | `unix`, `windows` | differences between systems |
//!
//! A slow or missing listener never slows a hook down: output is always read, the captured part is limited, and
//! output that the listener does not get in time is counted as skipped.

mod control;
mod group;
#[cfg(unix)]
mod guardian;
mod http;
#[cfg(target_os = "linux")]
mod keeper;
mod leftovers;
mod output_tap;
mod plain_file;
mod process;
mod run_event;
mod supervisor;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use control::Runner;
pub use group::{any_group_is_live, kill_count, kill_every_group};
#[cfg(unix)]
pub use guardian::{GUARDIAN_STAGE, guard_hooks, run_guardian};
#[cfg(target_os = "linux")]
pub use keeper::{end_what_is_left, keep};
pub use leftovers::{kill_processes_of, reap_orphans};
#[cfg(target_os = "linux")]
pub use platform::keep_open_files;
#[cfg(unix)]
pub use platform::own_group;
pub use platform::with_starts_blocked;
pub use run_event::RunEvent;
