//! A client's request, and the channel for its replies.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use hookbench_core::live::normalized_event::NormalizedEvent;
use hookbench_core::live::{AcceptedDecisions, ClientBudget};

/// A parsed request that needs an answer.
#[derive(Debug)]
pub struct ServerRequest {
    pub kind: RequestKind,
    pub channel: ReplyChannel,
}

/// The content of a request.
#[derive(Debug)]
pub enum RequestKind {
    /// An event, at `POST /v1/hooks`.
    Hook(Box<HookRequest>),
    /// The client hung up before its request was answered.
    HungUp,
    /// A query.
    Query(ServerQuery),
    /// Decides a pending event, at `POST /v1/held/<id>`.
    Decide { id: String, body: Vec<u8>, token: Option<String> },
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerQuery {
    Health,
    /// `GET /v1/observations`.
    Observations {
        since: Option<i64>,
        session: Option<String>,
        event: Option<String>,
        limit: u32,
    },
    /// `GET /v1/observations/<id>`.
    Observation(String),
    Sessions,
    /// All pending events, or one of them with its payload.
    Pending(Option<String>),
    /// `GET /v1/events`: a stream of events.
    Events(StreamStart),
}

/// The position at which an event stream begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamStart {
    Now,
    /// After this number, as far as the history reaches.
    After(u64),
}

/// An event as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRequest {
    /// The number in the order of arrival, from 1.
    pub seq: u64,
    pub schema_version: u64,
    pub provider: String,
    pub event: String,
    pub provider_ref: String,
    pub project_path: String,
    pub received_at: String,
    /// `received_at` in milliseconds since 1970.
    pub received_ms: i64,
    /// The payload's JSON, unchanged.
    pub payload: Arc<str>,
    /// Unknown fields of the envelope.
    pub extra: Vec<(String, String)>,
    pub accept: AcceptedDecisions,
    pub budget: Option<ClientBudget>,
    /// A UUID from the client.
    pub request_id: Option<String>,
    /// Whether the payload was not JSON, and is transported as a JSON string.
    pub is_text: bool,
    /// The size in bytes of a payload that was too long to be sent.
    pub oversize: Option<u64>,
    pub normal: NormalizedEvent,
    pub summary: EventSummary,
}

/// The summary of an event for lists, from a [`SummarizeEvent`] function that knows the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSummary {
    /// The event's name in the agent's spelling.
    pub event_name: String,
    /// The value that matchers are matched against.
    pub subject: Option<String>,
    /// The value of the payload that describes the event best, such as the command.
    pub highlight: Option<String>,
}

/// Summarizes an event. Runs on the task of its connection.
pub type SummarizeEvent = fn(&HookRequest) -> EventSummary;

/// The channel to one client.
#[derive(Debug, Clone)]
pub struct ReplyChannel {
    /// The unique number of the connection.
    pub connection: u64,
    replies: mpsc::Sender<ServerReply>,
}

impl ReplyChannel {
    /// A line, and the receiver of its replies.
    pub fn new(connection: u64) -> (ReplyChannel, mpsc::Receiver<ServerReply>) {
        // Room for "wait" messages and the answer.
        let (replies, coming) = mpsc::channel(4);
        (ReplyChannel { connection, replies }, coming)
    }

    /// Sends a reply, which is dropped if the client is gone.
    pub fn send(&self, reply: ServerReply) {
        let _ = self.replies.try_send(reply);
    }
}

/// A reply to a client.
#[derive(Debug)]
pub enum ServerReply {
    /// The answer will take longer. Sent at once and every ten seconds, with these headers. `written` is notified after
    /// it is sent.
    Processing { headers: Vec<(&'static str, &'static str)>, written: Option<oneshot::Sender<()>> },
    /// The answer. `written` is notified after it is sent.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>, written: Option<oneshot::Sender<()>> },
    /// A stream of events, until the sender is dropped.
    Stream(mpsc::Receiver<String>),
}

impl ServerReply {
    /// An answer with a JSON body.
    pub fn json(status: u16, body: String) -> ServerReply {
        ServerReply::Answer { status, headers: Vec::new(), body: body.into_bytes(), written: None }
    }
}
