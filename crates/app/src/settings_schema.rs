//! JSON Schemas of the agents' settings, for editors without the server.

use hookbench_core::dialects::Agent;
use hookbench_core::dialects::settings_format::{HandlerFormat, ListForm};
use hookbench_core::hook::EventSpec;
use hookbench_core::matching::MatchTable;
use hookbench_core::port::AgentVersion;
use serde_json::{Map, Value, json};

/// The schema of the hooks in an agent's settings files. Other settings are allowed. `None` if the agent has no such file,
/// because each hook is a script.
///
/// The words of JSON Schema are those of draft 7, which editors read.
pub fn settings_schema(agent: &AgentVersion) -> Option<Value> {
    let format = agent.dialect.settings_format();
    if format.script.is_some() {
        return None;
    }
    let events = agent.dialect.events(&agent.version);
    let hooks = match format.list {
        Some(list) if list.event.is_empty() => {
            events_schema(agent.dialect, &events, |event| entry_schema(agent, list, &[event]))
        }
        Some(list) => {
            let entries = json!({ "type": "array", "items": entry_schema(agent, list, &events) });
            if list.below.is_empty() { entries } else { json!({ "properties": { list.below: entries } }) }
        }
        None => events_schema(agent.dialect, &events, |event| group_schema(agent, event)),
    };
    Some(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("Hooks of {} {}", agent.dialect.name(), agent.version),
        "type": "object",
        "properties": { "hooks": hooks },
        "definitions": { "handler": handler_schema(agent.dialect) },
    }))
}

/// An object with a list for each event, in each of its spellings, and no other keys.
fn events_schema(agent: &Agent, events: &[&'static EventSpec], item: impl Fn(&'static EventSpec) -> Value) -> Value {
    let mut properties = Map::new();
    for event in events {
        let list = json!({ "description": event.about, "type": "array", "items": item(event) });
        for like in ["lower", "Upper"] {
            properties.insert(agent.event_spelled_like(event.name, like).to_owned(), list.clone());
        }
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// A matcher with its handlers; a handler alone where the agent accepts one.
fn group_schema(agent: &AgentVersion, event: &'static EventSpec) -> Value {
    let format = agent.dialect.settings_format();
    let kinds = format.handlers.iter().map(|handler| handler.kind).filter(|kind| (format.runs_on)(kind, event.name));
    let handler = json!({
        "allOf": [{ "$ref": "#/definitions/handler" }, { "properties": { "type": { "enum": kinds.collect::<Vec<_>>() } } }],
    });
    let mut properties = keys(format.group);
    properties.insert("matcher".to_owned(), matcher_schema(agent, event));
    properties.insert("hooks".to_owned(), json!({ "type": "array", "items": handler }));
    let group = json!({ "type": "object", "properties": properties, "required": ["hooks"] });
    if format.other_keys.is_empty() {
        group
    } else {
        json!({ "if": { "required": ["hooks"] }, "then": group, "else": handler })
    }
}

/// An entry of a list: the keys of a command, with its matcher, and its event where that is a key.
fn entry_schema(agent: &AgentVersion, list: ListForm, events: &[&'static EventSpec]) -> Value {
    let format = agent.dialect.settings_format();
    let command = format.handlers.iter().filter(|handler| handler.kind == "command");
    let (mut properties, mut required) = (keys(&["timeout"]), Vec::new());
    for handler in command {
        properties.extend(keys(handler.optional));
        properties.extend(texts(handler));
        required.extend(handler.required);
    }
    if let [event] = events {
        properties.insert(list.matcher.to_owned(), matcher_schema(agent, event));
    } else {
        properties.extend(keys(&[list.matcher]));
    }
    if !list.event.is_empty() {
        let names: Vec<&str> = events.iter().map(|event| event.name).collect();
        properties.insert(list.event.to_owned(), json!({ "enum": names }));
        required.push(&list.event);
    }
    if !list.name.is_empty() {
        properties.insert(list.name.to_owned(), json!({ "type": "string" }));
        required.push(&list.name);
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// A handler of any kind. A key is not required if the agent accepts another key for it.
fn handler_schema(agent: &Agent) -> Value {
    let format = agent.settings_format();
    let of_kind = |handler: &HandlerFormat| {
        let missing = |key: &&&str| {
            let also = format.other_keys.iter().filter(|other| {
                let plain = (format.plain_handler)(&json!({ "type": handler.kind, **other: "x" }));
                plain.get(**key).is_some()
            });
            let any: Vec<Value> = [**key].iter().chain(also).map(|key| json!({ "required": [key] })).collect();
            json!({ "anyOf": any })
        };
        let required: Vec<Value> = handler.required.iter().map(|key| missing(&key)).collect();
        let mut properties = keys(handler.optional);
        properties.extend(texts(handler));
        json!({
            "if": { "properties": { "type": { "const": handler.kind } }, "required": ["type"] },
            "then": { "allOf": required, "properties": properties },
        })
    };
    let kinds: Vec<&str> = format.handlers.iter().map(|handler| handler.kind).collect();
    let mut properties = keys(format.other_keys);
    properties
        .extend([("type".to_owned(), json!({ "enum": kinds })), ("timeout".to_owned(), json!({ "type": "number" }))]);
    // Without other keys, only the type tells how to read a handler.
    let required: &[&str] = if format.other_keys.is_empty() { &["type"] } else { &[] };
    let kinds: Vec<Value> = format.handlers.iter().map(of_kind).collect();
    json!({ "type": "object", "properties": properties, "required": required, "allOf": kinds })
}

/// The required keys of a handler, which are texts.
fn texts(handler: &HandlerFormat) -> Map<String, Value> {
    handler.required.iter().map(|key| ((*key).to_owned(), json!({ "type": "string" }))).collect()
}

/// Keys with any value, for completion.
fn keys(names: &[&str]) -> Map<String, Value> {
    names.iter().filter(|name| !name.is_empty()).map(|name| ((*name).to_owned(), json!({}))).collect()
}

/// A matcher of an event, with the names that it can match as examples.
fn matcher_schema(agent: &AgentVersion, event: &'static EventSpec) -> Value {
    let table = MatchTable::new(agent, event, &[], &[], &[]);
    let column = table.columns.first();
    let known =
        column.into_iter().flat_map(|column| column.known().iter().map(|(name, _)| column.name_in_matchers(name)));
    json!({ "type": "string", "examples": known.collect::<Vec<_>>() })
}
