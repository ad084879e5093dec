//! The events of both documents and of the fork, with all their spellings.

use crate::shared::event_fields::{always, optional, optional_one_of};
use hookbench_base::hook::{EventSpec, PayloadField};

/// The modes of both agents. Another value is reported.
pub const MODES: &[&str] =
    &["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "auto_edit", "yolo"];

/// The keys of every payload.
pub const COMMON: &[PayloadField] = &[
    always("session_id", "string"),
    always("hook_event_name", "string"),
    always("transcript_path", "string"),
    always("cwd", "string"),
    optional_one_of("permission_mode", MODES),
];

const TOOLS: &[&str] = &[
    "Write",
    "Edit",
    "Bash",
    "TodoWrite",
    "Read",
    "ReadManyFiles",
    "Grep",
    "Glob",
    "Ls",
    "WebSearch",
    "WebFetch",
    "Memory",
    "Task",
    "ExitPlanMode",
    "NotebookEdit",
];
const MODE: PayloadField = optional_one_of("permission_mode", MODES);
const DECISION: &str = "/decision";
const REASON: &str = "/reason";
const OWN_DECISION: &str = "/hookSpecificOutput/permissionDecision";
const OWN_REASON: &str = "/hookSpecificOutput/permissionDecisionReason";
const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const MESSAGE: &str = "/systemMessage";
const CONTINUE: &str = "/continue";
const STOP_REASON: &str = "/stopReason";
/// The keys that every event reads.
const UNIVERSAL: &[&str] = &[CONTINUE, STOP_REASON, MESSAGE];
const DECIDES: &[&str] = &[CONTINUE, OWN_DECISION, OWN_REASON, DECISION, REASON, STOP_REASON, MESSAGE];
const REWRITES: &[&str] = &[
    CONTINUE,
    OWN_DECISION,
    OWN_REASON,
    DECISION,
    REASON,
    STOP_REASON,
    MESSAGE,
    "/updatedInput",
    "/hookSpecificOutput/updatedInput",
];
const MODIFIES: &[&str] = &[
    CONTINUE,
    OWN_DECISION,
    OWN_REASON,
    DECISION,
    REASON,
    STOP_REASON,
    MESSAGE,
    "/updatedResponse",
    "/hookSpecificOutput/updatedResponse",
];
const ADDS: &[&str] = &[CONTINUE, STOP_REASON, MESSAGE, "/additionalContext", CONTEXT];
const BLOCKS: &str = "The event is blocked, the stdout is ignored, and stderr is the reason.";
const ENDS: &str = "No further hook runs; nothing is blocked.";

const fn event(name: &'static str, about: &'static str) -> EventSpec {
    EventSpec {
        name,
        about,
        subject: None,
        subjects: &[],
        fields: &[MODE],
        honoured_output: UNIVERSAL,
        blockable_action: None,
        exit_2: ENDS,
        exit_2_delivers: false,
    }
}

/// All events: those of the documents, then those that only the fork knew.
pub static EVENTS: [EventSpec; 24] = [
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            MODE,
            always("tool_name", "string"),
            always("tool_input", "object"),
            optional("tool_use_id", "string"),
        ],
        honoured_output: REWRITES,
        blockable_action: Some("the tool runs"),
        exit_2: BLOCKS,
        exit_2_delivers: true,
        ..event("PreToolUse", "Before a tool runs.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            MODE,
            always("tool_name", "string"),
            always("tool_input", "object"),
            optional("tool_response", "any"),
            optional("tool_use_id", "string"),
        ],
        ..event("PostToolUse", "After a tool has run.")
    },
    EventSpec {
        fields: &[MODE, always("prompt", "string")],
        honoured_output: REWRITES,
        blockable_action: Some("the prompt is processed"),
        exit_2: BLOCKS,
        exit_2_delivers: true,
        ..event("UserPromptSubmit", "When input is received; the documents call it InputReceived.")
    },
    EventSpec {
        fields: &[MODE, always("response", "string")],
        honoured_output: MODIFIES,
        blockable_action: Some("the response is shown"),
        exit_2: BLOCKS,
        exit_2_delivers: true,
        ..event("BeforeResponse", "Before the agent shows a response.")
    },
    EventSpec {
        fields: &[MODE, always("response", "string")],
        ..event("AfterResponse", "After the agent has shown a response; for logs only.")
    },
    EventSpec {
        fields: &[MODE, optional("last_assistant_message", "string")],
        honoured_output: DECIDES,
        blockable_action: Some("the agent stops"),
        exit_2: BLOCKS,
        exit_2_delivers: true,
        ..event(
            "Stop",
            "When the agent stops, once a turn. The internal name session.end is only a name: a session ends once.",
        )
    },
    EventSpec {
        fields: &[
            MODE,
            always("agent_id", "string"),
            always("agent_type", "string"),
            optional("last_assistant_message", "string"),
        ],
        honoured_output: DECIDES,
        blockable_action: Some("the subagent stops"),
        exit_2: BLOCKS,
        exit_2_delivers: true,
        ..event("SubagentStop", "When a subagent stops.")
    },
    EventSpec {
        fields: &[MODE, optional("config", "object")],
        honoured_output: ADDS,
        ..event("SessionStart", "When a session begins.")
    },
    EventSpec { fields: &[MODE, always("reason", "string")], ..event("SessionEnd", "When a session ends.") },
    EventSpec {
        fields: &[MODE, optional("config", "object")],
        honoured_output: ADDS,
        ..event("AppStartup", "When the program starts.")
    },
    EventSpec {
        fields: &[MODE, optional("state", "object")],
        ..event("AppShutdown", "When the program ends; for logs only.")
    },
    EventSpec {
        fields: &[MODE, always("message", "string")],
        ..event("Notification", "When the agent notifies the user.")
    },
    event("PreCompact", "Before the conversation is compacted."),
    event("output.ready", "When output is ready; known to the fork only."),
    event("command.before", "Before a command; known to the fork only."),
    event("command.after", "After a command; known to the fork only."),
    event("model.before_request", "Before a request to the model; known to the fork only."),
    event("model.after_response", "After a response of the model; known to the fork only."),
    event("file.before_read", "Before a file is read; known to the fork only."),
    event("file.after_read", "After a file was read; known to the fork only."),
    event("file.before_write", "Before a file is written; known to the fork only."),
    event("file.after_write", "After a file was written; known to the fork only."),
    event("error.occurred", "When an error has occurred; known to the fork only."),
    event("error.handled", "When an error was handled; known to the fork only."),
];

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

/// The event with this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|event| event.name == name)
}

/// The event with this name in any spelling: the name of a document, an internal name, or the name in snake case. For
/// an ambiguous internal name, the first event.
pub fn by_spelling(name: &str) -> Option<&'static EventSpec> {
    let wanted = match name {
        "InputReceived" | "input_received" => "UserPromptSubmit",
        other => other,
    };
    let internal = || INTERNAL.iter().find(|(_, own, _)| *own == wanted).map(|(name, ..)| *name);
    let snake = |event: &&EventSpec| snake_case(event.name) == wanted;
    by_name(wanted).or_else(|| by_name(internal()?)).or_else(|| EVENTS.iter().find(snake))
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
