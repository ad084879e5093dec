//! Records in the spool: events and answers that wait for the writer, so that a killed server loses nothing that it has
//! answered as queued. A record is a line of JSON, and the event's payload after it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::stored_event::{EventRecord, StoreRecord, StoredEvent, Ticket};
use crate::firing::history::gist;
use hookbench_core::dialects::{self, Version, default_version, find_event};
use hookbench_core::live::normalized_event::NormalizedEvent;
use hookbench_core::live::{AcceptedDecisions, live_form, native_event};
use hookbench_core::recorded::{digest, redact, redact_text};
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

/// The flag of an event with masked values.
pub(super) const REDACTED: &str = "redacted";

impl StoredEvent {
    /// Masks the payload and everything derived from it, and sets the flag.
    pub fn mask(&mut self) {
        if let Some(json) = self.live.decision_json.as_deref().and_then(redact_text) {
            self.live.decision_json = Some(json);
        }
        let Some(clean) = redact(&self.event) else { return };
        self.event = clean;
        // Display values are cut from the payload, possibly in the middle of a secret.
        (self.what, self.session.title) = (None, None);
        // The digest is computed from the masked payload, because the original digest would allow guesses at the
        // secret to be checked.
        self.live.payload_sha256 = self.live.payload_sha256.as_ref().map(|_| digest(&self.event.payload));
        let flags = self.live.flags.take().map(|flags| format!(" {flags}")).unwrap_or_default();
        let again = flags.split(' ').any(|flag| flag == REDACTED);
        self.live.flags = Some(if again { flags.trim().to_owned() } else { format!("{REDACTED}{flags}") });
    }
}

/// Masks a record that is not an event. `None` if there is nothing to mask.
pub fn masked(record: &StoreRecord) -> Option<StoreRecord> {
    match record {
        StoreRecord::Answer(answer) => masked_answer(answer).map(StoreRecord::Answer),
        StoreRecord::Handoff(handoff) => {
            let (json, yaml) = (redact_text(&handoff.json), redact_text(&handoff.yaml));
            (json.is_some() || yaml.is_some()).then(|| {
                let mut handoff = handoff.clone();
                (handoff.json, handoff.yaml) = (json.unwrap_or(handoff.json), yaml.unwrap_or(handoff.yaml));
                StoreRecord::Handoff(handoff)
            })
        }
        StoreRecord::Event(_) | StoreRecord::Cooldown(_) | StoreRecord::Delivered { .. } => None,
    }
}

/// Masks an answer. `None` if there is nothing to mask.
pub fn masked_answer(answer: &CaptureAnswer) -> Option<CaptureAnswer> {
    let decision_json = redact_text(answer.decision_json.as_deref()?)?;
    Some(CaptureAnswer { decision_json: Some(decision_json), ..answer.clone() })
}

/// The maximum number of characters of the display value.
const LONGEST: usize = 160;
/// Values longer than this (in bytes) are not parsed, because they are useless in a list.
const LONG_VALUE: usize = 64 * 1024;

/// Extracts the display values of an event.
pub fn display_values(hook: &HookRequest) -> EventSummary {
    let native = live_form(&hook.provider).map_or_else(|| hook.event.clone(), |form| native_event(form, &hook.event));
    let mut about = EventSummary { event_name: native, ..EventSummary::default() };
    let Some(dialect) = dialects::by_id(&hook.provider) else { return about };
    let Some(body) = short_values(&hook.payload) else { return about };
    let version: Version = default_version(dialect);
    let spec = find_event(dialect, &version, &about.event_name);
    about.highlight = gist(spec, &body).map(|what| what.chars().take(LONGEST).collect());
    about.subject =
        spec.filter(|spec| spec.subject.is_some()).and_then(|spec| dialect.subject(spec, &body, &version).value);
    about
}

/// The payload without its long values. `None` if it is not an object.
fn short_values(payload: &str) -> Option<Value> {
    let object: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(payload).ok()?;
    let short = object.into_iter().filter(|(_, raw)| raw.get().len() <= LONG_VALUE);
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    Some(short.filter_map(|(key, raw)| Some((key.into_owned(), value(raw)?))).collect())
}
