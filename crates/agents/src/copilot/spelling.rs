//! The two spellings of events and payloads (spec §3). `preToolUse` in the settings means camelCase keys and the agent's
//! own names of tools; `PreToolUse` means the keys and names of Claude Code.

use serde_json::{Map, Value};

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

/// The agent's own names of tools, and their names in PascalCase payloads.
const TOOLS: [(&str, &str); 7] = [
    ("bash", "Bash"),
    ("view", "Read"),
    ("create", "Write"),
    ("edit", "Edit"),
    ("grep", "Grep"),
    ("glob", "Glob"),
    ("task", "Agent"),
];

/// The agent's own name of a tool, from either name.
pub fn native_tool(name: &str) -> &str {
    TOOLS.iter().find(|(_, other)| *other == name).map_or(name, |(own, _)| own)
}

/// The name of a tool in PascalCase payloads, from either name.
pub fn pascal_tool(name: &str) -> &str {
    TOOLS.iter().find(|(own, _)| *own == name).map_or(name, |(_, other)| other)
}

/// The keys whose names differ, in both spellings.
const KEYS: [(&str, &str); 14] = [
    ("sessionId", "session_id"),
    ("initialPrompt", "initial_prompt"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("toolResult", "tool_result"),
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
/// The keys of a tool's result.
const RESULT_KEYS: [(&str, &str); 2] = [("resultType", "result_type"), ("textResultForLlm", "text_result_for_llm")];
/// The only keys that are spelled differently when a subagent starts.
const SUBAGENT_KEYS: [(&str, &str); 3] =
    [("agentId", "agent_id"), ("agentType", "agent_type"), ("parentAgentId", "parent_agent_id")];

/// Whether a hook of this event gets the camelCase payload whatever its spelling is.
fn has_one_payload(event: &str) -> bool {
    matches!(camel_event(event).as_str(), "permissionRequest" | "notification" | "userPromptTransformed")
}

/// The payload that a hook gets which is written with this spelling of the event.
pub fn payload_in(spelling: Spelling, event: &str, body: &Value) -> Value {
    let Some(body) = body.as_object() else { return body.clone() };
    let converted = match spelling {
        _ if has_one_payload(event) => body.clone(),
        Spelling::Camel => to_camel(body),
        Spelling::Pascal if camel_event(event) == "subagentStart" => {
            rename(body, &SUBAGENT_KEYS, |(camel, pascal)| (camel, pascal))
        }
        Spelling::Pascal => to_pascal(event, body),
    };
    Value::Object(converted)
}

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

fn to_camel(body: &Map<String, Value>) -> Map<String, Value> {
    let back = |(camel, pascal): KeyPair| (pascal, camel);
    let mut out = rename(body, &KEYS, back);
    out.shift_remove("hook_event_name");
    change(&mut out, "timestamp", |value| parse_time(value.as_str()?).map(Value::from));
    change(&mut out, "toolName", |value| Some(Value::from(native_tool(value.as_str()?))));
    change(&mut out, "toolResult", |value| Some(Value::Object(rename(value.as_object()?, &RESULT_KEYS, back))));
    out
}

fn to_pascal(event: &str, body: &Map<String, Value>) -> Map<String, Value> {
    let forth = |pair: KeyPair| pair;
    let renamed = rename(body, &KEYS, forth);
    let name = pascal_event(&camel_event(event)).unwrap_or_else(|| event.to_owned());
    let mut out = Map::from_iter([("hook_event_name".to_owned(), Value::from(name))]);
    out.extend(renamed.into_iter().filter(|(key, _)| key != "hook_event_name"));
    change(&mut out, "timestamp", |value| format_time(value.as_i64()?).map(Value::from));
    change(&mut out, "tool_name", |value| Some(Value::from(pascal_tool(value.as_str()?))));
    change(&mut out, "tool_result", |value| Some(Value::Object(rename(value.as_object()?, &RESULT_KEYS, forth))));
    out
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
            assert_eq!(payload_in(Spelling::Pascal, event, &camel), pascal);
            assert_eq!(payload_in(Spelling::Camel, event, &pascal), camel);
            assert_eq!(payload_in(Spelling::Camel, event, &camel), camel);
        }
        let asked = json!({"hookName": "permissionRequest", "sessionId": "s", "toolName": "bash"});
        assert_eq!(payload_in(Spelling::Pascal, "permissionRequest", &asked), asked);
    }
}
