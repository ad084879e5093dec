//! The live path's language: the envelope in which an event travels from a running agent to hookbench, the decision that
//! travels back, what the agent is told for it, and how long anybody may take. One module for client, server and screen.
//!
//! Everything here is computed from what is handed in; sockets, clocks and the environment are the caller's.

mod answer;
mod budget;
mod deadlines;
pub mod desk;
mod envelope;
pub mod handlers;
pub mod http;
mod names;
pub mod normal;
mod peek;
mod place;
mod read;
mod refusal;
mod settings;
mod translate;
mod verbatim;

pub use answer::{Accept, Answer, BadAnswer, Decision, Source};
pub use budget::Budget;
pub use deadlines::{Changes, Deadlines, deadlines_of, installed_timeout, is_blocking};
pub use envelope::{Envelope, Payload, clean_reference};
pub use names::{UNKNOWN_EVENT, is_event_name, native_event, wire_event};
pub use peek::Peek;
pub use place::{Folders, MAX_SOCKET_PATH, OwnedFolder, default_socket, settings_file, state_folder, why_not_ours};
pub use read::{Received, read};
pub use refusal::Refusal;
pub use settings::{FORWARD_TABLE, Settings, Wrong, read_settings, read_table};
pub use translate::{NeededText, Told, choices, has_text, needed_text, tell};
pub use verbatim::Verbatim;

pub use crate::dialects::live::{DecisionKind, LiveForm};

use crate::dialects;

/// The version of the envelope that is written.
pub const SCHEMA_VERSION: u64 = 1;
/// The versions that are read.
pub const SUPPORTED: std::ops::RangeInclusive<u64> = 1..=1;
/// Bytes of a payload that travel; what is longer is counted.
pub const MAX_PAYLOAD: usize = 10 * 1024 * 1024;
/// Bytes of an envelope that a server reads.
pub const MAX_BODY: usize = 11 * 1024 * 1024;
/// Bytes of an answer that a client reads.
pub const MAX_ANSWER: usize = 1024 * 1024;
/// Where events are posted.
pub const HOOKS_PATH: &str = "/v1/hooks";

/// The headers of the live path, beside HTTP's own.
pub mod header {
    pub const CLIENT: &str = "Hookbench-Client";
    pub const REQUEST_ID: &str = "Hookbench-Request-Id";
    pub const BUDGET: &str = "Hookbench-Budget";
    pub const ACCEPT: &str = "Hookbench-Accept";
    /// `text`: the payload was no JSON.
    pub const PAYLOAD: &str = "Hookbench-Payload";
    /// How many bytes a payload had that was too long to travel.
    pub const OVERSIZE: &str = "Hookbench-Oversize";
    /// `yes`: committed; else `queued` or `dropped`. In answers.
    pub const STORED: &str = "Hookbench-Stored";
}

/// How the agent of that id is answered; none: nobody knows it, and whatever it sends passes through.
pub fn form_of(agent: &str) -> Option<&'static LiveForm> {
    dialects::by_id(agent).map(|dialect| dialect.live())
}

/// The ids of the agents that are known, in the order in which they are offered.
pub fn agents() -> impl Iterator<Item = &'static str> {
    dialects::ALL.iter().map(|dialect| dialect.id())
}

/// The variables in which agents tell hooks the project folder, in the order of the agents.
pub fn project_variables() -> impl Iterator<Item = &'static str> {
    dialects::ALL.iter().flat_map(|dialect| dialect.live().project_variables.iter().copied())
}
