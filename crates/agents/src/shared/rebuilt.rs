//! Events that are put together from a session file: payloads in the agent's order of keys, what is known of the session
//! by now, and events that wait until it is known whether they happened.

use std::mem;

use serde_json::{Map, Value};

use hookbench_base::recorded::{
    FileContext, PayloadSource, RecordedEvent, RecordedRun, RecordedSession, SourceLine, TranscriptItem, event_id,
    parse_time,
};
use hookbench_base::text::stringify;

/// Characters of a title.
const TITLE: usize = 120;
/// Reports of hooks that wait for their event.
const LOOSE: usize = 64;

/// A payload, key by key.
#[derive(Debug, Clone, Default)]
pub struct Body(Map<String, Value>);

impl Body {
    /// With this key.
    #[must_use]
    pub fn put(mut self, key: &str, value: impl Into<Value>) -> Body {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// With this key, when it is known.
    #[must_use]
    pub fn maybe(self, key: &str, value: Option<impl Into<Value>>) -> Body {
        match value {
            Some(value) => self.put(key, value),
            None => self,
        }
    }

    /// The object.
    pub fn value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A string of a record.
pub fn text<'a>(record: &'a Value, key: &str) -> Option<&'a str> {
    record.get(key).and_then(Value::as_str)
}

/// A flag of a record.
pub fn flag(record: &Value, key: &str) -> bool {
    record.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// When a record was written.
pub fn time(record: &Value) -> Option<i64> {
    text(record, "timestamp").and_then(parse_time)
}

/// How many lines end in these bytes.
pub fn line_breaks(bytes: &[u8]) -> u64 {
    (bytes.split(|byte| *byte == b'\n').count() as u64).saturating_sub(1)
}

/// The last part of a path, without its ending.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The folder in which an agent keeps a project's files: its path, everything but letters and digits replaced.
pub fn slug(project: &str) -> String {
    project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// What is known of the session that a file is about.
#[derive(Debug, Clone)]
pub struct Told {
    pub session: RecordedSession,
    spelling: fn(&Value) -> String,
    file: String,
    said: Option<RecordedSession>,
}

impl Told {
    /// Nothing yet.
    pub fn new(agent: &str, about: &FileContext) -> Told {
        let session = RecordedSession { agent: agent.to_owned(), session: "unknown".to_owned(), ..Default::default() };
        Told { session, spelling: stringify, file: about.path.clone(), said: None }
    }

    /// Of an agent that writes JSON otherwise than JavaScript does.
    #[must_use]
    pub fn spelt(self, spelling: fn(&Value) -> String) -> Told {
        Told { spelling, ..self }
    }

    /// Something was written then.
    pub fn at(&mut self, at: Option<i64>) {
        let Some(at) = at else { return };
        self.session.started = Some(self.session.started.map_or(at, |started| started.min(at)));
        self.session.ended = Some(self.session.ended.map_or(at, |ended| ended.max(at)));
    }

    /// Its user asked this.
    pub fn asked(&mut self, prompt: &str) {
        let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.session.title.is_none() && !line.is_empty() {
            let cut: String = line.chars().take(TITLE).collect();
            self.session.title = Some(if cut.len() < line.len() { format!("{cut}…") } else { cut });
        }
    }

    /// Says what is new. Times alone are news at the end only.
    pub fn say(&mut self, at_the_end: bool, out: &mut Vec<TranscriptItem>) {
        let known = |s: &RecordedSession| (s.session.clone(), s.version.clone(), s.project.clone(), s.title.clone());
        let news = match &self.said {
            None => true,
            Some(said) if at_the_end => *said != self.session,
            Some(said) => known(said) != known(&self.session),
        };
        if news {
            out.push(TranscriptItem::Session(self.session.clone()));
            self.said = Some(self.session.clone());
        }
    }

    /// An event of this session. `key` tells it from the others.
    pub fn event(&self, event: &str, key: &str, at: Option<i64>, line: u64, body: Body) -> RecordedEvent {
        let body = body.value();
        let session = &self.session;
        let agent_id = text(&body, "agent_id").map(str::to_owned);
        // Sub-agents are told apart: they may call their calls alike.
        let inside = agent_id.as_deref().unwrap_or_default();
        RecordedEvent {
            id: event_id(&session.agent, &session.session, &format!("{event}:{inside}:{key}")),
            agent: session.agent.clone(),
            version: session.version.clone(),
            session: session.session.clone(),
            agent_id,
            project: session.project.clone(),
            event: event.to_owned(),
            subject: None,
            at,
            payload_source: PayloadSource::Rebuilt,
            origin: None,
            source: Some(SourceLine { file: self.file.clone(), line }),
            payload: (self.spelling)(&body).into_bytes(),
            runs: Vec::new(),
            verdict: None,
            outcome: None,
            diagnostics: Vec::new(),
            marked: false,
            comment: None,
        }
    }
}

/// Events in the order in which they came up, held back while something may still be learnt of them.
#[derive(Debug, Default)]
pub struct Waiting {
    held: Vec<Held>,
    loose: Vec<(String, String, RecordedRun)>,
}

#[derive(Debug)]
struct Held {
    event: RecordedEvent,
    /// What ties reports and results to it: the id of a call, or nothing.
    call: String,
    /// Whether it happened will be known when the call has its result.
    unsure: bool,
}

impl Waiting {
    /// Holds an event that has happened.
    pub fn push(&mut self, call: &str, event: RecordedEvent) {
        self.hold(call, event, false);
    }

    /// Holds an event that may turn out not to have happened.
    pub fn push_unsure(&mut self, call: &str, event: RecordedEvent) {
        self.hold(call, event, true);
    }

    fn hold(&mut self, call: &str, mut event: RecordedEvent, unsure: bool) {
        let (mine, rest) =
            mem::take(&mut self.loose).into_iter().partition(|(name, of, _)| *name == event.event && of == call);
        self.loose = rest;
        let mine: Vec<_> = mine;
        event.runs.extend(mine.into_iter().map(|(_, _, run)| run));
        self.held.push(Held { event, call: call.to_owned(), unsure });
    }

    /// The event of that call.
    pub fn find(&mut self, event: &str, call: &str) -> Option<&mut RecordedEvent> {
        self.held.iter_mut().rev().find(|h| h.event.event == event && h.call == call).map(|h| &mut h.event)
    }

    /// The newest event of that name.
    pub fn last(&mut self, event: &str) -> Option<&mut RecordedEvent> {
        self.held.iter_mut().rev().find(|h| h.event.event == event).map(|h| &mut h.event)
    }

    /// It has happened.
    pub fn settle(&mut self, event: &str, call: &str) {
        for held in self.held.iter_mut().filter(|h| h.event.event == event && h.call == call) {
            held.unsure = false;
        }
    }

    /// It did not happen.
    pub fn remove(&mut self, event: &str, call: &str) {
        self.held.retain(|h| !(h.unsure && h.event.event == event && h.call == call));
    }

    /// A hook's report: to its event, or kept until that comes.
    pub fn report(&mut self, event: &str, call: &str, run: RecordedRun) {
        if let Some(found) = self.find(event, call) {
            found.runs.push(run);
        } else if self.loose.len() < LOOSE {
            self.loose.push((event.to_owned(), call.to_owned(), run));
        }
    }

    /// The agent has gone on: what is held has happened as far as anybody will ever know.
    pub fn release(&mut self, told: &mut Told, out: &mut Vec<TranscriptItem>) {
        self.loose.clear();
        if self.held.is_empty() {
            return;
        }
        told.say(false, out);
        out.extend(self.held.drain(..).map(|held| TranscriptItem::Event(Box::new(held.event))));
    }

    /// The file ends here, perhaps only for now: what is not sure yet is said and left out.
    pub fn end(&mut self, told: &mut Told, out: &mut Vec<TranscriptItem>) {
        let (unsure, sure): (Vec<Held>, Vec<Held>) =
            mem::take(&mut self.held).into_iter().partition(|h| h.unsure && h.event.runs.is_empty());
        self.held = sure;
        self.release(told, out);
        for held in unsure {
            let line = held.event.source.map_or(0, |source| source.line);
            let why = "the call has no result yet, so it is not known whether hooks were asked".to_owned();
            out.push(TranscriptItem::Skipped { line, why });
        }
        told.say(true, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_and_folders() {
        assert_eq!((stem("/a/b.jsonl"), stem("b"), stem("/a.b/c")), ("b", "b", "c"));
        assert_eq!(slug("/home/u/my_p.x"), "-home-u-my-p-x");
    }

    #[test]
    fn titles_are_one_short_line() {
        let mut told = Told::new("x", &FileContext::default());
        told.asked("  \n ");
        told.asked("fix\n  it");
        told.asked("and more");
        assert_eq!(told.session.title.as_deref(), Some("fix it"));
        let mut told = Told::new("x", &FileContext::default());
        told.asked(&"é".repeat(200));
        assert_eq!(told.session.title.map(|t| t.chars().count()), Some(TITLE + 1));
    }

    #[test]
    fn what_is_unsure_at_the_end_is_said() {
        let mut told = Told::new("x", &FileContext::default());
        let (mut waiting, mut out) = (Waiting::default(), Vec::new());
        for (call, line) in [("a", 1), ("b", 2), ("c", 3)] {
            waiting.push_unsure(call, told.event("Before", call, None, line, Body::default()));
        }
        waiting.settle("Before", "a");
        waiting.remove("Before", "a");
        waiting.remove("Before", "b");
        waiting.end(&mut told, &mut out);
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
