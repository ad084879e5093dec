//! hookbench's own lines, as exported and as kept with a project.

use serde_json::Value;

use crate::dialects::shared::reconstruction::text;
use crate::recorded::{
    FileContext, FileHead, FileShape, FormatFit, RecordedSession, TranscriptFormat, TranscriptItem, TranscriptReader,
    parse_event_line,
};

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
