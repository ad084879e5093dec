//! The log of runs: each event that the user fires is kept in the store of recorded events, if the setting is on.

mod logged_run;
mod settings;

pub use logged_run::{LoggedRun, store_run};
pub use settings::{RunLogSettings, configured_run_log};
