//! Recorded events: the store, import, replay, the impact of a change, the list on the screen, the
//! times of hooks.

pub mod debug_logs;
pub mod demo_day;
pub mod event_list;
pub mod hook_stats;
pub mod impact;
pub mod import;
pub mod moment;
pub mod replay;
pub mod run_diff;
pub mod run_log;
pub mod store;
