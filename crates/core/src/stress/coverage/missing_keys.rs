//! Keys that a script names and its event does not have.

use serde_json::Value;

use super::key_probe::other_value;
use crate::config::Place;
use crate::dialects::{ALL, Agent, Version, default_version};
use crate::hook::EventSpec;
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
/// only if it is a key of the agent's events.
pub fn missing_keys(named: &[ScriptKey], body: &Value, at: EventPlace<'_>) -> Vec<UnsentKey> {
    let paths = key_paths(body);
    let events = at.dialect.events(at.version);
    let known = |key: &str| events.iter().any(|event| event.fields.iter().any(|field| field.name == key));
    let mut found: Vec<UnsentKey> = Vec::new();
    for key in named {
        let sure = key.rooted || key.path.first().is_some_and(|first| known(first));
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
