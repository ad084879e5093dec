//! The two spellings of events and payloads (spec §3). `preToolUse` in the settings means camelCase keys and the agent's
//! own names of tools; `PreToolUse` means the keys and names of Claude Code.

use serde_json::{Map, Value};

use super::{events, json};
use hookbench_base::recorded::{format_time, parse_time};

/// A spelling of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spelling {
    Camel,
    Pascal,
}

impl Spelling {
    /// The spelling of an event's name.
    pub fn of(event: &str) -> Spelling {
        if event.starts_with(|c: char| c.is_ascii_uppercase()) { Spelling::Pascal } else { Spelling::Camel }
    }
}

/// The events whose names differ by more than their first letter.
const NAMES: [(&str, &str); 2] = [("userPromptSubmitted", "UserPromptSubmit"), ("agentStop", "Stop")];

/// The name of an event in camelCase. Both spellings of an event are one moment in a session.
pub fn camel_event(event: &str) -> String {
    if let Some((camel, _)) = NAMES.iter().find(|(_, pascal)| *pascal == event) {
        return (*camel).to_owned();
    }
    let mut letters = event.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// The name of an event in PascalCase. `None` if the agent has no such spelling of it.
pub fn pascal_event(event: &str) -> Option<String> {
    if event == "userPromptTransformed" {
        return None;
    }
    if let Some((_, pascal)) = NAMES.iter().find(|(camel, _)| *camel == event) {
        return Some((*pascal).to_owned());
    }
    let mut letters = event.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// The name under which hookbench fires an event.
pub fn main_spelling(event: &str) -> &str {
    let pascal = pascal_event(&camel_event(event)).and_then(|name| events::by_name(&name));
    pascal.map_or(event, |pascal| pascal.name)
}

/// The agent's own names of tools, and their names in PascalCase payloads. Of several with one name, the first is the
/// usual one. 40 names were tried on 1.0.102.
const TOOLS: [(&str, &str); 15] = [
    ("bash", "Bash"),
    ("powershell", "Bash"),
    ("view", "Read"),
    ("create", "Write"),
    ("edit", "Edit"),
    ("apply_patch", "Edit"),
    ("str_replace_editor", "Edit"),
    ("grep", "Grep"),
    ("rg", "Grep"),
    ("glob", "Glob"),
    ("task", "Agent"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
    ("ask_user", "AskUserQuestion"),
    ("update_todo", "TodoWrite"),
];

/// The agent's own name of a tool, from either name. Where several have the other name, the usual one.
pub fn native_tool(name: &str) -> &str {
    TOOLS.iter().find(|(_, other)| *other == name).map_or(name, |(own, _)| own)
}

/// The name of a tool in PascalCase payloads, from either name.
pub fn pascal_tool(name: &str) -> &str {
    TOOLS.iter().find(|(own, _)| *own == name).map_or(name, |(_, other)| other)
}

/// The name that hookbench uses for a tool: that of PascalCase payloads, unless another tool has it too.
fn held_tool(name: &str) -> &str {
    let other = pascal_tool(name);
    if native_tool(other) == native_tool(name) { other } else { name }
}

/// The name of a tool with which the matchers of an event are compared, from either name.
pub fn tool_in_matchers<'n>(event: &str, name: &'n str) -> &'n str {
    match Spelling::of(event) {
        Spelling::Camel => native_tool(name),
        Spelling::Pascal => pascal_tool(name),
    }
}

/// The keys whose names differ, in both spellings.
const KEYS: [(&str, &str); 17] = [
    ("sessionId", "session_id"),
    ("initialPrompt", "initial_prompt"),
    ("transformedPrompt", "transformed_prompt"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("toolInput", "tool_input"),
    ("toolResult", "tool_result"),
    ("permissionSuggestions", "permission_suggestions"),
    ("transcriptPath", "transcript_path"),
    ("stopReason", "stop_reason"),
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("agentName", "agent_name"),
    ("parentAgentId", "parent_agent_id"),
    ("customInstructions", "custom_instructions"),
    ("errorContext", "error_context"),
    ("response", "last_assistant_message"),
];
/// The camelCase name of a key.
pub fn camel_key(key: &str) -> &str {
    KEYS.iter().find(|(_, pascal)| *pascal == key).map_or(key, |(camel, _)| camel)
}

/// The keys of a tool's result.
pub const RESULT_KEYS: [(&str, &str); 2] = [("resultType", "result_type"), ("textResultForLlm", "text_result_for_llm")];
const EVENT: &str = "hook_event_name";

type KeyPair = (&'static str, &'static str);

/// Renames keys. `direction` returns the old and the new name of a pair.
fn rename(
    body: &Map<String, Value>,
    pairs: &'static [KeyPair],
    direction: fn(KeyPair) -> KeyPair,
) -> Map<String, Value> {
    let name = |key: &str| {
        let pair = pairs.iter().copied().map(direction).find(|(old, _)| *old == key);
        pair.map_or_else(|| key.to_owned(), |(_, new)| new.to_owned())
    };
    body.iter().map(|(key, value)| (name(key), value.clone())).collect()
}

fn change(body: &mut Map<String, Value>, key: &str, convert: impl Fn(&Value) -> Option<Value>) {
    if let Some(value) = body.get_mut(key)
        && let Some(new) = convert(value)
    {
        *value = new;
    }
}

/// The payload with the keys that hookbench holds: those of PascalCase payloads, on every event.
pub fn held_payload(event: &str, body: &Value) -> Value {
    let Some(body) = body.as_object() else { return body.clone() };
    let forth = |pair: KeyPair| pair;
    let mut out = Map::from_iter([(EVENT.to_owned(), Value::from(main_spelling(event)))]);
    out.extend(rename(body, &KEYS, forth).into_iter().filter(|(key, _)| key != EVENT && key != "hookName"));
    change(&mut out, "timestamp", |value| format_time(value.as_i64()?).map(Value::from));
    change(&mut out, "tool_name", |value| Some(Value::from(held_tool(value.as_str()?))));
    if camel_event(event) == "permissionRequest" {
        change(&mut out, "tool_input", |value| Some(Value::Object(rename(value.as_object()?, &PATH, forth))));
    }
    change(&mut out, "tool_result", |value| Some(Value::Object(rename(value.as_object()?, &RESULT_KEYS, forth))));
    Value::Object(out)
}

/// The payload that a hook under this name gets, from the one that hookbench holds.
pub fn sent_payload(event: &str, held: &Value) -> Value {
    let Some(body) = held.as_object() else { return held.clone() };
    let sent = match (camel_event(event).as_str(), Spelling::of(event)) {
        // These have one payload for both spellings.
        ("permissionRequest", _) => permission_request(body),
        ("notification", _) => notification(body),
        ("subagentStart", Spelling::Pascal) => subagent_start(body),
        (_, Spelling::Camel) => to_camel(body),
        (_, Spelling::Pascal) => {
            let mut out = body.clone();
            change(&mut out, "tool_name", |value| Some(Value::from(pascal_tool(value.as_str()?))));
            // Only a PascalCase hook gets the arguments that an earlier hook wrote as a text as an object.
            change(&mut out, "tool_input", |value| json::parse(value.as_str()?));
            out
        }
    };
    Value::Object(sent)
}

fn to_camel(body: &Map<String, Value>) -> Map<String, Value> {
    let back = |(camel, pascal): KeyPair| (pascal, camel);
    let mut out = rename(body, &KEYS, back);
    out.shift_remove(EVENT);
    change(&mut out, "timestamp", |value| parse_time(value.as_str()?).map(Value::from));
    change(&mut out, "toolName", |value| Some(Value::from(native_tool(value.as_str()?))));
    change(&mut out, "toolResult", |value| Some(Value::Object(rename(value.as_object()?, &RESULT_KEYS, back))));
    out
}

/// A permission names the path of a file as no tool does: as sent, and as hookbench holds it.
const PATH: [KeyPair; 1] = [("file_path", "path")];

/// The name is a kind of permission, and the first key names the event.
fn permission_request(body: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::from_iter([("hookName".to_owned(), Value::from("permissionRequest"))]);
    let input = |pair: KeyPair| if pair.0 == "toolArgs" { ("toolArgs", "toolInput") } else { ("", "") };
    out.extend(rename(&to_camel(body), &KEYS, input));
    change(&mut out, "toolName", |value| (value == "create").then(|| Value::from("edit")));
    let back = |(sent, held): KeyPair| (held, sent);
    change(&mut out, "toolInput", |value| Some(Value::Object(rename(value.as_object()?, &PATH, back))));
    out
}

fn notification(body: &Map<String, Value>) -> Map<String, Value> {
    const TYPE: &str = "notification_type";
    let mut out = to_camel(body);
    let kind = out.shift_remove(TYPE);
    out.insert(EVENT.to_owned(), Value::from("Notification"));
    out.extend(kind.map(|kind| (TYPE.to_owned(), kind)));
    out
}

/// Only three keys are spelled differently when a subagent starts.
fn subagent_start(body: &Map<String, Value>) -> Map<String, Value> {
    let forth = |pair: KeyPair| match pair.0 {
        "agentId" | "agentType" | "parentAgentId" => pair,
        _ => ("", ""),
    };
    rename(&to_camel(body), &KEYS, forth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_in_both_spellings() {
        for (camel, pascal) in [
            ("preToolUse", "PreToolUse"),
            ("userPromptSubmitted", "UserPromptSubmit"),
            ("agentStop", "Stop"),
            ("sessionEnd", "SessionEnd"),
        ] {
            assert_eq!((camel_event(pascal).as_str(), pascal_event(camel).as_deref()), (camel, Some(pascal)));
            assert_eq!(camel_event(camel), camel);
        }
        assert_eq!(pascal_event("userPromptTransformed"), None);
        assert_eq!((native_tool("Agent"), pascal_tool("view"), pascal_tool("sql")), ("task", "Read", "sql"));
    }

    /// A pair of payloads that the agent sent to two hooks of one event.
    #[test]
    fn payloads_in_both_spellings() {
        for (event, camel, pascal) in [
            (
                "postToolUse",
                json!({"sessionId": "s", "timestamp": 1_795_386_854_987_i64, "cwd": "/p", "toolName": "bash",
                    "toolArgs": {"command": "ls"}, "toolResult": {"resultType": "success", "textResultForLlm": "x"}}),
                json!({"hook_event_name": "PostToolUse", "session_id": "s", "timestamp": "2026-11-22T22:34:14.987Z",
                    "cwd": "/p", "tool_name": "Bash", "tool_input": {"command": "ls"},
                    "tool_result": {"result_type": "success", "text_result_for_llm": "x"}}),
            ),
            (
                "agentStop",
                json!({"sessionId": "s", "timestamp": 1_795_386_857_027_i64, "cwd": "/p", "transcriptPath": "/t",
                    "stopReason": "end_turn", "stop_hook_active": false}),
                json!({"hook_event_name": "Stop", "session_id": "s", "timestamp": "2026-11-22T22:34:17.027Z",
                    "cwd": "/p", "transcript_path": "/t", "stop_reason": "end_turn", "stop_hook_active": false}),
            ),
        ] {
            assert_eq!(held_payload(event, &camel), pascal);
            assert_eq!(held_payload(event, &pascal), pascal);
            assert_eq!(sent_payload(event, &pascal), camel);
            assert_eq!(sent_payload(main_spelling(event), &pascal), pascal);
        }
    }

    /// Payloads that are the same, or almost the same, in both spellings, with their order of keys.
    #[test]
    fn payloads_of_one_spelling() {
        for (event, sent) in [
            (
                "permissionRequest",
                r#"{"hookName":"permissionRequest","sessionId":"s","timestamp":1795386854871,"cwd":"/p","toolName":"bash","toolInput":{"command":"ls"},"permissionSuggestions":[]}"#,
            ),
            (
                "PermissionRequest",
                r#"{"hookName":"permissionRequest","sessionId":"s","timestamp":1795386854871,"cwd":"/p","toolName":"edit","toolInput":{"file_path":"/p/a","diff":"+a"},"permissionSuggestions":[]}"#,
            ),
            (
                "Notification",
                r#"{"sessionId":"s","timestamp":1795387404025,"cwd":"/p","message":"m","title":"t","hook_event_name":"Notification","notification_type":"permission_prompt"}"#,
            ),
            (
                "SubagentStart",
                r#"{"sessionId":"s","timestamp":1795386861469,"cwd":"/p","transcriptPath":"/t","agentName":"a","agent_id":"i","agent_type":"a","parent_agent_id":"s"}"#,
            ),
            (
                "userPromptTransformed",
                r#"{"sessionId":"s","timestamp":1795386861469,"cwd":"/p","prompt":"a","transformedPrompt":"b"}"#,
            ),
        ] {
            let payload: Value = serde_json::from_str(sent).unwrap();
            let held = held_payload(event, &payload);
            assert_eq!(held["hook_event_name"], main_spelling(event), "{event}");
            assert_eq!(sent_payload(event, &held).to_string(), sent, "{event}");
        }
    }
}
