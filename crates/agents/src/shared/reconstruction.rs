//! Reconstruction of events from session files: payloads with the agent's order of keys, the session's metadata,
//! and a buffer for events until it is known whether they happened.

use std::mem;

use serde_json::{Map, Value};

use hookbench_base::recorded::{
    FileContext, RecordedEvent, RecordedRun, RecordedSession, SourceLine, TranscriptItem, event_id, parse_time,
};
use hookbench_base::text::stringify;

/// The maximum number of characters of a title.
const MAX_TITLE_CHARS: usize = 120;
/// The maximum number of hook reports that are kept until their event arrives.
const MAX_UNMATCHED_REPORTS: usize = 64;

/// A payload, built key by key.
#[derive(Debug, Clone, Default)]
pub struct PayloadBuilder(Map<String, Value>);

impl PayloadBuilder {
    /// Adds a key.
    #[must_use]
    pub fn put(mut self, key: &str, value: impl Into<Value>) -> PayloadBuilder {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a key if its value is known.
    #[must_use]
    pub fn put_some(self, key: &str, value: Option<impl Into<Value>>) -> PayloadBuilder {
        match value {
            Some(value) => self.put(key, value),
            None => self,
        }
    }

    /// Returns the payload as a JSON object.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// Returns a string field of a record.
pub fn text<'a>(record: &'a Value, key: &str) -> Option<&'a str> {
    record.get(key).and_then(Value::as_str)
}

/// Returns a boolean field of a record; `false` if it is missing.
pub fn flag(record: &Value, key: &str) -> bool {
    record.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// A number of seconds since 1970 is below this; a larger one is milliseconds.
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// Returns the time at which a record was written, in milliseconds since 1970. It is a text, or a number of seconds or of
/// milliseconds.
pub fn time(record: &Value) -> Option<i64> {
    let number = |at: i64| if at < MILLISECONDS_FROM { at.saturating_mul(1000) } else { at };
    let numbered = || record.get("timestamp").and_then(Value::as_i64).map(number);
    text(record, "timestamp").and_then(parse_time).or_else(numbered)
}

/// Counts the line breaks in some bytes.
pub fn line_breaks(bytes: &[u8]) -> u64 {
    (bytes.split(|byte| *byte == b'\n').count() as u64).saturating_sub(1)
}

/// Returns the file name of a path without its extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the name of the directory in which an agent keeps a project's files: the project's path, with every
/// character except letters and digits replaced by `-`.
pub fn slug(project: &str) -> String {
    project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The session metadata that is known so far, and a builder for its events.
#[derive(Debug, Clone)]
pub struct SessionBuilder {
    pub session: RecordedSession,
    write_json: fn(&Value) -> String,
    file: String,
    last_emitted: Option<RecordedSession>,
}

impl Default for SessionBuilder {
    fn default() -> SessionBuilder {
        SessionBuilder::new("", &FileContext::default())
    }
}

impl SessionBuilder {
    /// Starts without any metadata.
    pub fn new(agent: &str, about: &FileContext) -> SessionBuilder {
        let session = RecordedSession { agent: agent.to_owned(), session: "unknown".to_owned(), ..Default::default() };
        SessionBuilder { session, write_json: stringify, file: about.path.clone(), last_emitted: None }
    }

    /// Sets the JSON writer, for an agent that writes JSON differently from JavaScript.
    #[must_use]
    pub fn with_json_writer(self, spelling: fn(&Value) -> String) -> SessionBuilder {
        SessionBuilder { write_json: spelling, ..self }
    }

    /// Extends the session's time span to include this time.
    pub fn record_time(&mut self, at: Option<i64>) {
        let Some(at) = at else { return };
        self.session.started = Some(self.session.started.map_or(at, |started| started.min(at)));
        self.session.ended = Some(self.session.ended.map_or(at, |ended| ended.max(at)));
    }

    /// Records a prompt. The first one becomes the session's title.
    pub fn record_prompt(&mut self, prompt: &str) {
        let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.session.title.is_none() && !line.is_empty() {
            let cut: String = line.chars().take(MAX_TITLE_CHARS).collect();
            self.session.title = Some(if cut.len() < line.len() { format!("{cut}…") } else { cut });
        }
    }

    /// Emits the session if it has changed since it was last emitted. A change of times alone is emitted only at
    /// the end.
    pub fn emit_session(&mut self, at_the_end: bool, out: &mut Vec<TranscriptItem>) {
        let known = |s: &RecordedSession| (s.session.clone(), s.version.clone(), s.project.clone(), s.title.clone());
        let news = match &self.last_emitted {
            None => true,
            Some(said) if at_the_end => *said != self.session,
            Some(said) => known(said) != known(&self.session),
        };
        if news {
            out.push(TranscriptItem::Session(self.session.clone()));
            self.last_emitted = Some(self.session.clone());
        }
    }

    /// Builds an event of this session. `key` makes its id unique.
    pub fn build_event(
        &self,
        event: &str,
        key: &str,
        at: Option<i64>,
        line: u64,
        body: PayloadBuilder,
    ) -> RecordedEvent {
        let body = body.into_value();
        let session = &self.session;
        let agent_id = text(&body, "agent_id").map(str::to_owned);
        // Calls of different sub-agents may have the same id.
        let inside = agent_id.as_deref().unwrap_or_default();
        RecordedEvent {
            id: event_id(&session.agent, &session.session, &format!("{event}:{inside}:{key}")),
            agent: session.agent.clone(),
            version: session.version.clone(),
            session: session.session.clone(),
            agent_id,
            project: session.project.clone(),
            event: event.to_owned(),
            at,
            source: Some(SourceLine { file: self.file.clone(), line }),
            payload: (self.write_json)(&body).into_bytes(),
            ..RecordedEvent::default()
        }
    }
}

/// A buffer that keeps events in order while later records may still add to them.
#[derive(Debug, Default)]
pub struct EventBuffer {
    events: Vec<BufferedEvent>,
    unmatched_reports: Vec<(String, String, RecordedRun)>,
}

#[derive(Debug)]
struct BufferedEvent {
    event: RecordedEvent,
    /// The id of the call that links reports and results to this event. Empty for an event without a call.
    call: String,
    /// Whether the event may not have happened. The call's result settles it.
    unconfirmed: bool,
}

impl EventBuffer {
    /// Adds an event that has happened.
    pub fn push(&mut self, call: &str, event: RecordedEvent) {
        self.add(call, event, false);
    }

    /// Adds an event that may turn out not to have happened.
    pub fn push_unsure(&mut self, call: &str, event: RecordedEvent) {
        self.add(call, event, true);
    }

    fn add(&mut self, call: &str, mut event: RecordedEvent, unsure: bool) {
        let (mine, rest) = mem::take(&mut self.unmatched_reports)
            .into_iter()
            .partition(|(name, of, _)| *name == event.event && of == call);
        self.unmatched_reports = rest;
        let mine: Vec<_> = mine;
        event.runs.extend(mine.into_iter().map(|(_, _, run)| run));
        self.events.push(BufferedEvent { event, call: call.to_owned(), unconfirmed: unsure });
    }

    /// Returns the event of this call.
    pub fn find(&mut self, event: &str, call: &str) -> Option<&mut RecordedEvent> {
        self.events.iter_mut().rev().find(|h| h.event.event == event && h.call == call).map(|h| &mut h.event)
    }

    /// Returns the newest event of this name.
    pub fn last(&mut self, event: &str) -> Option<&mut RecordedEvent> {
        self.events.iter_mut().rev().find(|h| h.event.event == event).map(|h| &mut h.event)
    }

    /// Marks an event as having happened.
    pub fn confirm(&mut self, event: &str, call: &str) {
        for held in self.events.iter_mut().filter(|h| h.event.event == event && h.call == call) {
            held.unconfirmed = false;
        }
    }

    /// Removes an unconfirmed event, because it did not happen.
    pub fn discard(&mut self, event: &str, call: &str) {
        self.events.retain(|h| !(h.unconfirmed && h.event.event == event && h.call == call));
    }

    /// Adds a hook's run to its event, or keeps it until that event arrives.
    pub fn add_report(&mut self, event: &str, call: &str, run: RecordedRun) {
        if let Some(found) = self.find(event, call) {
            found.runs.push(run);
        } else if self.unmatched_reports.len() < MAX_UNMATCHED_REPORTS {
            self.unmatched_reports.push((event.to_owned(), call.to_owned(), run));
        }
    }

    /// Emits all buffered events. The agent has continued, so no later record will refute them.
    pub fn flush(&mut self, told: &mut SessionBuilder, out: &mut Vec<TranscriptItem>) {
        self.unmatched_reports.clear();
        if self.events.is_empty() {
            return;
        }
        told.emit_session(false, out);
        out.extend(self.events.drain(..).map(|held| TranscriptItem::Event(Box::new(held.event))));
    }

    /// Emits the remaining events at the end of the file. Unconfirmed events without runs are reported as skipped,
    /// since the file may still grow.
    pub fn finish(&mut self, told: &mut SessionBuilder, out: &mut Vec<TranscriptItem>) {
        let (unsure, sure): (Vec<BufferedEvent>, Vec<BufferedEvent>) =
            mem::take(&mut self.events).into_iter().partition(|h| h.unconfirmed && h.event.runs.is_empty());
        self.events = sure;
        self.flush(told, out);
        for held in unsure {
            let line = held.event.source.map_or(0, |source| source.line);
            let why = "the call has no result yet, so it is unknown whether hooks ran".to_owned();
            out.push(TranscriptItem::Skipped { line, why });
        }
        told.emit_session(true, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_and_directories() {
        assert_eq!((stem("/a/b.jsonl"), stem("b"), stem("/a.b/c")), ("b", "b", "c"));
        assert_eq!(slug("/home/u/my_p.x"), "-home-u-my-p-x");
    }

    #[test]
    fn titles_are_one_short_line() {
        let mut told = SessionBuilder::new("x", &FileContext::default());
        told.record_prompt("  \n ");
        told.record_prompt("fix\n  it");
        told.record_prompt("and more");
        assert_eq!(told.session.title.as_deref(), Some("fix it"));
        let mut told = SessionBuilder::new("x", &FileContext::default());
        told.record_prompt(&"é".repeat(200));
        assert_eq!(told.session.title.map(|t| t.chars().count()), Some(MAX_TITLE_CHARS + 1));
    }

    #[test]
    fn what_is_unsure_at_the_end_is_said() {
        let mut told = SessionBuilder::new("x", &FileContext::default());
        let (mut waiting, mut out) = (EventBuffer::default(), Vec::new());
        for (call, line) in [("a", 1), ("b", 2), ("c", 3)] {
            waiting.push_unsure(call, told.build_event("Before", call, None, line, PayloadBuilder::default()));
        }
        waiting.confirm("Before", "a");
        waiting.discard("Before", "a");
        waiting.discard("Before", "b");
        waiting.finish(&mut told, &mut out);
        let kinds: Vec<String> = out
            .iter()
            .map(|read| match read {
                TranscriptItem::Session(_) => "session".to_owned(),
                TranscriptItem::Event(event) => format!("event {}", event.source.as_ref().unwrap().line),
                TranscriptItem::Skipped { line, .. } => format!("skipped {line}"),
            })
            .collect();
        assert_eq!(kinds, ["session", "event 1", "skipped 3"]);
    }
}
