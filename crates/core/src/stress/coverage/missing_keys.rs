//! Keys that a script names and its event does not have.

use serde_json::{Map, Value};

use crate::config::Place;
use crate::dialects::{ALL, Agent, Version, default_version};
use crate::hook::{EventSpec, PayloadField};
use crate::port::mapping;
use crate::script_keys::{GUESSED_INPUT_KEYS, ScriptKey, key_paths, meant_keys};

/// The largest number of missing keys.
const MOST_KEYS: usize = 6;

/// The event of a payload, in its agent.
#[derive(Clone, Copy)]
pub struct EventPlace<'a> {
    pub dialect: &'static Agent,
    pub version: &'a Version,
    pub place: &'a Place,
    pub event: &'a EventSpec,
}

/// A key that a script names and a payload does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsentKey {
    pub path: Vec<String>,
    /// The value with which the key is tried.
    pub value: Value,
    /// Who sends the key, and which key the agent sends instead.
    pub origin: String,
}

/// Lists the keys that a script names and a payload does not have. A key that may belong to another object counts
/// only if the event has it sometimes, or if the payload has another key that the script may mean.
pub fn missing_keys(named: &[ScriptKey], body: &Value, at: EventPlace<'_>) -> Vec<UnsentKey> {
    let paths = key_paths(body);
    let mut found: Vec<UnsentKey> = Vec::new();
    for key in named {
        let is_own = |first: &String| at.event.fields.iter().any(|field| field.name == first);
        let sure = key.rooted || key.path.first().is_some_and(is_own) || sent_instead(&key.path, body, at).is_some();
        let listed = found.iter().any(|other| other.path == key.path);
        if sure
            && !listed
            && found.len() < MOST_KEYS
            && !key.path.is_empty()
            && !paths.iter().any(|path| key.reads(path))
        {
            found.push(unsent_key(&key.path, body, at));
        }
    }
    found
}

fn unsent_key(path: &[String], body: &Value, at: EventPlace<'_>) -> UnsentKey {
    let sender = sender(path, at);
    let instead = sent_instead(path, body, at);
    let mut says: Vec<String> = sender.iter().map(|(words, _)| words.clone()).collect();
    if let Some(instead) = &instead {
        says.push(format!("{} sends {}", at.dialect.name(), instead.join(".")));
    } else if says.is_empty() {
        says.push("no agent sends it".to_owned());
    }
    let sent = sender.map(|(_, value)| value);
    let value = sent.or_else(|| value_at(body, &instead?).cloned()).unwrap_or_else(|| other_value(&Value::Null, None));
    UnsentKey { path: path.to_vec(), value, origin: says.join("; ") }
}

/// The event or the agent that sends a key, and a value of it.
fn sender(path: &[String], at: EventPlace<'_>) -> Option<(String, Value)> {
    let first_with = |dialect: &'static Agent, event: &EventSpec, version: &Version| {
        let examples = dialect.examples(event, at.place, version);
        examples.into_iter().find_map(|example| {
            let value = value_at(&example.body, path)?.clone();
            let subject = dialect.subject(event, &example.body, version).value;
            Some((subject, value))
        })
    };
    if let Some((subject, value)) = first_with(at.dialect, at.event, at.version) {
        let subject = subject.map(|subject| format!(" for {subject}")).unwrap_or_default();
        return Some((format!("sent{subject}, not here"), value));
    }
    if let [key] = path
        && at.event.fields.iter().any(|field| field.name == key)
    {
        return Some((format!("{} sends it sometimes", at.dialect.name()), other_value(&Value::Null, None)));
    }
    for event in at.dialect.events(at.version) {
        if let Some((_, value)) = first_with(at.dialect, event, at.version) {
            return Some((format!("sent in {}", event.name), value));
        }
    }
    let row = mapping().row_of(at.dialect.id().as_str(), at.event.name)?;
    ALL.iter().filter(|other| other.id() != at.dialect.id()).find_map(|other| {
        let version = default_version(other);
        let name = row.events.get(other.id().as_str())?;
        let event = other.events(&version).into_iter().find(|event| event.name == name)?;
        let (_, value) = first_with(other, event, &version)?;
        Some((format!("{} sends it", other.name()), value))
    })
}

/// The key of the payload that the script probably means.
fn sent_instead(path: &[String], body: &Value, at: EventPlace<'_>) -> Option<Vec<String>> {
    let (last, outer) = path.split_last()?;
    let with = |key: &str| {
        let path: Vec<String> = outer.iter().cloned().chain([key.to_owned()]).collect();
        value_at(body, &path).is_some().then_some(path)
    };
    let mapping = mapping();
    let own = at.dialect.id();
    let other_names = mapping.keys.iter().map(|row| &row.keys);
    let input_keys = mapping.tools.iter().flat_map(|tool| tool.fields);
    let rows: Vec<_> = if outer.is_empty() { other_names.collect() } else { input_keys.collect() };
    let translated = rows.into_iter().filter(|row| row.words().any(|key| key == last));
    let translated = translated.filter_map(|row| row.get(own.as_str())).find_map(&with);
    let meant: Vec<&str> = if outer.is_empty() {
        meant_keys(last).to_vec()
    } else {
        GUESSED_INPUT_KEYS.iter().filter(|(wrong, _)| wrong == last).map(|(_, right)| *right).collect()
    };
    translated.or_else(|| meant.into_iter().find_map(with)).or_else(|| with(&snake_case(last)))
}

/// `toolName` as `tool_name`.
fn snake_case(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The value at a path. `*` is the first item of a list.
fn value_at<'a>(body: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(body, |value, key| match value {
        Value::Object(map) => map.get(key),
        Value::Array(items) if key == "*" => items.first(),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// A change of one key.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyChange {
    /// The key has another value of the same type.
    Replaced(Value),
    Missing,
    /// The key is added with this value.
    Added(Value),
}

/// One key of a payload and its change.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyProbe {
    pub path: Vec<String>,
    pub change: KeyChange,
}

impl KeyProbe {
    /// Changes a payload. A payload without the key stays as it is, unless the key is added.
    pub fn apply(&self, body: &mut Value) {
        match &self.change {
            KeyChange::Replaced(value) => {
                if let Some(place) = place(body, &self.path) {
                    *place = value.clone();
                }
            }
            KeyChange::Missing => remove(body, &self.path),
            KeyChange::Added(value) => add(body, &self.path, value.clone()),
        }
    }
}

fn place<'a>(body: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(body, |value, key| match value {
        Value::Object(map) => map.get_mut(key),
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    })
}

fn remove(body: &mut Value, path: &[String]) {
    let Some((last, outer)) = path.split_last() else { return };
    match place(body, outer) {
        Some(Value::Object(map)) => {
            map.shift_remove(last);
        }
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse::<usize>().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}

/// Adds a key and the objects and lists that lead to it. `*` is the first item of a list.
fn add(value: &mut Value, path: &[String], new: Value) {
    let Some((key, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    if key == "*" || key.parse::<usize>().is_ok() {
        if !value.is_array() {
            *value = Value::Array(vec![Value::Null]);
        }
        if let Some(first) = value.as_array_mut().and_then(|items| items.first_mut()) {
            add(first, rest, new);
        }
        return;
    }
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Value::Object(map) = value {
        add(map.entry(key.clone()).or_insert(Value::Null), rest, new);
    }
}

/// The paths to probe, in the order of the payload: every value that contains no other, and of a list its first item.
pub fn probed_paths(body: &Value) -> Vec<Vec<String>> {
    fn collect(value: &Value, above: &[String], paths: &mut Vec<Vec<String>>) {
        let below = |key: &str| above.iter().cloned().chain([key.to_owned()]).collect::<Vec<String>>();
        match value {
            Value::Object(map) if !map.is_empty() => {
                map.iter().for_each(|(key, value)| collect(value, &below(key), paths));
            }
            Value::Array(items) => match items.first() {
                Some(first) => collect(first, &below("0"), paths),
                None => paths.push(above.to_vec()),
            },
            _ => paths.push(above.to_vec()),
        }
    }
    let mut paths = Vec::new();
    if body.is_object() {
        collect(body, &[], &mut paths);
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// The text that replaces other texts. No hook expects it.
const OTHER_TEXT: &str = "hookbench-other";

/// Another value of the same type. A key with a closed list of values gets one of them.
pub fn other_value(value: &Value, field: Option<&PayloadField>) -> Value {
    let listed = field.into_iter().flat_map(|field| field.values).find(|other| value.as_str() != Some(**other));
    if let (true, Some(listed)) = (value.is_string(), listed) {
        return Value::from(*listed);
    }
    match value {
        Value::Bool(yes) => Value::from(!yes),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole.wrapping_add(1)),
            None => Value::from(1.5),
        },
        Value::String(text) if text.contains("://") => Value::from("https://example.com/"),
        Value::String(text) if text.starts_with('/') => Value::from(format!("/{OTHER_TEXT}")),
        Value::String(_) | Value::Null => Value::from(OTHER_TEXT),
        Value::Array(_) => Value::Array(vec![Value::from(OTHER_TEXT)]),
        Value::Object(_) => Value::Object(Map::from_iter([("hookbench_other".to_owned(), Value::from(true))])),
    }
}
