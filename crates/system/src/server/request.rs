//! What a connection has asked for, and the line on which it is answered.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use hookbench_core::live::normal::Normal;
use hookbench_core::live::{Accept, Budget};

/// A request that was read and is to be answered.
#[derive(Debug)]
pub struct Request {
    pub asked: Asked,
    pub line: Line,
}

/// What is asked for.
#[derive(Debug)]
pub enum Asked {
    /// An event, at `POST /v1/hooks`.
    Hook(Box<Hook>),
    /// The client of a request that is not answered yet has gone.
    Gone,
    /// Something to read.
    Question(Question),
    /// To decide an event that is held, at `POST /v1/held/<id>`.
    Decide { id: String, body: Vec<u8>, token: Option<String> },
}

/// Something to read.
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
    /// All that are held, or one of them with its payload.
    Held(Option<String>),
    /// `GET /v1/events`: what happens, as it happens.
    Events(Since),
}

/// From where a stream of facts begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    Now,
    /// With what came after this number, as far as it is remembered.
    After(u64),
}

/// An event, as it travelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// In the order of arrival, from 1.
    pub seq: u64,
    pub schema_version: u64,
    pub provider: String,
    pub event: String,
    pub provider_ref: String,
    pub project_path: String,
    pub received_at: String,
    /// The same in milliseconds since 1970.
    pub received_ms: i64,
    /// The payload's JSON, byte for byte.
    pub payload: Arc<str>,
    /// Fields of the envelope that this version does not know.
    pub extra: Vec<(String, String)>,
    pub accept: Accept,
    pub budget: Option<Budget>,
    /// A UUID that the client has made.
    pub request_id: Option<String>,
    /// The payload was no JSON and travels as a JSON text.
    pub is_text: bool,
    /// How many bytes the payload had that was too long to travel.
    pub oversize: Option<u64>,
    pub normal: Normal,
    pub about: About,
}

/// What lists show of an event. The server has it looked at by somebody who knows agents ([`Look`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The event in the agent's own spelling.
    pub native: String,
    /// What matchers look at.
    pub subject: Option<String>,
    /// The most telling value.
    pub what: Option<String>,
}

/// Looks at an event, on the task of its connection.
pub type Look = fn(&Hook) -> About;

/// The way back to one client.
#[derive(Debug, Clone)]
pub struct Line {
    /// Which connection it is, never given twice.
    pub connection: u64,
    replies: mpsc::Sender<Reply>,
}

impl Line {
    /// A line, and where its replies come out.
    pub fn new(connection: u64) -> (Line, mpsc::Receiver<Reply>) {
        // "Wait" and the answer.
        let (replies, coming) = mpsc::channel(4);
        (Line { connection, replies }, coming)
    }

    /// Says something to the client; who has gone is not told.
    pub fn say(&self, reply: Reply) {
        let _ = self.replies.try_send(reply);
    }
}

/// What a client is told.
#[derive(Debug)]
pub enum Reply {
    /// The answer will take its time. Said at once and every ten seconds.
    Processing,
    /// The answer. `written` hears of it when it is on its way.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>, written: Option<oneshot::Sender<()>> },
    /// A stream of events, until the other end of the channel goes.
    Stream(mpsc::Receiver<String>),
}

impl Reply {
    /// An answer with a body of JSON.
    pub fn json(status: u16, body: String) -> Reply {
        Reply::Answer { status, headers: Vec::new(), body: body.into_bytes(), written: None }
    }
}
