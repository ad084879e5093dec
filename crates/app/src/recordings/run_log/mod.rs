//! The log of runs: each event that the user fires is kept in the store of recorded events, if the setting is on.

mod logged_run;

pub(crate) use logged_run::log_session;
pub use logged_run::{
    LoggedRun, OpenedRun, RunLogSettings, configured_run_log, log_hint_is_over, remember_log_hint, store_run,
};
