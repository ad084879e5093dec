//! Translation of an event of one agent into the same event of another.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::data::{MappedEvent, mapping};
use super::tool::CallTranslator;
use crate::catalogue::catalogue;
use crate::config::Place;
use crate::dialects::{Agent, ExampleIter, Version, find_event};
use crate::hook::{EventSpec, ExamplePayload, HookInput, PayloadField};

/// An agent in one version.
#[derive(Clone)]
pub struct AgentVersion {
    pub dialect: &'static Agent,
    pub version: Version,
}

/// The event translated for the other agent.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslatedEvent {
    pub event: &'static EventSpec,
    pub input: HookInput,
    /// Keys that were missing and that the agent would have sent.
    pub filled: Vec<String>,
    /// Notes about lost and invented data.
    pub notes: Vec<TranslationNote>,
}

/// The error if the other agent has no such event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingEvent {
    pub message: String,
    /// The nearest event, if there is one.
    pub nearest: Option<String>,
}

impl MissingEvent {
    /// Returns the message with the nearest event.
    pub fn text(&self) -> String {
        match &self.nearest {
            Some(event) => format!("{}; the nearest is {event}", self.message),
            None => self.message.clone(),
        }
    }
}

/// The kind of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranslationNoteKind {
    /// The value, or a part of it, is lost.
    Lost,
    /// The other agent does not send the key.
    NotSent,
    /// The other agent has its own value.
    Own,
    /// The value was not sent by the first agent.
    Invented,
    /// The unknown key is kept.
    Kept,
}

/// A note about lost or invented data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslationNote {
    pub kind: TranslationNoteKind,
    /// The key in the payload. For a tool input, `tool_input.key`.
    pub key: String,
    pub message: String,
}

impl TranslationNote {
    /// A note about lost data.
    pub fn lost(key: &str, says: String) -> TranslationNote {
        TranslationNote { kind: TranslationNoteKind::Lost, key: key.to_owned(), message: says }
    }

    pub(super) fn invented(key: &str, says: String) -> TranslationNote {
        TranslationNote { kind: TranslationNoteKind::Invented, key: key.to_owned(), message: says }
    }

    pub(super) fn kept(key: &str, says: String) -> TranslationNote {
        TranslationNote { kind: TranslationNoteKind::Kept, key: key.to_owned(), message: says }
    }
}

/// Translates an event: everything that both agents know, plus the keys that the other agent would send.
///
/// # Errors
/// Returns an error if the other agent does not have this event, this tool, or this subject.
pub fn translate(
    input: &HookInput,
    from: &AgentVersion,
    to: &AgentVersion,
    place: &Place,
) -> Result<TranslatedEvent, MissingEvent> {
    let none = |says: String| MissingEvent { message: says, nearest: None };
    let no_event = |dialect: &Agent| none(format!("{} has no event {}", dialect.name(), input.event));
    let spec = find_event(from.dialect, &from.version, &input.event).ok_or_else(|| no_event(from.dialect))?;
    if from.dialect.id() == to.dialect.id() {
        return Ok(TranslatedEvent { event: spec, input: input.clone(), filled: Vec::new(), notes: Vec::new() });
    }
    let row = mapping().row_of(from.dialect.id().as_str(), spec.name).ok_or_else(|| no_event(to.dialect))?;
    let there = counterpart(row, to)?;
    let mut examples = ExampleList::of(to, there, place);
    let keys = known_keys(to, &mut examples);
    let mut port =
        EventTranslator { from, to, row, spec, there, place, keys, examples, notes: Vec::new(), body: Map::new() };
    port.body.insert("hook_event_name".to_owned(), Value::from(there.name));
    let body = flattened(from, input.body.as_object().cloned().unwrap_or_default());
    port.tool(&Value::Object(body.clone()))?;
    for (key, value) in &body {
        port.key(key, value)?;
    }
    Ok(port.finish())
}

/// Returns the other agent's event for an event.
///
/// # Errors
/// Returns an error if it has none.
pub fn same_event(
    from: &AgentVersion,
    event: &EventSpec,
    to: &AgentVersion,
) -> Result<&'static EventSpec, MissingEvent> {
    let none = || MissingEvent { message: format!("{} has no event {}", to.dialect.name(), event.name), nearest: None };
    if from.dialect.id() == to.dialect.id() {
        return find_event(to.dialect, &to.version, event.name).ok_or_else(none);
    }
    counterpart(mapping().row_of(from.dialect.id().as_str(), event.name).ok_or_else(none)?, to)
}

/// Returns the other agent's event for a row of the mapping.
fn counterpart(row: &MappedEvent, to: &AgentVersion) -> Result<&'static EventSpec, MissingEvent> {
    let (id, name) = (to.dialect.id(), to.dialect.name());
    let has = |event: &str| find_event(to.dialect, &to.version, event);
    let nearest = row.nearest.get(id.as_str()).filter(|event| has(event).is_some()).map(str::to_owned);
    let Some(event) = row.events.get(id.as_str()) else {
        return Err(MissingEvent { message: format!("{name} has no event {}", row.about), nearest });
    };
    has(event)
        .ok_or_else(|| MissingEvent { message: format!("{name} {} has no event {event} yet", to.version), nearest })
}

/// The key of the object in which an agent sends the own keys of an event.
fn nested_key(side: &AgentVersion) -> Option<&'static str> {
    mapping().agent(side.dialect.id().as_str())?.nested
}

/// The keys of a payload, those of the nested object as `object.key`.
fn flattened(side: &AgentVersion, body: Map<String, Value>) -> Map<String, Value> {
    let nested = nested_key(side);
    let mut out = Map::new();
    for (key, value) in body {
        match value {
            Value::Object(inner) if Some(key.as_str()) == nested => {
                out.extend(inner.into_iter().map(|(name, value)| (format!("{key}.{name}"), value)));
            }
            value => drop(out.insert(key, value)),
        }
    }
    out
}

/// A text as a list of parts, or the texts of parts as one, if that is the kind of the key. Some agents send prompts so.
fn as_parts_or_text(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::String(text), "list") => Some(json!([{"type": "text", "text": text}])),
        (Value::Array(parts), "string") => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
            Some(Value::from(texts.filter(|texts| !texts.is_empty())?.join(" ")))
        }
        _ => None,
    }
}

struct EventTranslator<'a> {
    from: &'a AgentVersion,
    to: &'a AgentVersion,
    row: &'a MappedEvent,
    spec: &'static EventSpec,
    there: &'static EventSpec,
    place: &'a Place,
    /// The keys that the other agent is known to send, and its examples of the event.
    keys: BTreeSet<String>,
    examples: ExampleList<'a>,
    notes: Vec<TranslationNote>,
    body: Map<String, Value>,
}

impl EventTranslator<'_> {
    fn tool(&mut self, given: &Value) -> Result<(), MissingEvent> {
        let agents =
            catalogue().agent(self.from.dialect.id().as_str()).zip(catalogue().agent(self.to.dialect.id().as_str()));
        let Some((from, to)) = agents else { return Ok(()) };
        let route = CallTranslator { from, to };
        let empty = json!({});
        if let Some(name) = given.get("tool_name").and_then(Value::as_str) {
            let call = route.call(name, given.get("tool_input").unwrap_or(&empty), given, &mut self.notes)?;
            let (own_key, other_key) = (mapping().response_key(from.id), mapping().response_key(to.id));
            let response = given.get(own_key).filter(|_| self.keys.contains(other_key));
            let response = response.and_then(|r| route.response(&call, r, &mut self.notes));
            self.body.insert("tool_name".to_owned(), Value::from(call.name));
            if given.get("tool_input").is_some() {
                self.body.insert("tool_input".to_owned(), call.input);
            }
            self.body.extend(response.map(|value| (other_key.to_owned(), value)));
            self.body.extend(call.server);
        }
        if let Some(calls) = given.get("tool_calls").and_then(Value::as_array) {
            let mut out = Vec::new();
            for call in calls {
                let name = call.get("tool_name").and_then(Value::as_str).unwrap_or("");
                let there = route.call(name, call.get("tool_input").unwrap_or(&empty), call, &mut self.notes)?;
                out.push(json!({"tool_name": there.name, "tool_input": there.input}));
            }
            let says = "of the calls, only the tools and their inputs are translated".to_owned();
            self.notes.push(TranslationNote::lost("tool_calls", says));
            self.body.insert("tool_calls".to_owned(), Value::Array(out));
        }
        Ok(())
    }

    /// Translates one key of the payload.
    fn key(&mut self, key: &str, value: &Value) -> Result<(), MissingEvent> {
        let (from, to) = (self.from.dialect.id(), self.to.dialect.id());
        let own_server =
            mapping().agent(from.as_str()).and_then(|agent| agent.mcp.as_ref()).is_some_and(|mcp| mcp.key == key);
        let other = self.to.dialect.name();
        let note =
            |kind: TranslationNoteKind, says: String| TranslationNote { kind, key: key.to_owned(), message: says };
        match key {
            "hook_event_name" | "tool_name" | "tool_input" | "tool_calls" => return Ok(()),
            _ if key == mapping().response_key(from.as_str()) => return Ok(()),
            _ if mapping().own.contains(&key) => {
                let says = format!("{key} is a file of {}; {other} uses its own", self.from.dialect.name());
                self.notes.push(note(TranslationNoteKind::Own, says));
                return Ok(());
            }
            _ if own_server => {
                let says = format!("{other} names the server of a tool in another way");
                self.notes.push(note(TranslationNoteKind::NotSent, says));
                return Ok(());
            }
            _ => {}
        }
        let named = mapping().key_row(from.as_str(), self.row.canonical, key);
        let there = named.map_or(Some(key), |row| row.keys.get(to.as_str()));
        let carried = there.filter(|there| self.keys.contains(*there));
        match carried {
            Some(there) => self.value(key, there, value),
            None if named.is_none() && !self.is_known(key) => {
                self.notes.push(TranslationNote::kept(key, format!("{key} is not known in any agent: it is kept")));
                self.body.insert(key.to_owned(), value.clone());
                Ok(())
            }
            None => {
                let says = format!("{other} does not send {key} with {}", self.there.name);
                self.notes.push(note(TranslationNoteKind::NotSent, says));
                Ok(())
            }
        }
    }

    /// Whether the first agent is known to send a key.
    fn is_known(&self, key: &str) -> bool {
        let listed = || self.spec.fields.iter().any(|field| field.name == key);
        listed() || known_keys(self.from, &mut ExampleList::of(self.from, self.spec, self.place)).contains(key)
    }

    /// Translates a key that both agents send.
    fn value(&mut self, key: &str, there: &str, value: &Value) -> Result<(), MissingEvent> {
        let (from, to) = (self.from.dialect.id(), self.to.dialect.id());
        let name = self.to.dialect.name();
        let field = |spec: &'static EventSpec, key: &str| spec.fields.iter().find(|f| f.name == key);
        let (ours, theirs) = (field(self.spec, key), field(self.there, there));
        if let Some(converted) = theirs.and_then(|field| as_parts_or_text(value, field.kind)) {
            self.body.insert(there.to_owned(), converted);
            return Ok(());
        }
        let row = mapping().value_row(self.row.canonical, key);
        let text = value.as_str();
        let known = row
            .zip(text)
            .and_then(|(row, text)| row.words.iter().find(|w| w.get(from.as_str()).is_some_and(|o| o == text)));
        let closed = theirs.is_some_and(|f| !f.values.is_empty() && text.is_some_and(|t| !f.values.contains(&t)));
        let usual = ours.is_some_and(|f| text.is_some_and(|t| f.values.contains(&t)) || f.values.is_empty());
        let (word, unsure) = match (known.map(|words| words.get(to.as_str())), text) {
            (Some(Some(word)), Some(text)) => {
                let back =
                    row.and_then(|row| row.words.iter().find(|w| w.get(to.as_str()) == Some(word))?.get(from.as_str()));
                (Some(Value::from(word)), back.is_none_or(|back| back != text))
            }
            (Some(None), _) => (None, true),
            // A value that its own agent would not send either is an experiment of the user and is kept.
            (None, _) if closed && usual => (None, true),
            (None, _) if kind_differs(ours, theirs, value) => (None, true),
            (Some(Some(_)) | None, _) => (Some(value.clone()), false),
        };
        let otherwise = row.and_then(|row| row.otherwise.get(to.as_str())).map(Value::from);
        let Some(word) = word.or(otherwise) else {
            // The other agent's event does not fire for this value.
            if self.there.subject == Some(there) || self.spec.subject == Some(key) {
                let words = theirs.map(|f| f.values.join(", ")).filter(|words| !words.is_empty());
                let words = words.map_or(String::new(), |words| format!("; its values are {words}"));
                let says = format!("{name} has no {} with {there} {value}{words}", self.there.name);
                return Err(MissingEvent { message: says, nearest: None });
            }
            self.notes.push(TranslationNote::lost(key, format!("{name} has no value for {key} {value}")));
            return Ok(());
        };
        if unsure {
            self.notes
                .push(TranslationNote::lost(key, format!("{name} has no value for {key} {value} and uses {word}")));
        }
        self.body.insert(there.to_owned(), word);
        Ok(())
    }

    fn finish(mut self) -> TranslatedEvent {
        let (dialect, version) = (self.to.dialect, &self.to.version);
        let mut body = std::mem::take(&mut self.body);
        let nested = nested_key(self.to).map(|nested| (nested, take_nested(&mut body, nested)));
        let body = Value::Object(body);
        let missing = self.examples.missing_keys(&body);
        if let Value::Object(body) = body {
            self.body = body;
        }
        let mut filled = Vec::new();
        for (key, value) in missing {
            if !self.body.contains_key(&key) {
                self.body.insert(key.clone(), value);
                filled.push(key);
            }
        }
        if let Some((nested, own)) = nested
            && let Some(Value::Object(keys)) = self.body.get_mut(nested)
        {
            keys.extend(own);
        }
        // Use the key order of the agent's own payloads.
        let like = self.examples.built.first().map(|example| &example.body);
        let order: Vec<&String> = like.into_iter().filter_map(Value::as_object).flat_map(Map::keys).collect();
        let mut body = Map::new();
        for key in order {
            body.extend(self.body.get(key).map(|value| (key.clone(), value.clone())));
        }
        let late = self.body.iter().filter(|(key, _)| like.is_none_or(|like| like.get(key.as_str()).is_none()));
        body.extend(late.map(|(key, value)| (key.clone(), value.clone())));
        let body = Value::Object(body);
        let mut body = dialect.held_payload(self.there.name, &body).unwrap_or(body);
        dialect.normalize_numbers(&mut body);
        let subject = dialect.subject(self.there, &body, version);
        let input = HookInput { event: self.there.name.to_owned(), subject, body };
        TranslatedEvent { event: self.there, input, filled, notes: self.notes }
    }
}

/// An agent's examples of an event. Only those that complete a payload are built, because an agent waits for the
/// translation.
struct ExampleList<'a> {
    dialect: &'static Agent,
    event: &'static EventSpec,
    place: &'a Place,
    built: Vec<ExamplePayload>,
    rest: ExampleIter<'a>,
}

impl<'a> ExampleList<'a> {
    fn of(side: &'a AgentVersion, event: &'static EventSpec, place: &'a Place) -> ExampleList<'a> {
        let rest = side.dialect.iter_examples(event, place, &side.version);
        ExampleList { dialect: side.dialect, event, place, built: Vec::new(), rest }
    }

    /// Returns the keys that the agent would have sent and that a payload lacks.
    fn missing_keys(&mut self, body: &Value) -> Vec<(String, Value)> {
        // The first example of the same tool and subject is the last one that can matter.
        let keys = [self.event.subject, Some("tool_name")];
        let given: Vec<(&str, &Value)> = keys.into_iter().flatten().filter_map(|k| Some((k, body.get(k)?))).collect();
        let fits = |example: &ExamplePayload| given.iter().all(|(key, value)| example.body.get(*key) == Some(*value));
        while !self.built.iter().any(fits) {
            let Some(next) = self.rest.next() else { break };
            self.built.push(next);
        }
        self.dialect.missing_keys_like(&self.built, self.event, body, self.place)
    }
}

/// Returns every key that an agent is known to send with an event.
fn known_keys(side: &AgentVersion, examples: &mut ExampleList<'_>) -> BTreeSet<String> {
    let spec = examples.event;
    let bare = json!({ "hook_event_name": spec.name });
    let filled = flattened(side, examples.missing_keys(&bare).into_iter().collect());
    let filled = filled.into_iter().map(|(key, _)| key);
    let fields = spec.fields.iter().map(|f| f.name);
    let sometimes = mapping().agent(side.dialect.id().as_str()).map_or(&[][..], |agent| agent.sometimes);
    filled.chain(fields.chain(sometimes.iter().copied()).map(str::to_owned)).collect()
}

/// Takes the keys of the nested object out of a payload.
fn take_nested(body: &mut Map<String, Value>, nested: &str) -> Map<String, Value> {
    let (own, rest) = std::mem::take(body)
        .into_iter()
        .partition::<Map<_, _>, _>(|(key, _)| key.strip_prefix(nested).is_some_and(|name| name.starts_with('.')));
    *body = rest;
    let bare = |key: String| key.split_once('.').map(|(_, name)| name.to_owned()).unwrap_or(key);
    own.into_iter().map(|(key, value)| (bare(key), value)).collect()
}

/// Whether a value has a type that only its own agent sends.
fn kind_differs(ours: Option<&PayloadField>, theirs: Option<&PayloadField>, value: &Value) -> bool {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    let fits = |field: &PayloadField| field.kind == kind || field.kind == "any" || (field.optional && value.is_null());
    ours.is_some_and(fits) && theirs.is_some_and(|field| !fits(field))
}
