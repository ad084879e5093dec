//! The protocol of the live path: the envelope that carries an event from a running agent to hookbench, the
//! decision that is sent back, its translation for the agent, and the time limits. Client, server and screen share
//! this module.
//!
//! Everything here is computed from its arguments. Sockets, clocks and the environment belong to the caller.

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

/// The version of written envelopes.
pub const SCHEMA_VERSION: u64 = 1;
/// The versions that can be read.
pub const SUPPORTED: std::ops::RangeInclusive<u64> = 1..=1;
/// Maximum size of a payload, in bytes. Of longer ones, only the length is sent.
pub const MAX_PAYLOAD: usize = 10 * 1024 * 1024;
/// Maximum size of an envelope, in bytes.
pub const MAX_BODY: usize = 11 * 1024 * 1024;
/// Maximum size of an answer, in bytes.
pub const MAX_ANSWER: usize = 1024 * 1024;
/// The path to which events are posted.
pub const HOOKS_PATH: &str = "/v1/hooks";

/// The headers of the live path that are not part of HTTP.
pub mod header {
    pub const CLIENT: &str = "Hookbench-Client";
    pub const REQUEST_ID: &str = "Hookbench-Request-Id";
    pub const BUDGET: &str = "Hookbench-Budget";
    pub const ACCEPT: &str = "Hookbench-Accept";
    /// `text` if the payload is not JSON.
    pub const PAYLOAD: &str = "Hookbench-Payload";
    /// The size of a payload that was too long to send, in bytes.
    pub const OVERSIZE: &str = "Hookbench-Oversize";
    /// In answers: `yes` if the event is committed, otherwise `queued` or `dropped`.
    pub const STORED: &str = "Hookbench-Stored";
}

/// Returns how an agent is answered. `None` if the agent is unknown; its events then pass through.
pub fn form_of(agent: &str) -> Option<&'static LiveForm> {
    dialects::by_id(agent).map(|dialect| dialect.live())
}

/// Returns the ids of the known agents in display order.
pub fn agents() -> impl Iterator<Item = &'static str> {
    dialects::ALL.iter().map(|dialect| dialect.id())
}

/// Returns the variables in which agents pass the project folder to hooks, in the order of the agents.
pub fn project_variables() -> impl Iterator<Item = &'static str> {
    dialects::ALL.iter().flat_map(|dialect| dialect.live().project_variables.iter().copied())
}
