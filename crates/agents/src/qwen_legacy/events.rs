//! The events of both documents and of the fork, with all their spellings.

use serde_json::Value;

use crate::kernel::events::event_table;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::hook::ExamplePayload;

event_table!("qwen_legacy");

/// The internal name of each event of the documents, and the prefix of the ids in its payloads. `session.end` means
/// three events.
const INTERNAL: [(&str, &str, &str); 13] = [
    ("PreToolUse", "tool.before", "tool_before"),
    ("PostToolUse", "tool.after", "tool_after"),
    ("UserPromptSubmit", "input.received", "input_received"),
    ("BeforeResponse", "before.response", "before_response"),
    ("AfterResponse", "after.response", "after_response"),
    ("Stop", "session.end", "session_end"),
    ("SubagentStop", "session.end", "subagent_session_end"),
    ("SessionStart", "session.start", "session_start"),
    ("SessionEnd", "session.end", "session_end"),
    ("AppStartup", "app.startup", "app_startup"),
    ("AppShutdown", "app.shutdown", "app_shutdown"),
    ("Notification", "session.notification", "notification"),
    ("PreCompact", "before.compact", "before_compact"),
];

/// The internal name of several events.
pub const AMBIGUOUS: &str = "session.end";

/// The event with this name in any spelling: the name of a document, an internal name, or the name in snake case. For
/// an ambiguous internal name, the first event.
pub fn by_spelling(name: &str) -> Option<&'static EventSpec> {
    let wanted = match name {
        "InputReceived" | "input_received" => "UserPromptSubmit",
        other => other,
    };
    let internal = || INTERNAL.iter().find(|(_, own, _)| *own == wanted).map(|(name, ..)| *name);
    let snake = |event: &&EventSpec| snake_case(event.name) == wanted;
    EVENTS.by_name(wanted).or_else(|| EVENTS.by_name(internal()?)).or_else(|| EVENTS.events.iter().find(snake))
}

/// The internal name of an event.
pub fn internal_name(event: &str) -> &str {
    INTERNAL.iter().find(|(name, ..)| *name == event).map_or(event, |(_, internal, _)| internal)
}

/// The prefix of the ids in an event's internal payloads, without the last `_`.
pub fn id_prefix(event: &str) -> String {
    let known = INTERNAL.iter().find(|(name, ..)| *name == event);
    known.map_or_else(|| snake_case(event), |(.., prefix)| (*prefix).to_owned())
}

/// The event that the prefix of an id names, and the rest of the id.
pub fn by_id_prefix(id: &str) -> Option<(&'static str, &str)> {
    INTERNAL.iter().find_map(|(name, _, prefix)| Some((*name, id.strip_prefix(prefix)?.strip_prefix('_')?)))
}

/// `PreToolUse` as `pre_tool_use`, and `file.before_read` as `file_before_read`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        match c {
            '.' => out.push('_'),
            'A'..='Z' => {
                out.push_str(if at > 0 { "_" } else { "" });
                out.push(c.to_ascii_lowercase());
            }
            other => out.push(other),
        }
    }
    out
}

/// Returns the required keys that a payload lacks, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    fill_missing(event, body, examples, |key| EVENTS.requires(event, key) || key == "permission_mode", None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of both documents: name, internal name, in both directions.
    #[test]
    fn names_in_both_directions() {
        for (documented, internal, event) in [
            ("PreToolUse", "tool.before", "PreToolUse"),
            ("PostToolUse", "tool.after", "PostToolUse"),
            ("Stop", "session.end", "Stop"),
            ("SubagentStop", "session.end", "SubagentStop"),
            ("InputReceived", "input.received", "UserPromptSubmit"),
            ("BeforeResponse", "before.response", "BeforeResponse"),
            ("AfterResponse", "after.response", "AfterResponse"),
            ("SessionStart", "session.start", "SessionStart"),
            ("AppStartup", "app.startup", "AppStartup"),
            ("AppShutdown", "app.shutdown", "AppShutdown"),
            ("UserPromptSubmit", "input.received", "UserPromptSubmit"),
            ("Notification", "session.notification", "Notification"),
            ("PreCompact", "before.compact", "PreCompact"),
            ("SessionEnd", "session.end", "SessionEnd"),
        ] {
            let found = by_spelling(documented).map(|event| event.name);
            assert_eq!(found, Some(event), "{documented}");
            assert_eq!(internal_name(event), internal, "{event}");
            let back = by_spelling(internal).map(|event| event.name);
            assert_eq!(back, Some(if internal == AMBIGUOUS { "Stop" } else { event }), "{internal}");
            assert_eq!(by_spelling(&snake_case(event)).map(|event| event.name), Some(event));
        }
        assert_eq!(by_spelling("file_before_read").map(|event| event.name), Some("file.before_read"));
        assert_eq!(by_spelling("PreModelSwitch"), None);
    }

    #[test]
    fn prefixes_of_ids() {
        for (id, want) in [
            ("tool_before_c1", Some(("PreToolUse", "c1"))),
            ("tool_after_c_2", Some(("PostToolUse", "c_2"))),
            ("session_start_s", Some(("SessionStart", "s"))),
            ("session_end_s", Some(("Stop", "s"))),
            ("subagent_session_end_a", Some(("SubagentStop", "a"))),
            ("input_received_s", Some(("UserPromptSubmit", "s"))),
            ("app_startup_1", Some(("AppStartup", "1"))),
            ("app_shutdown_1", Some(("AppShutdown", "1"))),
            ("before_response_1", Some(("BeforeResponse", "1"))),
            ("after_response_1", Some(("AfterResponse", "1"))),
            ("notification_1", Some(("Notification", "1"))),
            ("unheard_of_1", None),
        ] {
            assert_eq!(by_id_prefix(id), want, "{id}");
        }
    }
}
