//! The few fields that the client reads from a payload before sending it: event, session and directory.

use serde_json::Value;
use serde_json::value::RawValue;

use super::LiveFormat;
use super::raw_json::{RawObject, decoded_string};
use crate::dialects;

/// The fields that the envelope repeats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PayloadFields {
    pub event: Option<String>,
    pub session: Option<String>,
    pub cwd: Option<String>,
}

/// Prefixes of the `id` that identify the event in old payloads.
const PREFIXES: &[(&str, &str)] = &[
    ("subagent_session_end_", "subagent_stop"),
    ("tool_before_", "pre_tool_use"),
    ("tool_after_", "post_tool_use"),
    ("session_start_", "session_start"),
    ("input_received_", "user_prompt_submit"),
    ("app_startup_", "app_startup"),
    ("app_shutdown_", "app_shutdown"),
    ("before_response_", "before_response"),
    ("after_response_", "after_response"),
    ("notification_", "notification"),
];

impl PayloadFields {
    /// Reads the top-level keys of a payload.
    pub(super) fn of(top: &RawObject<'_>) -> PayloadFields {
        let text = |keys: &[&str]| keys.iter().find_map(|key| top.last(key).and_then(decoded_string));
        let named = text(&["hook_event_name", "event"]).map(|name| match name.as_str() {
            "session.end" => old_session_end(top).to_owned(),
            _ => name,
        });
        PayloadFields {
            event: named.or_else(|| event_by_id(top).map(str::to_owned)).or_else(|| event_by_keys(top)),
            session: text(&["session_id", "sessionId", "taskId"]).filter(|s| !s.is_empty()),
            cwd: text(&["cwd"]).or_else(|| {
                let roots = top.last("workspaceRoots")?.get();
                serde_json::from_str::<Vec<String>>(roots).ok()?.into_iter().next()
            }),
        }
    }

    /// Returns the wire name of the event: the caller's, else the payload's, else `unknown`.
    pub fn wire_event(&self, said: Option<&str>, form: Option<&LiveFormat>) -> String {
        said.or(self.event.as_deref()).map_or_else(|| UNKNOWN_EVENT.to_owned(), |name| wire_event(form, name))
    }
}

fn event_by_id(top: &RawObject<'_>) -> Option<&'static str> {
    let id = top.last("id").and_then(decoded_string)?;
    if id.starts_with("session_end_") {
        return Some(old_session_end(top));
    }
    PREFIXES.iter().find(|(prefix, _)| id.starts_with(prefix)).map(|(_, event)| *event)
}

/// The event of a payload that does not name it as most do: some agents can tell it by the keys.
fn event_by_keys(top: &RawObject<'_>) -> Option<String> {
    let value = |key: &str| top.last(key).and_then(decoded_string).map_or(Value::Null, Value::from);
    let keys = Value::Object(top.keys().map(|key| (key.to_owned(), value(key))).collect());
    let event = dialects::released().find_map(|dialect| dialect.event_of(&keys))?;
    Some(event.name.to_owned())
}

/// Returns the event that an old `session.end` reports: the end of a subagent, of a session, or of a turn.
fn old_session_end(top: &RawObject<'_>) -> &'static str {
    let has =
        |keys: &[&str]| keys.iter().any(|key| top.last(key).is_some_and(|value: &RawValue| value.get() != "null"));
    let of_subagent =
        || top.last("id").and_then(decoded_string).is_some_and(|id| id.starts_with("subagent_session_end_"));
    if has(&["subagentId", "subagent_id"]) || of_subagent() {
        "subagent_stop"
    } else if has(&["reason"]) && !has(&["final_message", "last_assistant_message"]) {
        "session_end"
    } else {
        "stop"
    }
}

/// The name of an event whose payload does not name it.
pub const UNKNOWN_EVENT: &str = "unknown";

/// The event of a shell command in the text of a skill, for which no event of a tool fires.
pub const SKILL_COMMAND: &str = "pre_skill_shell_command";

const LONGEST: usize = 64;

/// Event names in old configurations and payloads, for all agents.
const OLD_NAMES: &[(&str, &str)] = &[
    ("session.start", "session_start"),
    ("session.end", "stop"),
    ("session.notification", "notification"),
    ("input.received", "user_prompt_submit"),
    ("InputReceived", "user_prompt_submit"),
    ("tool.before", "pre_tool_use"),
    ("tool.after", "post_tool_use"),
    ("before.compact", "pre_compact"),
];

/// Whether a text can be an event name on the wire: `[a-z][a-z0-9_]{0,63}`.
pub fn is_event_name(text: &str) -> bool {
    text.len() <= LONGEST
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns the wire name of an event in any spelling: the wire's, the agent's, or an old one.
pub fn wire_event(form: Option<&LiveFormat>, spelled: &str) -> String {
    if let Some((_, name)) = OLD_NAMES.iter().find(|(old, _)| *old == spelled) {
        return (*name).to_owned();
    }
    let renames = form.map_or(&[] as &[_], |form| form.renames);
    let snake = snake_case(spelled);
    // `before_tool`, the agent's own name in snake case.
    let native = pascal_case(&snake);
    match renames.iter().find(|(_, own)| *own == spelled || *own == native) {
        Some((wire, _)) => (*wire).to_owned(),
        None if is_event_name(&snake) => snake,
        None => UNKNOWN_EVENT.to_owned(),
    }
}

/// Returns the agent's name of an event.
pub fn native_event(form: &LiveFormat, event: &str) -> String {
    match form.renames.iter().find(|(wire, _)| *wire == event) {
        Some((_, native)) => (*native).to_owned(),
        None => pascal_case(event),
    }
}

/// Converts `PreToolUse` to `pre_tool_use`. Dots and dashes become underscores.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        if c.is_ascii_uppercase() {
            if at > 0 && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else if matches!(c, '.' | '-') {
            out.push('_');
        } else {
            out.push(c);
        }
    }
    out
}

/// Converts `pre_tool_use` to `PreToolUse`.
fn pascal_case(name: &str) -> String {
    name.split('_')
        .filter(|part| !part.is_empty())
        .flat_map(|part| part.chars().enumerate().map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::StdinPayload;
    use super::*;

    #[test]
    fn payload_fields_are_read() {
        for (payload, event, session, cwd) in [
            (r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/p"}"#, Some("Stop"), Some("s"), Some("/p")),
            (r#"{"session_id":"a","session_id":"b"}"#, None, Some("b"), None),
            (r#"{"sessionId":"s","id":"tool_before_7"}"#, Some("pre_tool_use"), Some("s"), None),
            (r#"{"id":"session_end_7","reason":"exit"}"#, Some("session_end"), None, None),
            (r#"{"id":"session_end_7","reason":"x","final_message":"m"}"#, Some("stop"), None, None),
            (r#"{"id":"session_end_7"}"#, Some("stop"), None, None),
            (r#"{"sessionId":"s","cwd":"/p","toolName":"x","toolArgs":{}}"#, Some("preToolUse"), Some("s"), Some("/p")),
            (r#"{"id":"subagent_session_end_7","reason":"x"}"#, Some("subagent_stop"), None, None),
            (r#"{"event":"session.end","subagentId":"x"}"#, Some("subagent_stop"), None, None),
            (r#"{"id":"other_7","session_id":5,"cwd":null}"#, None, None, None),
            ("[1]", None, None, None),
            ("nonsense", None, None, None),
            ("", None, None, None),
        ] {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let expected = PayloadFields { event: owned(event), session: owned(session), cwd: owned(cwd) };
            let (_, peek) = StdinPayload::classify(payload.as_bytes(), payload.len() as u64);
            assert_eq!(peek, expected, "{payload}");
        }
    }
}
