//! The events of 3.0.65, and payloads: what hookbench holds has the keys of most agents, what a hook gets has Cline's.

use serde_json::{Map, Value, json};

use crate::kernel::events::event_table;
use hookbench_base::dialects::Confidence;
use hookbench_base::text::stringify;

event_table!("cline");

/// The names of events in payloads, which are not those of the files.
const NAMES: [(&str, &str); 9] = [
    ("TaskStart", "agent_start"),
    ("TaskResume", "agent_resume"),
    ("TaskCancel", "agent_abort"),
    ("TaskComplete", "agent_end"),
    ("TaskError", "agent_error"),
    ("PreToolUse", "tool_call"),
    ("PostToolUse", "tool_result"),
    ("UserPromptSubmit", "prompt_submit"),
    ("SessionShutdown", "session_shutdown"),
];
/// The keys of a call's result, in the order in which they are sent.
const RESULT: [&str; 5] = ["output", "error", "durationMs", "startedAt", "endedAt"];
/// The keys before the name of the event, in the order in which they are sent.
const COMMON: [&str; 9] = [
    "clineVersion",
    "timestamp",
    "taskId",
    "sessionContext",
    "workspaceRoots",
    "workspaceInfo",
    "userId",
    "agent_id",
    "parent_agent_id",
];

/// The event of a payload.
pub fn event_of(payload: &Value) -> Option<&'static EventSpec> {
    let sent = payload.get("hookName")?.as_str()?;
    payload.get("taskId")?;
    EVENTS.by_name(NAMES.iter().find(|(_, name)| *name == sent)?.0)
}

/// How likely Cline sent this payload.
pub fn recognise(payload: &Value) -> Confidence {
    let is_held = payload.get("clineVersion").is_some() && payload.get("taskId").is_some();
    if event_of(payload).is_some() || is_held { Confidence::Certain } else { Confidence::No }
}

/// The payload with the keys that hookbench holds.
pub fn held(event: &str, sent: &Value) -> Value {
    let Some(body) = sent.as_object().filter(|body| body.contains_key("hookName")) else { return sent.clone() };
    let mut out = Map::from_iter([("hook_event_name".to_owned(), Value::from(event))]);
    let is_call = |key: &str| {
        ["hookName", "tool_call", "tool_result", "preToolUse", "postToolUse", "userPromptSubmit"].contains(&key)
    };
    out.extend(body.iter().filter(|(key, _)| !is_call(key)).map(|(key, value)| (key.clone(), value.clone())));
    if let Some(root) = out.get("workspaceRoots").and_then(|roots| roots.get(0)).cloned() {
        out.shift_remove("workspaceRoots");
        out.insert("cwd".to_owned(), root);
    }
    if let Some(call) = ["tool_call", "tool_result"].iter().find_map(|key| body.get(*key)?.as_object()) {
        for (held, key) in [("tool_name", "name"), ("tool_input", "input"), ("tool_call_id", "id")] {
            out.extend(call.get(key).map(|value| (held.to_owned(), value.clone())));
        }
        let result = RESULT.iter().filter_map(|key| Some(((*key).to_owned(), call.get(*key)?.clone())));
        out.extend(result.map(|(key, value)| (if key == "output" { "tool_output".to_owned() } else { key }, value)));
    }
    if let Some(prompt) = body.get("userPromptSubmit").and_then(Value::as_object) {
        out.extend(prompt.clone());
    }
    Value::Object(out)
}

/// The payload that a hook gets, from the one that hookbench holds.
pub fn sent(event: &str, held: &Value) -> Value {
    let Some(body) = held.as_object() else { return held.clone() };
    let Some((_, name)) = NAMES.iter().find(|(own, _)| *own == event) else { return held.clone() };
    let common = |key: &&str| match (*key, body.get("cwd")) {
        ("workspaceRoots", Some(cwd)) => Some(("workspaceRoots".to_owned(), json!([cwd]))),
        (key, _) => Some((key.to_owned(), body.get(key)?.clone())),
    };
    let mut out: Map<String, Value> = COMMON.iter().filter_map(common).collect();
    out.insert("hookName".to_owned(), Value::from(*name));
    let value = |key: &str| body.get(key).cloned();
    let put = |out: &mut Map<String, Value>, key: &str, value: Option<Value>| {
        out.extend(value.map(|value| (key.to_owned(), value)));
    };
    put(&mut out, "iteration", value("iteration"));
    if ["PreToolUse", "PostToolUse"].contains(&event) {
        let mut call = Map::new();
        for (key, held) in [("id", "tool_call_id"), ("name", "tool_name"), ("input", "tool_input")] {
            put(&mut call, key, value(held));
        }
        let mut told = Map::new();
        put(&mut told, "toolName", value("tool_name"));
        told.insert("parameters".to_owned(), as_texts(body.get("tool_input").unwrap_or(&Value::Null)));
        if event == "PreToolUse" {
            put(&mut out, "tool_call", Some(Value::Object(call)));
            put(&mut out, "preToolUse", Some(Value::Object(told)));
        } else {
            for key in RESULT {
                put(&mut call, key, value(if key == "output" { "tool_output" } else { key }));
            }
            put(&mut told, "result", value("tool_output").map(|result| as_text(&result)));
            told.insert("success".to_owned(), Value::from(!body.contains_key("error")));
            put(&mut told, "executionTimeMs", value("durationMs"));
            put(&mut out, "tool_result", Some(Value::Object(call)));
            put(&mut out, "postToolUse", Some(Value::Object(told)));
        }
    } else if event == "UserPromptSubmit" {
        let keys = ["prompt", "attachments"].into_iter().filter_map(|key| Some((key.to_owned(), value(key)?)));
        put(&mut out, "userPromptSubmit", Some(Value::Object(keys.collect())));
    }
    let known = |key: &str| {
        let is_call = key.starts_with("tool_") || ["cwd", "hook_event_name", "prompt", "attachments"].contains(&key);
        is_call || RESULT.contains(&key) && event == "PostToolUse"
    };
    let others = body.iter().filter(|(key, _)| !known(key) && !out.contains_key(*key)).collect::<Vec<_>>();
    let others: Vec<_> = others.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    out.extend(others);
    Value::Object(out)
}

/// An object whose values are texts: a text itself, or the JSON of another value.
fn as_texts(input: &Value) -> Value {
    let keys = input.as_object().into_iter().flatten();
    Value::Object(keys.map(|(key, value)| (key.clone(), as_text(value))).collect())
}

fn as_text(value: &Value) -> Value {
    if value.is_string() { value.clone() } else { Value::from(stringify(value)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::place;

    #[test]
    fn payloads_come_back_as_they_were() {
        for event in EVENTS.events {
            for example in EVENTS.examples(event.name, &place(), "/h/.cline") {
                let sent = sent(event.name, &example.body);
                assert_eq!(event_of(&sent).map(|event| event.name), Some(event.name), "{sent}");
                assert_eq!(held(event.name, &sent), example.body, "{}", event.name);
            }
        }
    }
}
