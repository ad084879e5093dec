//! Payloads as agents sent them: one per line, one per file, in a list, or with a recorder's notes.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::dialects;
use crate::dialects::shared::reconstruction::{line_breaks, text, time};
use crate::recorded::{
    FileContext, FileHead, FileShape, FormatFit, PayloadSource, RecordedEvent, RecordedSession, SourceLine,
    TranscriptFormat, TranscriptItem, TranscriptReader, digest, event_id,
};

const KIND: &str = "payloads";

/// One payload per line.
pub struct PayloadLines;

/// A whole file with one payload or a list of payloads.
pub struct PayloadFile;

impl TranscriptFormat for PayloadLines {
    fn kind(&self) -> &'static str {
        KIND
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let list = head.text.trim_start().starts_with('[');
        FormatFit::certain(
            !list && head.records.iter().any(|record| is_payload(record) || is_payload(&record["stdin"])),
        )
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(PayloadsReader::new(about))
    }
}

impl TranscriptFormat for PayloadFile {
    fn kind(&self) -> &'static str {
        KIND
    }
    fn shape(&self) -> FileShape {
        FileShape::Whole
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let text = head.text.trim_start();
        // A list may have its payloads in lines that are valid JSON by themselves.
        let one_value = text.starts_with('[') || (text.starts_with('{') && head.records.is_empty());
        let keys = ["\"hook_event_name\"", "\"toolName\"", "\"sessionId\"", "\"subagentId\""];
        let one_value = one_value && keys.iter().any(|key| text.contains(key));
        if one_value { FormatFit::Possible } else { FormatFit::No }
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(PayloadsReader::new(about))
    }
}

fn is_payload(record: &Value) -> bool {
    text(record, "hook_event_name").is_some()
        || dialects::read_older_payload(record).is_some()
        || dialects::recognise(record).is_some_and(|dialect| dialect.event_of(record).is_some())
}

/// A recorder's line: the payload, and the version that it noted.
#[derive(Deserialize)]
struct RecorderLine<'a> {
    #[serde(borrow)]
    stdin: &'a RawValue,
    version: Option<String>,
}

struct PayloadsReader {
    file: String,
    /// The number of occurrences of each payload, by its digest. Equal payloads are distinguished by their order.
    times: HashMap<String, u64>,
}

impl PayloadsReader {
    fn new(about: &FileContext) -> PayloadsReader {
        PayloadsReader { file: about.path.clone(), times: HashMap::new() }
    }

    fn one(&mut self, line: u64, raw: &str, record: &Value, out: &mut Vec<TranscriptItem>) {
        if is_payload(record) {
            return self.payload(line, raw, record, None, out);
        }
        let noted = serde_json::from_str::<RecorderLine<'_>>(raw).ok();
        let Some((noted, body)) = noted.and_then(|n| serde_json::from_str::<Value>(n.stdin.get()).ok().map(|b| (n, b)))
        else {
            return out
                .push(TranscriptItem::Skipped { line, why: "not a payload: it does not name an event".to_owned() });
        };
        match body {
            // The content of stdin as a JSON string.
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(body) => self.payload(line, &text, &body, noted.version, out),
                Err(_) => out.push(TranscriptItem::Skipped { line, why: "stdin was not JSON".to_owned() }),
            },
            body => self.payload(line, noted.stdin.get(), &body, noted.version, out),
        }
    }

    fn payload(&mut self, line: u64, raw: &str, body: &Value, version: Option<String>, out: &mut Vec<TranscriptItem>) {
        let dialect = dialects::recognise(body);
        // A payload in an older format is stored in today's, so that it can be fired.
        let older = dialects::read_older_payload(body);
        let source = if older.is_some() { PayloadSource::Rebuilt } else { PayloadSource::Recorded };
        let modern = older.map(|older| (older.body.to_string(), older.body));
        let (raw, body) = modern.as_ref().map_or((raw, body), |(raw, body)| (raw.as_str(), body));
        let named = text(body, "hook_event_name");
        let event = named.or_else(|| dialect.and_then(|dialect| dialect.event_of(body)).map(|event| event.name));
        let (Some(event), Some(dialect)) = (event, dialect) else {
            return out.push(TranscriptItem::Skipped { line, why: "not a payload of a known agent".to_owned() });
        };
        let event = dialect.main_spelling(event);
        let held = dialect.held_payload(event, body);
        let owned = |key: &str| text(held.as_ref().unwrap_or(body), key).map(str::to_owned);
        let session = RecordedSession {
            agent: dialect.id().to_string(),
            session: owned("session_id").unwrap_or_else(|| "unknown".to_owned()),
            version,
            project: owned("cwd"),
            title: None,
            started: time(body),
            ended: time(body),
        };
        let digest = digest(raw.as_bytes());
        let times = self.times.entry(digest.clone()).or_default();
        let key = format!("payload:{digest}:{times}");
        *times += 1;
        let event = RecordedEvent {
            id: event_id(&session.agent, &session.session, &key),
            version: session.version.clone(),
            agent_id: owned("agent_id"),
            project: session.project.clone(),
            at: time(body),
            payload_source: source,
            source: Some(SourceLine { file: self.file.clone(), line }),
            ..RecordedEvent::new(&session.agent, &session.session, event, raw.as_bytes().to_vec())
        };
        out.push(TranscriptItem::Session(session));
        out.push(TranscriptItem::Event(Box::new(event)));
    }
}

impl TranscriptReader for PayloadsReader {
    fn record(&mut self, line: u64, text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) else {
            let blank = text.as_bytes().get(..text.len() - text.trim_start().len()).unwrap_or_default();
            return self.one(line + line_breaks(blank), text.trim_start(), &record, out);
        };
        let begins = |item: &RawValue| (item.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let (mut at, mut lines) = (0, line);
        for (item, record) in items.into_iter().zip(record.as_array().map_or(&[] as &[Value], Vec::as_slice)) {
            let before = text.as_bytes().get(at..begins(item)).unwrap_or_default();
            lines += line_breaks(before);
            at = begins(item);
            self.one(lines, item.get(), record, out);
        }
    }

    fn end(&mut self, _out: &mut Vec<TranscriptItem>) {}
}
