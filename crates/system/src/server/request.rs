//! A client's request, and the channel for its replies.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use hookbench_core::live::normal::Normal;
use hookbench_core::live::{Accept, Budget};

/// A parsed request that needs an answer.
#[derive(Debug)]
pub struct Request {
    pub asked: Asked,
    pub line: Line,
}

/// The content of a request.
#[derive(Debug)]
pub enum Asked {
    /// An event, at `POST /v1/hooks`.
    Hook(Box<Hook>),
    /// The client hung up before its request was answered.
    Gone,
    /// A query.
    Question(Question),
    /// Decides a pending event, at `POST /v1/held/<id>`.
    Decide { id: String, body: Vec<u8>, token: Option<String> },
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
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
    Held(Option<String>),
    /// `GET /v1/events`: a stream of events.
    Events(Since),
}

/// The position at which an event stream begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    Now,
    /// After this number, as far as the history reaches.
    After(u64),
}

/// An event as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
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
    pub accept: Accept,
    pub budget: Option<Budget>,
    /// A UUID from the client.
    pub request_id: Option<String>,
    /// Whether the payload was not JSON, and is transported as a JSON string.
    pub is_text: bool,
    /// The size in bytes of a payload that was too long to be sent.
    pub oversize: Option<u64>,
    pub normal: Normal,
    pub about: About,
}

/// The summary of an event for lists, from a [`Look`] function that knows the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The event's name in the agent's spelling.
    pub native: String,
    /// The value that matchers are matched against.
    pub subject: Option<String>,
    /// The most informative value.
    pub what: Option<String>,
}

/// Summarizes an event. Runs on the task of its connection.
pub type Look = fn(&Hook) -> About;

/// The channel to one client.
#[derive(Debug, Clone)]
pub struct Line {
    /// The unique number of the connection.
    pub connection: u64,
    replies: mpsc::Sender<Reply>,
}

impl Line {
    /// A line, and the receiver of its replies.
    pub fn new(connection: u64) -> (Line, mpsc::Receiver<Reply>) {
        // Room for "wait" messages and the answer.
        let (replies, coming) = mpsc::channel(4);
        (Line { connection, replies }, coming)
    }

    /// Sends a reply, which is dropped if the client is gone.
    pub fn say(&self, reply: Reply) {
        let _ = self.replies.try_send(reply);
    }
}

/// A reply to a client.
#[derive(Debug)]
pub enum Reply {
    /// The answer will take longer. Sent at once and every ten seconds.
    Processing,
    /// The answer. `written` is notified after it is sent.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>, written: Option<oneshot::Sender<()>> },
    /// A stream of events, until the sender is dropped.
    Stream(mpsc::Receiver<String>),
}

impl Reply {
    /// An answer with a JSON body.
    pub fn json(status: u16, body: String) -> Reply {
        Reply::Answer { status, headers: Vec::new(), body: body.into_bytes(), written: None }
    }
}
