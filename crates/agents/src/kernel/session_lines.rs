//! Session files with one JSON record on each line, or with lists of messages, for agents whose `session.json` states what the
//! records mean.
//!
//! A source of a value is a pointer into the record (`/name`), `@json` with such a pointer to a JSON text, `@event` or one of
//! the words in [`LineReader::word`], a list of sources of which the first known one counts, or an object of sources. A key
//! whose source is not known is left out.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::shared::conversation;
use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder};
use hookbench_base::config::Place;
use hookbench_base::recorded::{
    CallOutput, CalledTool, FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory,
    TranscriptFormat, TranscriptItem, TranscriptReader, digest,
};
use hookbench_base::text::stringify;

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
    /// Set if the file is a list of messages, or has one on each line.
    messages: Option<MessageList>,
    /// The end of the file's path, or where it begins, and what it becomes in the path of the file beside it with more facts.
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

/// The list `messages` of a session. A part of a message is a record: the message with this part in place of its parts, and
/// `parts`, their number. A message without parts is a record itself.
#[derive(Debug, Deserialize)]
struct MessageList {
    /// Whether each line is a session with its list. Otherwise, the whole file is one.
    #[serde(default)]
    is_line: bool,
    /// The key of a message's parts.
    parts: String,
    /// Texts at the beginning of the file.
    marks: Vec<String>,
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
    /// Pointers to texts, and how they begin.
    #[serde(default)]
    begins: HashMap<String, String>,
    /// Whether the text is inside a tag.
    #[serde(default)]
    is_tagged: bool,
    /// Whether hooks ran, whatever follows the call.
    #[serde(default)]
    is_sure: bool,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    tool: Value,
    /// The input, as an object, as its JSON or as an object of sources.
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
    /// A result that says that no hook ran for the call.
    Rejected,
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

    /// The records of a message.
    fn records_of(&self, message: &Value) -> Vec<Value> {
        let list = |list: &MessageList| Some((list.parts.clone(), message.get(&list.parts)?.as_array()?));
        let Some((key, parts)) = self.messages.as_ref().and_then(list).filter(|(_, parts)| !parts.is_empty()) else {
            return vec![message.clone()];
        };
        let record = |part: &Value| {
            let mut record = message.clone();
            if let Some(object) = record.as_object_mut() {
                object.insert(key.clone(), part.clone());
                object.insert("parts".to_owned(), parts.len().into());
            }
            record
        };
        parts.iter().map(record).collect()
    }

    /// The records of a line that is a session. `None` if lines are records.
    fn records_of_line(&self, line: &Value) -> Option<Vec<Value>> {
        self.messages.as_ref().filter(|list| list.is_line)?;
        let messages = line.get("messages").and_then(Value::as_array).into_iter().flatten();
        Some(messages.flat_map(|message| self.records_of(message)).collect())
    }
}

impl RecordRule {
    fn fits(&self, record: &Value) -> bool {
        let there = |pointer: &String| record.pointer(pointer).is_some_and(|value| !value.is_null());
        let begins = |(pointer, start): (&String, &String)| {
            record.pointer(pointer).and_then(Value::as_str).is_some_and(|text| text.starts_with(start.as_str()))
        };
        self.when.iter().all(|(pointer, value)| record.pointer(pointer) == Some(value))
            && self.begins.iter().all(begins)
            && self.with.iter().all(there)
            && !self.without.iter().any(there)
    }

    fn input(&self, record: &Value) -> Value {
        if let Value::Object(sources) = &self.input {
            let keys = sources.iter().filter_map(|(key, source)| Some((key.clone(), plain(source, record)?.clone())));
            return Value::Object(keys.collect());
        }
        plain(&self.input, record).map(from_json).unwrap_or_default()
    }
}

/// The value of a JSON text. Another value is itself.
fn from_json(value: &Value) -> Value {
    let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or_else(|| value.clone())
}

/// A time in whole milliseconds, or in seconds with a fraction.
fn milliseconds(value: &Value) -> Option<i64> {
    let seconds = || Duration::try_from_secs_f64(value.as_f64()?).ok()?.as_millis().try_into().ok();
    value.as_i64().or_else(seconds)
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
        let is_whole = self.facts().messages.as_ref().is_some_and(|list| !list.is_line);
        if is_whole { FileShape::Whole } else { FileShape::Lines }
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let facts = self.facts();
        if let Some(list) = &facts.messages {
            return FormatFit::certain(list.marks.iter().all(|mark| head.text.contains(mark)));
        }
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
        Some(format!("{}{beside}", path.rsplit_once(end.as_str())?.0))
    }
    fn message(&self, message: &Value) -> Vec<MessagePart> {
        let facts = self.facts();
        let records = facts.records_of_line(message).unwrap_or_else(|| facts.records_of(message));
        records.iter().filter_map(|record| self.facts().rule(record)?.message_part(record)).collect()
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(LineReader::new(Arc::clone(self.facts()), about))
    }
}

impl RecordRule {
    /// The text of a record. Other values become their JSON.
    fn text_of(&self, record: &Value) -> String {
        let Some(value) = plain(&self.text, record) else { return String::new() };
        let text = value.as_str().map_or_else(|| stringify(value), str::to_owned);
        let inside = text.split_once('>').and_then(|(_, rest)| Some(rest.rsplit_once("</")?.0.to_owned()));
        inside.filter(|_| self.is_tagged).unwrap_or(text)
    }

    fn message_part(&self, record: &Value) -> Option<MessagePart> {
        let text = || self.text_of(record);
        let id = || plain_text(&self.id, record).map(str::to_owned);
        Some(match self.role {
            RecordRole::Prompt => MessagePart::UserText(text()),
            RecordRole::TurnEnd if self.text.is_null() => return None,
            RecordRole::Text | RecordRole::TurnEnd => MessagePart::ModelText(text()),
            RecordRole::Call => {
                let tool = plain_text(&self.tool, record).unwrap_or_default().to_owned();
                MessagePart::Call(CalledTool { id: id(), tool, input: self.input(record) })
            }
            RecordRole::Result | RecordRole::Failure | RecordRole::Rejected => MessagePart::Result(CallOutput {
                call: id(),
                text: text(),
                failed: Some(self.role != RecordRole::Result),
            }),
        })
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
#[derive(Default)]
struct LineReader {
    facts: Arc<SessionFacts>,
    builder: SessionBuilder,
    events: EventBuffer,
    path: String,
    beside: Value,
    time: Option<i64>,
    /// Whether a line that is a session was read.
    has_session: bool,
    calls: HashMap<String, UnansweredCall>,
}

impl LineReader {
    fn new(facts: Arc<SessionFacts>, about: &FileContext) -> LineReader {
        let beside = about.companion.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        LineReader {
            builder: SessionBuilder::new(&facts.agent, about),
            path: about.path.clone(),
            beside,
            facts,
            ..LineReader::default()
        }
    }

    /// The value of a source. `call` is the call that the record belongs to.
    fn value(&self, source: &Value, record: &Value, call: Option<(&str, &UnansweredCall)>) -> Option<Value> {
        match source {
            Value::String(word) if word.starts_with("@json/") => {
                record.pointer(word.trim_start_matches("@json")).map(from_json)
            }
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
            // The part of the path before the file's own.
            "@directory" => {
                let (end, _) = self.facts.beside.as_ref()?;
                Some(self.path.rsplit_once(end.as_str())?.0.into())
            }
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
        let tool = self.value(&rule.tool, record, None).and_then(|tool| tool.as_str().map(str::to_owned));
        // Some files record a call twice.
        let Some((id, tool)) = text(&rule.id).zip(tool).filter(|(id, _)| !self.calls.contains_key(id)) else { return };
        let event = rule.event.as_ref().map(|event| event.event.clone());
        let call = UnansweredCall { tool, input: rule.input(record), event };
        if let Some(event) = &rule.event {
            let keys = self.keys(event, record, Some((&id, &call)));
            let event = self.builder.build_event(&event.event, &id, at, line, keys);
            if rule.is_sure { self.events.push(&id, event) } else { self.events.push_unsure(&id, event) }
        }
        self.calls.insert(id, call);
    }

    fn result(&mut self, rule: &RecordRule, line: u64, at: Option<i64>, record: &Value) {
        let Some(id) = plain_text(&rule.id, record) else { return };
        let Some(call) = self.calls.remove(id) else { return };
        match &call.event {
            Some(before) if rule.role == RecordRole::Rejected => self.events.discard(before, id),
            Some(before) => self.events.confirm(before, id),
            None => {}
        }
        if let Some(event) = &rule.event {
            let keys = self.keys(event, record, Some((id, &call)));
            self.events.push(id, self.builder.build_event(&event.event, id, at, line, keys));
        }
    }

    /// Reads what a record says of its session.
    fn session(&mut self, record: &Value) {
        let known = |source: &Value| match self.value(source, record, None) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (session, project) = (known(&self.facts.session), known(&self.facts.project));
        if let Some(session) = session {
            self.builder.session.session = session;
        }
        self.builder.session.project = project.or(self.builder.session.project.take());
    }

    /// Reads a record. One without a time has that of the record before it.
    fn one_record(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let facts = Arc::clone(&self.facts);
        self.time = record.pointer(&facts.time).and_then(milliseconds).or(self.time);
        let at = self.time;
        self.builder.record_time(at);
        let Some(rule) = facts.rule(record) else { return };
        match rule.role {
            RecordRole::Prompt | RecordRole::TurnEnd => {
                if rule.role == RecordRole::Prompt {
                    self.builder.record_prompt(&rule.text_of(record));
                }
                if let Some(event) = &rule.event {
                    let keys = self.keys(event, record, None);
                    self.events.push("", self.builder.build_event(&event.event, &line.to_string(), at, line, keys));
                }
            }
            RecordRole::Text => {}
            RecordRole::Call => self.call(rule, line, at, record),
            RecordRole::Result | RecordRole::Failure | RecordRole::Rejected => self.result(rule, line, at, record),
        }
        if self.calls.is_empty() {
            self.events.flush(&mut self.builder, out);
        }
    }
}

impl TranscriptReader for LineReader {
    fn record(&mut self, line: u64, text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let facts = Arc::clone(&self.facts);
        if let Some(records) = facts.records_of_line(&record) {
            // The session of the line before has ended.
            if self.has_session {
                self.end(out);
            }
            *self =
                LineReader::new(Arc::clone(&facts), &FileContext { path: self.path.clone(), ..FileContext::default() });
            self.has_session = true;
            self.session(&record);
            return records.iter().for_each(|record| self.one_record(line, record, out));
        }
        self.session(&record);
        if facts.messages.is_none() {
            return self.one_record(line, &record, out);
        }
        let Some(file) = conversation::parse(text) else {
            let why = "its messages are not a list of objects".to_owned();
            return out.push(TranscriptItem::Skipped { line, why });
        };
        for (line, message) in &file.messages {
            for record in facts.records_of(message) {
                self.one_record(*line, &record, out);
            }
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.events.finish(&mut self.builder, out);
    }
}
