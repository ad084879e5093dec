//! What happens on the live path, as plain data. The same travels as JSON over `/v1/events`, so that a screen which is
//! attached to another process sees the same as one that serves itself.

use serde::{Deserialize, Serialize};

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum LiveFact {
    /// Agents reach this process now.
    Serving { socket: String, pid: u32 },
    /// Agents reach another process, and this one looks on.
    Attached { socket: String, pid: u32 },
    /// Neither: nothing is captured. Why, with what to do.
    NotServing { says: String },
    /// An event has come. It is followed by `Answered` or `Abandoned`; by `Held` before that, when it waits for the user.
    Arrived(ArrivedFact),
    /// An event waits for the user.
    Held(HeldFact),
    /// An event was answered.
    Answered(AnsweredFact),
    /// The agent has gone away before it was answered.
    Abandoned { id: String },
    /// What a handler had to say to the user, such as that the agent's provider is overloaded.
    Advice { id: String, handler: String, says: String },
    /// Whether breakpoints hold anything for now.
    Paused { paused: bool },
    /// These breakpoints hold from now on: name, and whether it is on.
    Breakpoints { breakpoints: Vec<(String, bool)> },
    /// Something cannot be kept. Agents are answered all the same.
    StoreTrouble { errors: u64, says: String },
    /// It can be kept again; `errors` counts what could not.
    StoreWell { errors: u64 },
    /// What is counted since the server began and its user has to know: events that would have been held, had there been
    /// room, and how often something could not be kept, or not at once.
    Counted { passed_full: u64, store_errors: u64 },
    /// A listener was too slow, and this many facts have passed it by.
    Missed { count: u64 },
    /// The payload that [`super::LiveCommand::Payload`] has asked for; none: nobody has it any more. To the asker alone.
    Payload { id: String, payload: Option<String> },
    /// Why something that was asked for was not done. To the asker alone.
    Refused { id: Option<String>, says: String },
    /// The process that this one was attached to has gone, or this one's own server has ended.
    Ended,
}

/// An event that has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedFact {
    /// Under which it is stored, too.
    pub id: String,
    /// In the order of arrival, from 1 for every server.
    pub seq: u64,
    /// Milliseconds since 1970: when the agent's hook had it.
    pub at: i64,
    /// The agent, as it calls itself; not every one is known here.
    pub agent: String,
    /// In the agent's own spelling, and on the wire.
    pub event: String,
    pub wire: String,
    pub session: String,
    pub project: String,
    /// What matchers look at, where the event has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The most telling value, such as the command; at most 160 characters of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The sub-agent in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Of the payload.
    pub bytes: u64,
}

/// An event that waits for the user. Its payload is to be asked for: it may be long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldFact {
    #[serde(flatten)]
    pub arrived: ArrivedFact,
    /// The breakpoint that holds it.
    pub breakpoint: String,
    /// Milliseconds since 1970 from which it is held, and at which it is answered without the user.
    pub since: i64,
    pub until: i64,
    /// What is then decided: a word of the wire.
    pub on_timeout: String,
    /// What can be decided so that this agent does it, in words of the wire. To observe is always possible.
    pub choices: Vec<String>,
}

/// An event that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredFact {
    pub id: String,
    /// A word of the wire.
    pub decision: String,
    /// Who decided: `default`, `user`, `timeout`, `rule:NAME`, `handler:NAME`, `shutdown`, `cooldown`.
    pub source: String,
    /// Given with the decision, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it waited for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ms: Option<u64>,
    /// What would have been decided, and why that was not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    pub stored: Stored,
}

/// What had become of the event in the store when it was answered; the header `Hookbench-Stored` says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stored {
    /// It is committed: it outlives the end of every process.
    Yes,
    /// It waits for the writer.
    Queued,
    /// Its payload, or all of it, is not kept.
    Dropped,
}

impl Stored {
    /// The word of the header.
    pub fn word(self) -> &'static str {
        match self {
            Stored::Yes => "yes",
            Stored::Queued => "queued",
            Stored::Dropped => "dropped",
        }
    }
}
