//! The JSON documents of the server.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::live::PendingEventFact;
use hookbench_core::recorded::format_time;
use hookbench_system::store::{CapturedEvent, SessionRow};

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
