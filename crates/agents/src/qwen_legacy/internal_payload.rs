//! The internal payloads of the fork: conversion to the payloads that hooks get, and back.
//!
//! Both conversions keep what the other format has no key for under [`LEFT_OVER`], and use what they find there. So a
//! payload is the same after both conversions, without [`LEFT_OVER`].

use serde_json::{Map, Value, json};

use super::older_payload::{first_spelling, note_spellings, set_hook_tool, with_usual_path};
use super::{events, tools};
use hookbench_base::dialects::Confidence;

/// The key under which a converted payload keeps the rest of the other format.
pub const LEFT_OVER: &str = "_legacy";

/// Returns how likely it is that a payload is internal: it has a text as `id` and a number as `timestamp`.
pub fn recognise(payload: &Value) -> Confidence {
    let named = payload.get("hook_event_name").is_some();
    let id = payload.get("id").is_some_and(Value::is_string);
    let numbered = payload.get("timestamp").is_some_and(Value::is_number);
    if !named && id && numbered { Confidence::Certain } else { Confidence::No }
}

/// Converts an internal payload. `None` if it is not one.
pub fn to_hook_payload(given: &Map<String, Value>, notes: &mut Vec<String>) -> Option<Map<String, Value>> {
    let text = |key: &str| given.get(key).and_then(Value::as_str);
    let event_key = text("event").and_then(events::by_spelling);
    if recognise(&Value::Object(given.clone())) == Confidence::No && event_key.is_none() {
        return None;
    }
    let id = text("id").unwrap_or_default();
    let prefixed = events::by_id_prefix(id);
    let rest: Map<String, Value> = given.get(LEFT_OVER).and_then(Value::as_object).cloned().unwrap_or_default();
    let kept_event = rest.get("hook_event_name").and_then(Value::as_str).and_then(events::by_spelling);
    let named = kept_event.or(event_key).or_else(|| events::EVENTS.by_name(prefixed?.0)).map(|event| event.name);
    let event = match named {
        Some(event) if kept_event.is_none() && events::internal_name(event) == events::AMBIGUOUS => {
            Some(resolve_end(given, id, notes))
        }
        other => other,
    };
    let mut out = Map::new();
    let mut used = vec![LEFT_OVER, "event"];
    let mut take = |today: &str, out: &mut Map<String, Value>| {
        if let Some((spelling, value)) = first_spelling(given, today) {
            used.push(spelling);
            out.insert(today.to_owned(), value.clone());
        }
    };
    take("session_id", &mut out);
    out.extend(event.map(|event| ("hook_event_name".to_owned(), Value::from(event))));
    for today in ["tool_name", "tool_input", "tool_use_id", "agent_id", "agent_type", "last_assistant_message"] {
        take(today, &mut out);
    }
    let (_, suffix) = prefixed.unwrap_or_default();
    let of_id = match event {
        Some("PreToolUse" | "PostToolUse") => Some("tool_use_id"),
        Some("SubagentStop") => Some("agent_id"),
        Some(_) if !out.contains_key("session_id") => Some("session_id"),
        _ => None,
    };
    if let Some(key) = of_id.filter(|key| !suffix.is_empty() && !out.contains_key(*key)) {
        out.insert(key.to_owned(), Value::from(suffix));
    }
    for response in ["tool_response", "result", "response"] {
        if event == Some("PostToolUse") && !out.contains_key("tool_response") && given.contains_key(response) {
            used.push(response);
            out.extend(given.get(response).map(|value| ("tool_response".to_owned(), value.clone())));
        }
    }
    used.push("timestamp");
    out.extend(given.get("timestamp").map(|at| ("timestamp".to_owned(), at.clone())));
    note_spellings(given, &out, notes);
    set_hook_tool(&mut out);
    out.extend(rest);
    let mut kept: Map<String, Value> =
        given.iter().filter(|(key, _)| !used.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect();
    if kept.get("id") == internal_id(&out).map(Value::from).as_ref() {
        kept.remove("id");
    }
    // Other spellings and the response under another key are written again as they were.
    let respelt = ["params", "tool", "response", "subagent_id", "subagent_name", "final_message", "prompt_response"];
    let again = given.iter().filter(|(key, _)| used.contains(&key.as_str()) && respelt.contains(&key.as_str()));
    kept.extend(again.map(|(key, value)| (key.clone(), value.clone())));
    if let (Some(written), Some(name)) = (text("toolName"), out.get("tool_name").and_then(Value::as_str))
        && tools::internal_name(name) != written
    {
        kept.insert("toolName".to_owned(), Value::from(written));
    }
    if !kept.is_empty()
        && let Value::Object(all) = out.entry(LEFT_OVER).or_insert_with(|| Value::Object(Map::new()))
    {
        for (key, value) in kept {
            all.entry(key).or_insert(value);
        }
        if all.contains_key("params") {
            all.remove("args");
        }
    }
    Some(out)
}

/// The event that an ambiguous `session.end` means.
fn resolve_end(given: &Map<String, Value>, id: &str, notes: &mut Vec<String>) -> &'static str {
    let has = |keys: &[&str]| keys.iter().any(|key| given.contains_key(*key));
    let (event, rule) = if has(&["subagentId", "subagent_id", "agent_id"]) || id.starts_with("subagent_session_end_") {
        ("SubagentStop", "it names a subagent")
    } else if has(&["reason"]) && !has(&["final_message", "last_assistant_message"]) {
        ("SessionEnd", "it has a reason and no final message")
    } else {
        ("Stop", "it names neither a subagent nor a reason")
    };
    notes.push(format!("session.end is ambiguous; resolved to {event}, because {rule}"));
    event
}

/// The id of an event's internal payload. `None` if the event is unknown.
fn internal_id(body: &Map<String, Value>) -> Option<String> {
    let event = body.get("hook_event_name").and_then(Value::as_str)?;
    let key = match event {
        "PreToolUse" | "PostToolUse" => "tool_use_id",
        "SubagentStop" => "agent_id",
        _ => "session_id",
    };
    let suffix = body.get(key).and_then(Value::as_str).unwrap_or("unknown");
    Some(format!("{}_{suffix}", events::id_prefix(event)))
}

/// Converts a payload that hooks get to the internal one.
pub fn to_internal_payload(body: &Value) -> Value {
    let Some(given) = body.as_object() else { return body.clone() };
    let rest: Map<String, Value> = given.get(LEFT_OVER).and_then(Value::as_object).cloned().unwrap_or_default();
    let event = given.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let mut out = Map::new();
    let mut used = vec![LEFT_OVER];
    out.extend(internal_id(given).map(|id| ("id".to_owned(), Value::from(id))));
    if let Some(at) = given.get("timestamp").filter(|at| at.is_number()) {
        used.push("timestamp");
        out.insert("timestamp".to_owned(), at.clone());
    }
    let pairs: &[(&'static str, &str, &str)] = match event {
        "PreToolUse" | "PostToolUse" => &[
            ("tool_use_id", "callId", ""),
            ("tool_name", "toolName", "tool"),
            ("tool_input", "args", "params"),
            ("tool_response", "result", "response"),
        ],
        "SubagentStop" => &[
            ("agent_id", "subagentId", "subagent_id"),
            ("agent_type", "subagentName", "subagent_name"),
            ("last_assistant_message", "last_assistant_message", "final_message"),
        ],
        _ => &[("session_id", "sessionId", "")],
    };
    let mut changed = Map::new();
    for (today, internal, other) in pairs {
        let Some(value) = given.get(*today) else { continue };
        used.push(today);
        if rest.contains_key(*other) {
            continue;
        }
        let mut value = value.clone();
        if let ("tool_name", Some(name)) = (*today, value.as_str()) {
            let own = tools::internal_name(name);
            if tools::hook_name(own) != name {
                changed.insert("tool_name".to_owned(), json!(name));
            }
            value = Value::from(own);
        }
        let name = given.get("tool_name").and_then(Value::as_str).map_or("", tools::hook_name);
        if let ("tool_input", Some(input)) = (*today, value.as_object())
            && with_usual_path(name, input).is_some()
        {
            changed.insert("tool_input".to_owned(), value.clone());
        }
        out.insert((*internal).to_owned(), value);
    }
    let left = given.iter().filter(|(key, _)| !used.contains(&key.as_str()));
    let mut kept: Map<String, Value> = left.map(|(key, value)| (key.clone(), value.clone())).collect();
    kept.extend(changed);
    out.extend(rest);
    if !kept.is_empty() {
        out.insert(LEFT_OVER.to_owned(), Value::Object(kept));
    }
    Value::Object(out)
}
