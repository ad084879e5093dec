//! Payloads with other spellings of the keys: the internal payloads of the fork, and the mixed shape of one document,
//! which no release sends.

use serde_json::{Map, Value};

use super::internal_payload::{self, LEFT_OVER};
use super::{events, tools};
use hookbench_base::dialects::OlderPayload;

/// The spellings of each key, in the order of preference. The first is today's.
const SPELLINGS: [&[&str]; 7] = [
    &["session_id", "sessionId"],
    &["tool_name", "toolName", "tool"],
    &["tool_input", "args", "params"],
    &["tool_use_id", "tool_call_id", "callId"],
    &["agent_id", "subagent_id", "subagentId"],
    &["agent_type", "subagent_name", "subagentName"],
    &["last_assistant_message", "prompt_response", "final_message"],
];
/// Spellings that only an older payload has beside `hook_event_name`.
const TELLING: [&str; 7] =
    ["toolName", "callId", "sessionId", "subagentId", "subagentName", "subagent_id", "subagent_name"];

/// Reads a payload in an older format. `None` if it has today's format.
pub fn read(payload: &Value) -> Option<OlderPayload> {
    let given = payload.as_object()?;
    let mut notes = Vec::new();
    let body = if given.contains_key("hook_event_name") {
        let telling = TELLING.iter().any(|key| given.contains_key(*key));
        telling.then(|| renamed(given, &mut notes))?
    } else {
        internal_payload::to_hook_payload(given, &mut notes)?
    };
    let name = body.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    for (key, kind) in tools::required_input(name) {
        let value = body.get("tool_input").and_then(|input| input.get(key));
        let fits = value.is_some_and(|value| if *kind == "list" { value.is_array() } else { value.is_string() });
        if !fits {
            let found = if value.is_some() { "has another type than" } else { "is missing; it must be" };
            notes.push(format!("tool_input.{key} of {name} {found} a {kind}"));
        }
    }
    Some(OlderPayload { body: Value::Object(body), notes })
}

/// Renames the keys of a payload that names its event.
fn renamed(given: &Map<String, Value>, notes: &mut Vec<String>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in given {
        let today = today_spelling(key);
        // Only the first spelling that is present is renamed, wherever it is in the payload.
        let counts = first_spelling(given, today).is_none_or(|(first, _)| first == key);
        out.insert(if counts { today } else { key }.to_owned(), value.clone());
    }
    if let Some(event) = out.get("hook_event_name").and_then(Value::as_str).and_then(events::by_spelling) {
        out.insert("hook_event_name".to_owned(), Value::from(event.name));
    }
    note_spellings(given, &out, notes);
    set_hook_tool(&mut out);
    out
}

/// Today's spelling of a key.
fn today_spelling(key: &str) -> &str {
    SPELLINGS.iter().find(|all| all.contains(&key)).and_then(|all| all.first()).copied().unwrap_or(key)
}

/// The value of a key in its first spelling that is present, with that spelling.
pub fn first_spelling<'a>(given: &'a Map<String, Value>, today: &str) -> Option<(&'static str, &'a Value)> {
    let all = SPELLINGS.iter().find(|all| all.first() == Some(&today))?;
    all.iter().find_map(|spelling| Some((*spelling, given.get(*spelling)?)))
}

/// Notes the keys that were read in another spelling.
pub fn note_spellings(given: &Map<String, Value>, out: &Map<String, Value>, notes: &mut Vec<String>) {
    let used = SPELLINGS.iter().filter_map(|all| {
        let today = *all.first()?;
        let (spelling, _) = first_spelling(given, today).filter(|(spelling, _)| *spelling != today)?;
        out.contains_key(today).then(|| format!("{spelling} as {today}"))
    });
    let used: Vec<String> = used.collect();
    if !used.is_empty() {
        notes.push(format!("read {}", used.join(", ")));
    }
}

/// Gives the tool its name in hooks, and its path the usual key. Keeps what changed under [`LEFT_OVER`].
pub fn set_hook_tool(body: &mut Map<String, Value>) {
    let Some(written) = body.get("tool_name").and_then(Value::as_str).map(str::to_owned) else { return };
    let name = tools::hook_name(&written).to_owned();
    let mut kept = Map::new();
    if tools::internal_name(&name) != written && name != written {
        kept.insert("toolName".to_owned(), Value::from(written));
    }
    body.insert("tool_name".to_owned(), Value::from(name.as_str()));
    if let Some(Value::Object(input)) = body.get_mut("tool_input")
        && let Some(renamed) = with_usual_path(&name, input)
    {
        kept.insert("args".to_owned(), Value::Object(std::mem::replace(input, renamed)));
    }
    if !kept.is_empty()
        && let Value::Object(rest) = body.entry(LEFT_OVER).or_insert_with(|| Value::Object(Map::new()))
    {
        rest.extend(kept);
    }
}

/// The input of a tool with the usual key of its path. `None` if it has that key, or no path.
pub fn with_usual_path(tool: &str, input: &Map<String, Value>) -> Option<Map<String, Value>> {
    const OTHERS: [&str; 4] = ["file_path", "absolute_path", "path", "notebook_path"];
    let path = tools::path_key(tool).filter(|path| !input.contains_key(*path))?;
    let other = OTHERS.iter().find(|key| input.contains_key(**key))?;
    let renamed = input.iter().map(|(key, value)| {
        let key = if key == other { path } else { key.as_str() };
        (key.to_owned(), value.clone())
    });
    Some(renamed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_mixed_shape_of_one_document() {
        let payload = json!({
            "session_id": "s", "transcript_path": "/t", "cwd": "/p", "permission_mode": "default",
            "hook_event_name": "tool.before", "callId": "c1", "toolName": "replace", "args": {"absolute_path": "/a"},
        });
        let older = read(&payload).unwrap();
        assert_eq!(
            older.body,
            json!({
                "session_id": "s", "transcript_path": "/t", "cwd": "/p", "permission_mode": "default",
                "hook_event_name": "PreToolUse", "tool_use_id": "c1", "tool_name": "Edit",
                "tool_input": {"file_path": "/a"},
                "_legacy": {"toolName": "replace", "args": {"absolute_path": "/a"}},
            })
        );
        assert_eq!(
            older.notes,
            [
                "read toolName as tool_name, args as tool_input, callId as tool_use_id",
                "tool_input.old_string of Edit is missing; it must be a string",
                "tool_input.new_string of Edit is missing; it must be a string",
            ]
        );
    }

    #[test]
    fn todays_payloads_are_left_alone() {
        for payload in [
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "session_id": "s"}),
            json!({"sessionId": "s", "timestamp": 1, "toolName": "bash", "toolArgs": "{}"}),
            json!({"id": "x"}),
            json!({"type": "user", "timestamp": "2026-01-01T00:00:00Z", "sessionId": "s", "id": "u"}),
            json!([1]),
        ] {
            assert_eq!(read(&payload), None, "{payload}");
        }
    }
}
