//! The user's requests to the live path, and the resulting jobs.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::DemoEvent;
use hookbench_core::live::Decision;
use hookbench_core::live::intercept::{Breakpoint, InterceptSettings};

/// A request of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveRequest {
    /// Start a server; if another process serves already, attach to it.
    Start,
    /// Stop it.
    Stop,
    /// Answer a pending event.
    Decide { id: String, decision: Decision },
    /// Answer all pending events, as if no hook existed.
    ReleaseAll,
    /// Pause or resume breakpoints.
    Pause(bool),
    /// Append a breakpoint, for this session.
    AddBreakpoint(Box<Breakpoint>),
    /// Enable or disable a breakpoint, by its index.
    ToggleBreakpoint(usize),
    /// Remove a breakpoint, for this session, by its index.
    RemoveBreakpoint(usize),
    /// Authorize this process to decide at the server of another process.
    Bearer(BearerToken),
    /// Dismiss the newest advice.
    DismissAdvice,
    /// Put an event on the bench, by its id.
    ToBench(String),
    /// Hold the demo's own event. Outside the demo, nothing happens.
    HoldDemoEvent,
}

/// A job for the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveJob {
    /// Serve, or attach to the process that serves.
    Start {
        desk: InterceptSettings,
        /// The demo's directory, in which its own server is.
        demo: Option<PathBuf>,
    },
    Send(LiveCommand),
    /// Forward the demo's own event to this socket.
    Forward {
        socket: String,
        event: DemoEvent,
    },
}

/// A command to the live path. Its results are reported as facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// Answers a pending event, by its id.
    Decide { id: String, decision: Decision },
    /// Answers all pending events, as if no hook existed.
    ReleaseAll,
    /// Pauses or resumes breakpoints. Events that are already pending stay pending.
    Pause(bool),
    /// Requests the payload of an event of this session; answered with a `Payload` fact.
    Payload { id: String },
    /// Replaces the breakpoints for later events; answered with a `Breakpoints` fact. Works only with a process's
    /// own server.
    SetBreakpoints(Vec<Breakpoint>),
    /// Authorizes this process to decide at another process's server, while it is attached.
    Bearer(BearerToken),
    /// Ends the server: gives all pending events their announced answer, stores queued events and removes the
    /// socket.
    Shutdown,
}

/// The token that `serve --remote-decide` printed. It never appears in a message or log.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(pub String);

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}

/// Something that happened on the live path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum LiveFact {
    /// Agents now reach this process.
    Serving { socket: String, pid: u32 },
    /// Agents reach another process, to which this one is attached.
    Attached { socket: String, pid: u32 },
    /// Neither: nothing is captured. The message says why, and what to do.
    NotServing { says: String },
    /// An event has arrived. `Answered` or `Abandoned` follows; `Held` comes before them if the event waits for the
    /// user.
    Arrived(ArrivedFact),
    /// An event waits for the user.
    Held(PendingEventFact),
    /// An event was answered.
    Answered(AnsweredFact),
    /// The agent disconnected before the answer.
    Abandoned { id: String },
    /// A handler's message to the user, for example that the agent's provider is overloaded.
    Advice { id: String, handler: String, says: String },
    /// Whether breakpoints are paused.
    Paused { paused: bool },
    /// The breakpoints that apply from now on: name, and whether it is enabled.
    Breakpoints { breakpoints: Vec<(String, bool)> },
    /// Events cannot be stored. Agents are answered nevertheless.
    StoreTrouble { errors: u64, says: String },
    /// Events can be stored again; `errors` counts the failures.
    StoreWell { errors: u64 },
    /// Counters since the server began: events that a breakpoint matched but that could not be held for lack of
    /// room, and the number of store errors, including delayed writes.
    Counted { passed_full: u64, store_errors: u64 },
    /// The listener was too slow and missed this many facts.
    Missed { count: u64 },
    /// The payload that [`super::LiveCommand::Payload`] requested; `None` if it is no longer available. Sent only
    /// to the requester.
    Payload { id: String, payload: Option<String> },
    /// The reason why a command was refused. Sent only to the requester.
    Refused { id: Option<String>, says: String },
    /// The server that this process was attached to, or its own, has ended.
    Ended,
}

/// An event that has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedFact {
    /// The id, which is also used in the store.
    pub id: String,
    /// The order of arrival, from 1 for each server.
    pub seq: u64,
    /// The time at which the agent's hook received the event, in milliseconds since 1970.
    pub at: i64,
    /// The agent's name for itself, which hookbench may not know.
    pub agent: String,
    /// The event's name in the agent's spelling, and on the wire.
    pub event: String,
    pub wire: String,
    pub session: String,
    pub project: String,
    /// The value that matchers test, if the event has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The most significant value, such as the command, up to 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The sub-agent in which the event happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The size of the payload.
    pub bytes: u64,
}

/// An event that waits for the user. The payload has to be requested, because it may be long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingEventFact {
    #[serde(flatten)]
    pub arrived: ArrivedFact,
    /// The breakpoint that holds the event.
    pub breakpoint: String,
    /// The start of the wait, and the time at which the event is answered without the user, in milliseconds since
    /// 1970.
    pub since: i64,
    pub until: i64,
    /// The announced answer, if the user does not decide before the time limit or the end of hookbench: `pass`, `deny` or `ask`.
    pub on_timeout: String,
    /// The decisions that this agent can carry out, as words of the wire format. `observe` is always possible.
    pub choices: Vec<String>,
}

/// An event that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredFact {
    pub id: String,
    /// A word of the wire format.
    pub decision: String,
    /// The source of the decision: `default`, `user`, `timeout`, `rule:NAME`, `handler:NAME`, `shutdown`,
    /// `cooldown`.
    pub source: String,
    /// The reason that came with the decision, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The time that the event waited for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ms: Option<u64>,
    /// A decision that was suppressed, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    pub stored: StorageState,
}

hookbench_core::words! {
    /// The storage state of the event when it was answered; the header `Hookbench-Stored` has the same value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum StorageState {
        /// Committed: it survives the end of every process.
        Yes = "yes",
        /// Waiting for the writer, in the spool: it survives the end of this process.
        Queued = "queued",
        /// Waiting for the writer, and lost if this process is killed: the spool cannot be written.
        Memory = "memory",
        /// Not stored, or stored without its payload.
        Dropped = "dropped",
    }
    /// The header's value.
    fn word;
}
