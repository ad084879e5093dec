//! Session files with one JSON record on each line, for agents whose `session.json` states what the records mean.
//!
//! A source of a value is a pointer into the record (`/name`), `@event` or one of the words in [`LineReader::word`], a list
//! of sources of which the first known one counts, or an object of sources. A key whose source is not known is left out.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder};
use hookbench_base::config::Place;
use hookbench_base::recorded::{
    CallOutput, CalledTool, FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory,
    TranscriptFormat, TranscriptItem, TranscriptReader, digest,
};

/// The characters of a hash in the name of a directory.
const HASH_LENGTH: usize = 12;

/// A format that an agent's `session.json` describes.
pub struct SessionLines {
    kind: &'static str,
    text: &'static str,
    facts: OnceLock<Arc<SessionFacts>>,
}

/// The meaning of the records of a session file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SessionFacts {
    agent: String,
    directory: SessionPlace,
    /// The end of the file's path, and what it becomes in the path of the file beside it with more facts.
    beside: Option<(String, String)>,
    /// The sources of the session's id, its project and the time of a record. `@beside/…` points into the file beside it.
    session: Value,
    project: Value,
    time: String,
    /// The keys of every payload before those of its event, and after them.
    common: Map<String, Value>,
    after: Map<String, Value>,
    records: Vec<RecordRule>,
}

/// The directory in which an agent keeps the sessions of a project.
#[derive(Debug, Default, Deserialize)]
struct SessionPlace {
    /// Below the user's directory of the agent. `{dashed}` is the project's path with `-` in place of each `/`, `{last}` its
    /// last part, and `{hash}` the start of its SHA-256.
    path: String,
    /// Whether each session is in another directory.
    shared: bool,
}

#[derive(Debug, Clone, Deserialize)]
struct RebuiltEvent {
    event: String,
    #[serde(default)]
    keys: Map<String, Value>,
}

/// A kind of record. The first one that fits counts.
#[derive(Debug, Deserialize)]
struct RecordRule {
    role: RecordRole,
    /// Pointers and their values.
    when: Map<String, Value>,
    /// Pointers that must exist, and that must not.
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    tool: Value,
    /// The input, as an object or as its JSON.
    #[serde(default)]
    input: Value,
    #[serde(default)]
    text: Value,
    /// Absent for a record without an event.
    #[serde(flatten)]
    event: Option<RebuiltEvent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordRole {
    Prompt,
    /// A text of the model after which it goes on.
    Text,
    Call,
    Result,
    /// A result that says that the call failed.
    Failure,
    /// The end of a turn, perhaps with the model's last text.
    TurnEnd,
}

impl SessionLines {
    /// The format with this word in documents. `text` is the agent's `session.json`.
    pub const fn new(kind: &'static str, text: &'static str) -> SessionLines {
        SessionLines { kind, text, facts: OnceLock::new() }
    }

    /// The directory of a project's sessions. `user` is the user's directory of the agent.
    pub fn directories(&self, place: &Place, user: &str) -> Vec<SessionDirectory> {
        let (facts, project) = (self.facts(), &place.project);
        let hash: String = digest(project.as_bytes()).chars().take(HASH_LENGTH).collect();
        let path = facts.directory.path.replace("{dashed}", &project.trim_start_matches('/').replace('/', "-"));
        let path = path.replace("{last}", project.rsplit('/').next().unwrap_or_default()).replace("{hash}", &hash);
        vec![SessionDirectory { path: format!("{user}/{path}"), shared: facts.directory.shared }]
    }

    fn facts(&self) -> &Arc<SessionFacts> {
        // A test reads every file of the agents.
        self.facts.get_or_init(|| Arc::new(serde_json::from_str(self.text).unwrap_or_default()))
    }
}

impl SessionFacts {
    fn rule(&self, record: &Value) -> Option<&RecordRule> {
        self.records.iter().find(|rule| rule.fits(record))
    }
}

impl RecordRule {
    fn fits(&self, record: &Value) -> bool {
        let there = |pointer: &String| record.pointer(pointer).is_some_and(|value| !value.is_null());
        self.when.iter().all(|(pointer, value)| record.pointer(pointer) == Some(value))
            && self.with.iter().all(there)
            && !self.without.iter().any(there)
    }

    fn input(&self, record: &Value) -> Value {
        match plain(&self.input, record) {
            Some(Value::String(json)) => serde_json::from_str(json).unwrap_or_default(),
            input => input.cloned().unwrap_or_default(),
        }
    }
}

fn plain_text<'a>(source: &Value, record: &'a Value) -> Option<&'a str> {
    plain(source, record)?.as_str()
}

/// The value of a source without words.
fn plain<'a>(source: &Value, record: &'a Value) -> Option<&'a Value> {
    match source {
        Value::String(pointer) => record.pointer(pointer).filter(|value| !value.is_null()),
        Value::Array(sources) => sources.iter().find_map(|source| plain(source, record)),
        _ => None,
    }
}

impl TranscriptFormat for SessionLines {
    fn kind(&self) -> &'static str {
        self.kind
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let facts = self.facts();
        // A prompt looks alike in many formats; a call of a tool or an end of a turn does not.
        let fits = |record: &Value| facts.rule(record).is_some_and(|rule| rule.role != RecordRole::Text);
        match head.records.iter().filter(|record| fits(record)).count() {
            0 => FormatFit::No,
            1 => FormatFit::Possible,
            _ => FormatFit::Certain,
        }
    }
    fn companion(&self, path: &str) -> Option<String> {
        let (end, beside) = self.facts().beside.as_ref()?;
        Some(format!("{}{beside}", path.strip_suffix(end.as_str())?))
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        let Some(rule) = self.facts().rule(record) else { return Vec::new() };
        let text = || plain_text(&rule.text, record).unwrap_or_default().to_owned();
        let id = || plain_text(&rule.id, record).map(str::to_owned);
        let part = match rule.role {
            RecordRole::Prompt => MessagePart::UserText(text()),
            RecordRole::TurnEnd if rule.text.is_null() => return Vec::new(),
            RecordRole::Text | RecordRole::TurnEnd => MessagePart::ModelText(text()),
            RecordRole::Call => {
                let tool = plain_text(&rule.tool, record).unwrap_or_default().to_owned();
                MessagePart::Call(CalledTool { id: id(), tool, input: rule.input(record) })
            }
            RecordRole::Result | RecordRole::Failure => MessagePart::Result(CallOutput {
                call: id(),
                text: text(),
                failed: Some(rule.role == RecordRole::Failure),
            }),
        };
        vec![part]
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(LineReader::new(Arc::clone(self.facts()), about))
    }
}

/// A call without a result.
struct UnansweredCall {
    tool: String,
    input: Value,
    /// Its event, if it has one.
    event: Option<String>,
}

/// The reader of one file.
struct LineReader {
    facts: Arc<SessionFacts>,
    builder: SessionBuilder,
    events: EventBuffer,
    path: String,
    beside: Value,
    calls: HashMap<String, UnansweredCall>,
}

impl LineReader {
    fn new(facts: Arc<SessionFacts>, about: &FileContext) -> LineReader {
        let beside = about.companion.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        LineReader {
            builder: SessionBuilder::new(&facts.agent, about),
            events: EventBuffer::default(),
            path: about.path.clone(),
            beside,
            calls: HashMap::new(),
            facts,
        }
    }

    /// The value of a source. `call` is the call that the record belongs to.
    fn value(&self, source: &Value, record: &Value, call: Option<(&str, &UnansweredCall)>) -> Option<Value> {
        match source {
            Value::String(word) if word.starts_with('@') => self.word(word, call),
            Value::String(_) => plain(source, record).cloned(),
            Value::Array(sources) => sources.iter().find_map(|source| self.value(source, record, call)),
            Value::Object(sources) => {
                let values = sources.iter().map(|(key, source)| Some((key.clone(), self.value(source, record, call)?)));
                values.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            other => Some(other.clone()),
        }
    }

    fn word(&self, word: &str, call: Option<(&str, &UnansweredCall)>) -> Option<Value> {
        let session = &self.builder.session;
        match word {
            "@path" => Some(self.path.clone().into()),
            "@session" => Some(session.session.clone().into()),
            "@project" => session.project.clone().map(Value::from),
            "@call" => call.map(|(id, _)| id.into()),
            "@tool" => call.map(|(_, call)| call.tool.clone().into()),
            "@input" => call.map(|(_, call)| call.input.clone()),
            // A text of the file itself.
            _ => match (word.strip_prefix("@beside"), word.strip_prefix("@=")) {
                (Some(pointer), _) => self.beside.pointer(pointer).cloned(),
                (None, text) => text.map(Value::from),
            },
        }
    }

    fn keys(&self, event: &RebuiltEvent, record: &Value, call: Option<(&str, &UnansweredCall)>) -> PayloadBuilder {
        let sources = self.facts.common.iter().chain(&event.keys).chain(&self.facts.after);
        sources.fold(PayloadBuilder::default(), |keys, (key, source)| match source.as_str() {
            Some("@event") => keys.put(key, event.event.as_str()),
            _ => keys.put_some(key, self.value(source, record, call)),
        })
    }

    fn call(&mut self, rule: &RecordRule, line: u64, at: Option<i64>, record: &Value) {
        let text = |source| plain_text(source, record).map(str::to_owned);
        let (Some(id), Some(tool)) = (text(&rule.id), text(&rule.tool)) else { return };
        let event = rule.event.as_ref().map(|event| event.event.clone());
        let call = UnansweredCall { tool, input: rule.input(record), event };
        if let Some(event) = &rule.event {
            let keys = self.keys(event, record, Some((&id, &call)));
            self.events.push_unsure(&id, self.builder.build_event(&event.event, &id, at, line, keys));
        }
        self.calls.insert(id, call);
    }

    fn result(&mut self, rule: &RecordRule, line: u64, at: Option<i64>, record: &Value) {
        let Some(id) = plain_text(&rule.id, record) else { return };
        let Some(call) = self.calls.remove(id) else { return };
        if let Some(before) = &call.event {
            self.events.confirm(before, id);
        }
        if let Some(event) = &rule.event {
            let keys = self.keys(event, record, Some((id, &call)));
            self.events.push(id, self.builder.build_event(&event.event, id, at, line, keys));
        }
    }
}

impl TranscriptReader for LineReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let facts = Arc::clone(&self.facts);
        let known = |source: &Value| match self.value(source, &record, None) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (session, project) = (known(&facts.session), known(&facts.project));
        let at = record.pointer(&facts.time).and_then(Value::as_i64);
        if let Some(session) = session {
            self.builder.session.session = session;
        }
        self.builder.session.project = project.or(self.builder.session.project.take());
        self.builder.record_time(at);
        let Some(rule) = facts.rule(&record) else { return };
        match rule.role {
            RecordRole::Prompt | RecordRole::TurnEnd => {
                if rule.role == RecordRole::Prompt {
                    self.builder.record_prompt(plain_text(&rule.text, &record).unwrap_or_default());
                }
                if let Some(event) = &rule.event {
                    let keys = self.keys(event, &record, None);
                    self.events.push("", self.builder.build_event(&event.event, &line.to_string(), at, line, keys));
                }
            }
            RecordRole::Text => {}
            RecordRole::Call => self.call(rule, line, at, &record),
            RecordRole::Result | RecordRole::Failure => self.result(rule, line, at, &record),
        }
        if self.calls.is_empty() {
            self.events.flush(&mut self.builder, out);
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.events.finish(&mut self.builder, out);
    }
}
