//! Distributes facts to listeners. Facts are numbered and the latest are kept; a slow listener never blocks the
//! sender.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, mpsc};

use crate::live::{LiveFact, PendingEventFact};
use hookbench_core::recorded::format_time;
use hookbench_core::text::escape_json_for_terminal;
use hookbench_system::server::StreamStart;
use hookbench_system::store::{CapturedEvent, SessionRow};

/// The number of facts that are kept for late listeners, and the number by which a listener may lag.
const REMEMBERED: usize = 1_000;
const BEHIND: usize = 4_096;
/// The number of facts that may wait to be written to one stream.
const STREAMED: usize = 64;

type NumberedFact = (u64, Arc<LiveFact>);

/// The sender of facts.
#[derive(Debug)]
pub struct FactBroadcast {
    listeners: broadcast::Sender<NumberedFact>,
    /// A channel to the frontend in this process only.
    private: mpsc::UnboundedSender<LiveFact>,
    remembered: VecDeque<NumberedFact>,
    last: u64,
}

/// The receiver of a frontend in this process.
#[derive(Debug)]
pub struct FactFeed {
    told: broadcast::Receiver<NumberedFact>,
    private: mpsc::UnboundedReceiver<LiveFact>,
}

impl FactFeed {
    /// Creates a feed with a single private source.
    pub fn with_single_source() -> (mpsc::UnboundedSender<LiveFact>, FactFeed) {
        let (_, told) = broadcast::channel(1);
        let (private, heard) = mpsc::unbounded_channel();
        (private, FactFeed { told, private: heard })
    }

    /// Waits for the next fact. Returns `None` after the last.
    pub async fn next(&mut self) -> Option<LiveFact> {
        tokio::select! {
            Some(fact) = self.private.recv() => Some(fact),
            Some(fact) = next_public(&mut self.told) => Some(fact),
            else => None,
        }
    }
}

/// Waits for the next public fact. Returns `None` after the last.
async fn next_public(told: &mut broadcast::Receiver<NumberedFact>) -> Option<LiveFact> {
    match told.recv().await {
        Ok((_, fact)) => Some(LiveFact::clone(&fact)),
        Err(broadcast::error::RecvError::Lagged(count)) => Some(LiveFact::Missed { count }),
        Err(broadcast::error::RecvError::Closed) => None,
    }
}

impl FactBroadcast {
    pub fn new() -> (FactBroadcast, FactFeed) {
        let (told, hears) = broadcast::channel(BEHIND);
        let (private, heard) = mpsc::unbounded_channel();
        let facts = FactBroadcast { listeners: told, private, remembered: VecDeque::new(), last: 0 };
        (facts, FactFeed { told: hears, private: heard })
    }

    /// Sends a fact to every listener.
    pub fn publish(&mut self, fact: LiveFact) {
        self.last += 1;
        let numbered = (self.last, Arc::new(fact));
        if self.remembered.len() == REMEMBERED {
            self.remembered.pop_front();
        }
        self.remembered.push_back(numbered.clone());
        // There may be no listener.
        let _ = self.listeners.send(numbered);
    }

    /// Sends a fact to the frontend in this process only.
    pub fn send_private(&self, fact: LiveFact) {
        let _ = self.private.send(fact);
    }

    /// A sender for private facts, for tasks that need time to find the answer.
    pub fn private_sender(&self) -> mpsc::UnboundedSender<LiveFact> {
        self.private.clone()
    }

    /// Opens a stream of later facts, preceded by the given ones, or by the kept ones after a number.
    pub fn stream(&self, since: StreamStart, given: &[LiveFact]) -> mpsc::Receiver<String> {
        let mut before: Vec<String> = given.iter().map(|fact| format_sse(None, fact)).collect();
        if let StreamStart::After(number) = since {
            let first = self.remembered.front().map_or(self.last + 1, |(first, _)| *first);
            if number + 1 < first {
                before.push(format_sse(None, &LiveFact::Missed { count: first - number - 1 }));
            }
            let after = self.remembered.iter().filter(|(other, _)| *other > number);
            before.extend(after.map(|(number, fact)| format_sse(Some(*number), fact)));
        }
        let (stream, news) = mpsc::channel(STREAMED);
        tokio::spawn(write_stream(before, self.listeners.subscribe(), stream));
        news
    }
}

async fn write_stream(before: Vec<String>, mut told: broadcast::Receiver<NumberedFact>, stream: mpsc::Sender<String>) {
    for text in before {
        if stream.send(text).await.is_err() {
            return;
        }
    }
    loop {
        let heard = tokio::select! {
            heard = told.recv() => heard,
            () = stream.closed() => return,
        };
        let text = match heard {
            Ok((number, fact)) => format_sse(Some(number), &fact),
            Err(broadcast::error::RecvError::Lagged(count)) => format_sse(None, &LiveFact::Missed { count }),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if stream.send(text).await.is_err() {
            return;
        }
    }
}

/// Formats one server-sent event: `id` (if any) and `data`.
fn format_sse(number: Option<u64>, fact: &LiveFact) -> String {
    let id = number.map(|number| format!("id: {number}\n")).unwrap_or_default();
    format!("{id}data: {}\n\n", escape_json_for_terminal(&serde_json::to_string(fact).unwrap_or_default()))
}

/// `GET /v1/health`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthDoc {
    pub name: &'static str,
    pub version: &'static str,
    pub pid: u32,
    pub uid: u32,
    pub started_at: Option<String>,
    pub schema_versions: Vec<u64>,
    pub mode: &'static str,
    pub held: usize,
    pub events: u64,
    pub store_errors: u64,
    /// Events that a breakpoint matched but that could not be held for lack of room.
    pub passed_full: u64,
    pub abandoned: u64,
    pub paused: bool,
}

/// `GET /v1/held`.
#[derive(Serialize)]
pub struct HeldDoc {
    pub held: Vec<PendingEventFact>,
}

/// `GET /v1/held/<id>`.
#[derive(Serialize)]
pub struct HeldOneDoc {
    #[serde(flatten)]
    pub held: PendingEventFact,
    pub payload: Box<RawValue>,
}

/// An event. Lists omit the payload.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservationDoc {
    seq: i64,
    id: String,
    schema_version: i64,
    provider: String,
    event: Option<String>,
    native_event: String,
    provider_ref: String,
    project_path: Option<String>,
    project_key: Option<String>,
    agent_id: Option<String>,
    tool: Option<String>,
    tool_native: Option<String>,
    what: Option<String>,
    received_at: Option<String>,
    stored_ms: Option<i64>,
    payload_bytes: u64,
    payload_sha256: Option<String>,
    decision: Option<String>,
    source: Option<String>,
    answer: Option<Value>,
    answered_ms: Option<i64>,
    held_ms: Option<i64>,
    cooldown: Option<bool>,
    suppressed: Option<String>,
    flags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Box<RawValue>>,
}

/// `GET /v1/observations`: the events after `since`, and the value of `since` for the next request.
#[derive(Serialize)]
pub struct ObservationsDoc {
    pub observations: Vec<ObservationDoc>,
    pub next: i64,
}

/// `GET /v1/sessions`.
#[derive(Serialize)]
pub struct LiveSessionsDoc {
    pub sessions: Vec<LiveSessionDoc>,
}

/// A session.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveSessionDoc {
    provider: String,
    provider_ref: String,
    project_path: Option<String>,
    title: Option<String>,
    events: u64,
    last: Option<String>,
}

/// An error response.
#[derive(Serialize)]
pub struct ErrorDoc<'a> {
    pub error: &'a str,
    pub message: &'a str,
}

impl ObservationDoc {
    /// Converts a captured event.
    pub fn of(captured: CapturedEvent) -> ObservationDoc {
        let live = captured.live;
        let answer = live.decision_json.as_deref().and_then(|text| serde_json::from_str(text).ok());
        ObservationDoc {
            seq: captured.seq,
            id: captured.id,
            schema_version: live.schema_version,
            provider: captured.agent,
            event: live.name,
            native_event: captured.event,
            provider_ref: captured.session,
            project_path: captured.project,
            project_key: live.project_key,
            agent_id: captured.agent_id,
            tool: live.tool,
            tool_native: captured.subject,
            what: captured.what,
            received_at: captured.at.and_then(format_time),
            stored_ms: live.stored_ms,
            payload_bytes: captured.size,
            payload_sha256: live.payload_sha256,
            decision: live.decision,
            source: live.source,
            answer,
            answered_ms: live.answered_ms,
            held_ms: live.held_ms,
            cooldown: live.cooldown,
            suppressed: live.suppressed,
            flags: live.flags.iter().flat_map(|flags| flags.split(' ')).map(str::to_owned).collect(),
            payload: captured.payload.map(|bytes| as_json(&bytes)),
        }
    }
}

impl LiveSessionDoc {
    /// Converts a session row.
    pub fn of(row: SessionRow) -> LiveSessionDoc {
        LiveSessionDoc {
            provider: row.session.agent,
            provider_ref: row.session.session,
            project_path: row.session.project,
            title: row.session.title,
            events: row.events,
            last: row.last.and_then(format_time),
        }
    }
}

/// A payload as JSON. A payload that is not JSON becomes a JSON string.
pub fn as_json(bytes: &[u8]) -> Box<RawValue> {
    let text = String::from_utf8_lossy(bytes);
    let raw = serde_json::from_str::<Box<RawValue>>(&text);
    raw.or_else(|_| serde_json::value::to_raw_value(&text)).unwrap_or_default()
}
