//! The part of a transcript that existed at the moment of an event.

use serde::Deserialize;
use serde_json::Value;

use crate::dialects::shared::reconstruction::{text, time};
use crate::recorded::{
    FileContext, FileHead, FileShape, FormatFit, RecordedEvent, RecordedSession, TranscriptFormat, TranscriptItem,
    TranscriptReader, parse_event_line,
};

/// A transcript, and the moment at which to cut it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptCut {
    /// The transcript.
    pub path: String,
    /// The last line that existed, counted from 1. `None` if the time decides.
    pub line: Option<u64>,
    /// The time of the event, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// The key of a payload that names the transcript.
#[derive(Deserialize)]
struct TranscriptKey {
    transcript_path: Option<String>,
}

impl TranscriptCut {
    /// The cut for an event. `None` if the event names no transcript, or if neither a line nor a time is known.
    pub fn of(event: &RecordedEvent) -> Option<TranscriptCut> {
        let named = serde_json::from_slice::<TranscriptKey>(&event.payload).ok().and_then(|key| key.transcript_path);
        let named = named.filter(|path| !path.is_empty());
        let source = event.source.as_ref();
        let path = named.clone().or_else(|| source.map(|source| source.file.clone()))?;
        let line = source.filter(|source| source.file == path).map(|source| source.line);
        (line.is_some() || event.at.is_some()).then_some(TranscriptCut { path, line, at: event.at })
    }

    /// Whether a line of the transcript was written after the event.
    pub fn is_later_line(&self, number: u64, line: &str) -> bool {
        match self.line {
            Some(last) => number > last,
            None => serde_json::from_str::<Value>(line).is_ok_and(|record| self.is_later(&record)),
        }
    }

    /// Whether a record was written after the event.
    fn is_later(&self, record: &Value) -> bool {
        time(record).zip(self.at).is_some_and(|(written, at)| written > at)
    }

    /// Cuts a transcript that is one object with a list of messages. Returns the text, and the numbers of kept and of
    /// later messages. `None` if the text is not such an object.
    pub fn cut_object(&self, text: &str) -> Option<(String, u64, u64)> {
        let mut root: Value = serde_json::from_str(text).ok()?;
        let messages = root.get_mut("messages")?.as_array_mut()?;
        let all = messages.len() as u64;
        messages.retain(|message| !self.is_later(message));
        let kept = messages.len() as u64;
        Some((root.to_string(), kept, all - kept))
    }
}

/// Lines of `event/1`.
pub struct EventLines;

impl TranscriptFormat for EventLines {
    fn kind(&self) -> &'static str {
        "event-lines"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let ours = |record: &Value| text(record, "schema").is_some_and(|schema| schema.starts_with("event/"));
        FormatFit::certain(head.records.iter().any(ours))
    }
    fn reader(&self, _about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(EventLinesReader)
    }
}

struct EventLinesReader;

impl TranscriptReader for EventLinesReader {
    fn record(&mut self, line: u64, text: &str, _record: Value, out: &mut Vec<TranscriptItem>) {
        match parse_event_line(text) {
            Err(why) => out.push(TranscriptItem::Skipped { line, why: why.to_string() }),
            Ok(event) => {
                out.push(TranscriptItem::Session(RecordedSession {
                    agent: event.agent.clone(),
                    session: event.session.clone(),
                    version: event.version.clone(),
                    project: event.project.clone(),
                    title: None,
                    started: event.at,
                    ended: event.at,
                }));
                out.push(TranscriptItem::Event(Box::new(event)));
            }
        }
    }

    fn end(&mut self, _out: &mut Vec<TranscriptItem>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::SourceLine;
    use serde_json::json;

    fn event(payload: &Value, source: Option<(&str, u64)>, at: Option<i64>) -> RecordedEvent {
        let source = source.map(|(file, line)| SourceLine { file: file.to_owned(), line });
        RecordedEvent { source, at, ..RecordedEvent::new("a", "s", "Stop", payload.to_string().into_bytes()) }
    }

    #[test]
    fn where_to_cut() {
        let named = json!({"transcript_path": "/t"});
        let cut = |path: &str, line, at| Some(TranscriptCut { path: path.to_owned(), line, at });
        for (payload, source, at, want) in [
            (&named, Some(("/t", 5)), Some(9), cut("/t", Some(5), Some(9))),
            (&named, Some(("/other", 5)), Some(9), cut("/t", None, Some(9))),
            (&named, Some(("/other", 5)), None, None),
            (&named, None, Some(9), cut("/t", None, Some(9))),
            (&json!({}), Some(("/s", 5)), None, cut("/s", Some(5), None)),
            (&json!({"transcript_path": ""}), None, Some(9), None),
            (&json!([]), None, Some(9), None),
        ] {
            assert_eq!(TranscriptCut::of(&event(payload, source, at)), want, "{payload} {source:?}");
        }
    }

    #[test]
    fn lines_and_messages_after_the_event() {
        let by_line = TranscriptCut { path: String::new(), line: Some(2), at: Some(0) };
        assert_eq!([1, 2, 3].map(|number| by_line.is_later_line(number, "{")), [false, false, true]);
        let by_time = TranscriptCut { path: String::new(), line: None, at: Some(1_767_225_600_000) };
        for (line, later) in [
            (r#"{"timestamp":"2026-01-01T00:00:00Z"}"#, false),
            (r#"{"timestamp":"2026-01-01T00:00:00.001Z"}"#, true),
            (r#"{"timestamp":1767225601}"#, true),
            (r#"{"type":"summary"}"#, false),
            ("half", false),
        ] {
            assert_eq!(by_time.is_later_line(9, line), later, "{line}");
        }
        let object = json!({"sessionId": "s", "messages": [{"timestamp": "2025-01-01T00:00:00Z"}, {"timestamp": "2027-01-01T00:00:00Z"}]});
        let (text, kept, later) = by_time.cut_object(&object.to_string()).unwrap();
        assert_eq!((kept, later), (1, 1));
        assert!(text.contains("2025") && !text.contains("2027"), "{text}");
        assert_eq!(by_time.cut_object("{}"), None);
    }
}
