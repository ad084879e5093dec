//! Converts an event that has arrived to its form in the store.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::StorageState;
use super::spooled::REDACTED;
use hookbench_core::recorded::{PayloadSource, RecordedEvent, RecordedSession, digest, format_time};
use hookbench_system::disk::canonical;
use hookbench_system::server::HookRequest;
use hookbench_system::store::{CaptureAnswer, LiveData, StoredCooldown, StoredHandoff};

/// The maximum number of characters of a session's title.
const LONGEST_TITLE: usize = 120;
/// The maximum number of cached project paths.
const PROJECTS: usize = 256;

/// An event with all data for the store.
pub struct StoredEvent {
    pub event: RecordedEvent,
    pub what: Option<String>,
    pub live: LiveData,
    pub session: RecordedSession,
}

/// A cache of canonical project paths, so that a link and its target count as one project.
#[derive(Default)]
pub struct ProjectPaths(HashMap<String, String>);

impl ProjectPaths {
    fn key(&mut self, path: &str) -> String {
        if let Some(key) = self.0.get(path) {
            return key.clone();
        }
        let real = canonical(path);
        let key = real.map_or_else(|_| path.to_owned(), |real| real.display().to_string());
        if self.0.len() >= PROJECTS {
            self.0.clear();
        }
        self.0.insert(path.to_owned(), key.clone());
        key
    }
}

/// Converts a record to its stored form.
pub fn stored_event(record: &EventRecord, projects: &mut ProjectPaths, now_ms: i64) -> StoredEvent {
    let hook = &record.hook;
    let payload = payload(hook);
    let answer = record.answer.clone().unwrap_or_default();
    let mut flags = Vec::new();
    flags.extend(record.masked.then(|| REDACTED.to_owned()));
    flags.extend(hook.is_text.then(|| "text".to_owned()));
    let oversize = hook.oversize.filter(|_| !record.payload_dropped);
    flags.extend(oversize.map(|bytes| format!("oversize={bytes}")));
    flags.extend(record.payload_dropped.then(|| "dropped".to_owned()));
    flags.extend((!hook.extra.is_empty()).then(|| "extra".to_owned()));
    flags.extend(answer.flags.clone());
    let live = LiveData {
        schema_version: i64::try_from(hook.schema_version).unwrap_or(i64::MAX),
        name: Some(hook.event.clone()),
        tool: hook.normal.tool.clone(),
        project_key: Some(projects.key(&hook.project_path)),
        stored_ms: Some(now_ms),
        payload_sha256: (!record.payload_dropped).then(|| digest(&payload)),
        decision: answer.decision,
        source: answer.source,
        decision_json: answer.decision_json,
        answered_ms: record.answer.as_ref().map(|answer| answer.answered_ms),
        held_ms: answer.held_ms,
        cooldown: record.answer.as_ref().map(|answer| answer.cooldown),
        suppressed: answer.suppressed,
        flags: Some(flags.join(" ")).filter(|flags| !flags.is_empty()),
        lost_bytes: hook.oversize.filter(|_| record.payload_dropped),
    };
    StoredEvent { what: hook.summary.highlight.clone(), session: session(hook), event: event(record, payload), live }
}

fn event(record: &EventRecord, payload: Vec<u8>) -> RecordedEvent {
    let hook = &record.hook;
    RecordedEvent {
        id: record.id.clone(),
        agent: hook.provider.clone(),
        session: hook.provider_ref.clone(),
        agent_id: hook.normal.agent_id.clone(),
        project: Some(hook.project_path.clone()),
        event: hook.summary.event_name.clone(),
        subject: hook.summary.subject.clone(),
        at: format_time(hook.received_ms).map(|_| hook.received_ms),
        payload_source: PayloadSource::Recorded,
        payload,
        ..RecordedEvent::default()
    }
}

/// The bytes that the agent sent to its hook. A payload that was not JSON is transferred as a JSON string.
fn payload(hook: &HookRequest) -> Vec<u8> {
    let text = hook.is_text.then(|| serde_json::from_str::<String>(&hook.payload).ok()).flatten();
    text.map_or_else(|| hook.payload.as_bytes().to_vec(), String::into_bytes)
}

fn session(hook: &HookRequest) -> RecordedSession {
    let at = Some(hook.received_ms);
    let title = hook.normal.prompt.as_deref().and_then(|prompt| prompt.lines().find(|line| !line.trim().is_empty()));
    RecordedSession {
        agent: hook.provider.clone(),
        session: hook.provider_ref.clone(),
        version: None,
        project: Some(hook.project_path.clone()),
        title: title.map(|line| line.trim().chars().take(LONGEST_TITLE).collect()),
        started: at,
        ended: at.filter(|_| hook.event == "session_end"),
    }
}

/// A record to store.
#[derive(Debug, Clone)]
pub enum StoreRecord {
    Event(Box<EventRecord>),
    Answer(CaptureAnswer),
    Cooldown(StoredCooldown),
    Handoff(StoredHandoff),
    Delivered { provider: String, provider_ref: String, created_ms: i64, at_ms: i64 },
}

/// An event to store.
#[derive(Debug, Clone)]
pub struct EventRecord {
    /// The id under which the event is stored.
    pub id: String,
    pub hook: Arc<HookRequest>,
    /// The answer, if the event was answered before it was stored.
    pub answer: Option<CaptureAnswer>,
    /// Whether the payload was dropped for lack of room.
    pub payload_dropped: bool,
    /// Whether it comes from the spool of an ended server, so that it may be stored already.
    pub recovered: bool,
    /// Whether secrets in it were masked before.
    pub masked: bool,
    pub ticket: Ticket,
}

/// The storage state of one event, shared between the hub and the writer.
#[derive(Debug, Clone, Default)]
pub struct Ticket(Arc<AtomicU8>);

impl Ticket {
    /// The current state.
    pub fn state(&self) -> StorageState {
        match self.0.load(Ordering::Acquire) {
            0 => StorageState::Queued,
            1 => StorageState::Yes,
            3 => StorageState::Memory,
            _ => StorageState::Dropped,
        }
    }

    /// Marks the event as committed. An event that was marked as dropped stays dropped.
    pub fn mark_committed(&self) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| (state != 2).then_some(1));
    }

    /// Marks the event as waiting outside the spool.
    pub(super) fn mark_unspooled(&self) {
        let _ = self.0.compare_exchange(0, 3, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Marks the event, or its payload, as dropped.
    pub fn mark_dropped(&self) {
        self.0.store(2, Ordering::Release);
    }
}
