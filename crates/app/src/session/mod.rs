//! The session: the loaded configuration, the event on the bench, and the firings. It changes only by commands and
//! facts, and requests everything else as jobs.

mod agent;
mod all_agents;
mod auto_fire;
pub mod bench;
mod bench_input;
mod calibrations;
pub mod command;
mod debug_logs;
mod event_list;
pub mod fact;
mod firing_findings;
mod firings;
mod getters;
mod impact;
pub mod job;
mod linting;
mod live_path;
mod matchers;
mod model_answers;
mod options;
mod payload_history;
mod payload_undo;
mod problems;
mod recorded_events;
mod session_memory;
mod simulated_session;
mod state;
mod stress_request;
mod stress_test;
pub mod update;
mod verification;
mod what_if;

pub use agent::AgentState;
pub use all_agents::{AgentEvent, CrossAgentEvent, PlannedAgentEvent};
pub use auto_fire::{AutoFire, PINS, Pin, WatchOptions};
pub use debug_logs::LogAccount;
pub use event_list::{EventListState, EventListWindow, EventStoreState};
pub use live_path::OtherHooks;
pub use options::{SessionOptions, SessionSettings};
pub use problems::Problems;
pub use state::Session;
pub use stress_test::StressTest;
pub use update::{SessionEffect, SessionUpdate};
pub use what_if::LEFT_OUT;
