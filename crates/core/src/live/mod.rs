//! The protocol of the live path: the envelope that carries an event from a running agent to hookbench, the
//! decision that is sent back, its translation for the agent, and the time limits. Client, server and screen share
//! this module.
//!
//! Everything here is computed from its arguments. Sockets, clocks and the environment belong to the caller.

mod answer;
mod deadlines;
mod envelope;
mod forward_settings;
pub mod handlers;
mod hook_response;
pub mod http;
pub mod intercept;
pub mod normalized_event;
mod payload_fields;
mod raw_json;
mod seen_environment;
mod socket_path;

pub use answer::{AcceptedDecisions, AnswerError, Decision, DecisionSource, LiveAnswer};
pub use deadlines::{ClientBudget, DeadlineOverrides, Deadlines, deadlines_of, installed_timeout, is_blocking};
pub use envelope::{Envelope, ReceivedEnvelope, StdinPayload, clean_reference, parse_envelope};
pub use forward_settings::{FORWARD_TABLE, ForwardSettings, SettingsProblem, read_settings, read_table};
pub use hook_response::{
    HookResponse, NeededText, RequestRefusal, expressible_decisions, has_text, hook_response, needed_text,
};
pub use payload_fields::{PayloadFields, SKILL_COMMAND, UNKNOWN_EVENT, is_event_name, native_event, wire_event};
pub use raw_json::RawJson;
pub use seen_environment::{is_stored, read_seen_environment, seen_environment_file, write_seen_environment};
pub use socket_path::{
    DirectoryMetadata, MAX_SOCKET_PATH, SocketDirectories, default_socket, distrust_reason, is_fixed, settings_file,
    state_directory,
};

pub use crate::dialects::live::{DecisionKind, LiveFormat};

use crate::dialects;
use crate::names::AgentId;

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
    /// In the announcement that an answer takes longer: the answer (`deny`, `ask`) without a decision. A client gives it
    /// also if it loses the connection.
    pub const ANNOUNCED: &str = "Hookbench-Announced";
    /// In answers: `yes` if the event is committed, `queued` if it is in the spool, `memory` if it is not even there, and
    /// `dropped` if it is not kept.
    pub const STORED: &str = "Hookbench-Stored";
}

/// Returns how an agent is answered. `None` if the agent is unknown; its events then pass through.
pub fn live_form(agent: &str) -> Option<&'static LiveFormat> {
    dialects::by_id(agent).map(|dialect| dialect.live_format())
}

/// Returns the ids of the known agents in display order.
pub fn agents() -> impl Iterator<Item = AgentId> {
    dialects::released().map(|dialect| dialect.id())
}

/// Returns the variables in which agents pass the project directory to hooks, in the order of the agents.
pub fn project_variables() -> impl Iterator<Item = &'static str> {
    dialects::released().flat_map(|dialect| dialect.live_format().project_variables.iter().copied())
}
