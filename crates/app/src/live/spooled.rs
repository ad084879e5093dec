//! Records in the spool: events and answers that wait for the writer, so that a killed server loses nothing that it has
//! answered as queued. A record is a line of JSON, and the event's payload after it.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::display_values::display_values;
use super::mask::masked_answer;
use super::store_record::{EventRecord, StoreRecord, Ticket};
use hookbench_core::live::AcceptedDecisions;
use hookbench_core::live::normalized_event::NormalizedEvent;
use hookbench_core::recorded::redact_text;
use hookbench_system::server::{EventSummary, HookRequest};
use hookbench_system::spool::{SegmentId, Spool};
use hookbench_system::store::CaptureAnswer;

/// The directory beside the store.
const DIRECTORY: &str = "live-spool";

/// The spool of the records.
#[derive(Debug)]
pub struct RecordSpool {
    files: Spool,
    /// Whether secrets are masked before anything is written.
    masks: bool,
}

/// The line of a record.
#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
enum RecordLine {
    Event(Box<SpooledEvent>),
    Answer(CaptureAnswer),
}

/// An event without its payload and without what can be derived from it.
#[derive(Serialize, Deserialize)]
struct SpooledEvent {
    id: String,
    schema_version: u64,
    provider: String,
    event: String,
    provider_ref: String,
    project_path: String,
    received_at: String,
    received_ms: i64,
    extra: Vec<(String, String)>,
    is_text: bool,
    oversize: Option<u64>,
    masked: bool,
    answer: Option<CaptureAnswer>,
}

/// The records of an ended server, each with its file in the spool.
type LeftStoreRecords = Vec<(SegmentId, StoreRecord)>;

impl RecordSpool {
    /// Opens the spool of a store, and returns what a killed server has left in it, and a sentence for each damage.
    pub fn open(store: &Path, masks: bool) -> (RecordSpool, LeftStoreRecords, Vec<String>) {
        let (files, left) = Spool::open(&store.with_file_name(DIRECTORY));
        let (mut records, mut unreadable) = (Vec::new(), 0);
        for (segment, bytes) in left.records {
            match decode(&bytes) {
                Some(record) => records.push((segment, record)),
                None => {
                    files.done(segment);
                    unreadable += 1;
                }
            }
        }
        let mut damage: Vec<String> =
            left.damage.into_iter().map(|says| format!("the spool of events: {says}")).collect();
        if unreadable > 0 {
            damage.push(format!("the spool of events: {unreadable} records are unreadable and were skipped"));
        }
        (RecordSpool { files, masks }, records, damage)
    }

    /// Appends a record. `None` if it needs no place in the spool, or if the spool cannot be written.
    pub fn append(&self, record: &StoreRecord) -> Option<SegmentId> {
        self.files.append(&encode(record, self.masks)?).ok()
    }

    /// Reports that a record of this file is stored, or will never be.
    pub fn done(&self, segment: SegmentId) {
        self.files.done(segment);
    }
}

/// `None` for records about which nothing was promised.
fn encode(record: &StoreRecord, masks: bool) -> Option<Vec<u8>> {
    let clean =
        |answer: &CaptureAnswer| masks.then(|| masked_answer(answer)).flatten().unwrap_or_else(|| answer.clone());
    let (line, payload) = match record {
        StoreRecord::Event(event) if event.payload_dropped => return None,
        StoreRecord::Event(event) => {
            let hook = &event.hook;
            let payload = masks.then(|| redact_text(&hook.payload)).flatten();
            let line = SpooledEvent {
                id: event.id.clone(),
                schema_version: hook.schema_version,
                provider: hook.provider.clone(),
                event: hook.event.clone(),
                provider_ref: hook.provider_ref.clone(),
                project_path: hook.project_path.clone(),
                received_at: hook.received_at.clone(),
                received_ms: hook.received_ms,
                extra: hook.extra.clone(),
                is_text: hook.is_text,
                oversize: hook.oversize,
                masked: event.masked || payload.is_some(),
                answer: event.answer.as_ref().map(clean),
            };
            (RecordLine::Event(Box::new(line)), payload.map_or_else(|| Arc::clone(&hook.payload), Arc::from))
        }
        StoreRecord::Answer(answer) => (RecordLine::Answer(clean(answer)), Arc::from("")),
        StoreRecord::Cooldown(_) | StoreRecord::Handoff(_) | StoreRecord::Delivered { .. } => return None,
    };
    let mut bytes = serde_json::to_vec(&line).ok()?;
    bytes.push(b'\n');
    bytes.extend_from_slice(payload.as_bytes());
    Some(bytes)
}

/// `None` if it is not a record of this version.
fn decode(bytes: &[u8]) -> Option<StoreRecord> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let payload = std::str::from_utf8(bytes.get(end + 1..)?).ok()?;
    let line = match serde_json::from_slice(bytes.get(..end)?).ok()? {
        RecordLine::Answer(answer) => return Some(StoreRecord::Answer(answer)),
        RecordLine::Event(line) => *line,
    };
    let mut hook = HookRequest {
        seq: 0,
        schema_version: line.schema_version,
        normal: NormalizedEvent::read(&line.provider, &line.event, 0, payload),
        provider: line.provider,
        event: line.event,
        provider_ref: line.provider_ref,
        project_path: line.project_path,
        received_at: line.received_at,
        received_ms: line.received_ms,
        payload: payload.into(),
        extra: line.extra,
        accept: AcceptedDecisions::all(),
        budget: None,
        request_id: None,
        is_text: line.is_text,
        oversize: line.oversize,
        summary: EventSummary::default(),
    };
    hook.summary = display_values(&hook);
    Some(StoreRecord::Event(Box::new(EventRecord {
        id: line.id,
        hook: Arc::new(hook),
        answer: line.answer,
        payload_dropped: false,
        recovered: true,
        masked: line.masked,
        ticket: Ticket::default(),
    })))
}
