//! hookbench's own lines, as exported and as kept with a project.

use serde_json::Value;

use crate::dialects::shared::rebuilt::text;
use crate::recorded::{About, Fit, Head, Read, Reader, RecordedSession, Shape, TranscriptFormat, read_line};

/// Lines of `event/1`.
pub struct EventLines;

impl TranscriptFormat for EventLines {
    fn kind(&self) -> &'static str {
        "event-lines"
    }
    fn shape(&self) -> Shape {
        Shape::Lines
    }
    fn fits(&self, head: &Head<'_>) -> Fit {
        let ours = |record: &Value| text(record, "schema").is_some_and(|schema| schema.starts_with("event/"));
        Fit::certain(head.records.iter().any(ours))
    }
    fn reader(&self, _about: &About) -> Box<dyn Reader> {
        Box::new(Lines)
    }
}

struct Lines;

impl Reader for Lines {
    fn record(&mut self, line: u64, text: &str, _record: Value, out: &mut Vec<Read>) {
        match read_line(text) {
            Err(why) => out.push(Read::Skipped { line, why: why.to_string() }),
            Ok(event) => {
                out.push(Read::Session(RecordedSession {
                    agent: event.agent.clone(),
                    session: event.session.clone(),
                    version: event.version.clone(),
                    project: event.project.clone(),
                    title: None,
                    started: event.at,
                    ended: event.at,
                }));
                out.push(Read::Event(Box::new(event)));
            }
        }
    }

    fn end(&mut self, _out: &mut Vec<Read>) {}
}
