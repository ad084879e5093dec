//! The 22 events (spec §5), one entry each.

use super::version_behaviour::{self, VersionBehaviour};
use crate::shared::event_fields::{always, one_of, optional};
use hookbench_base::dialects::Version;
use hookbench_base::hook::{EventSpec, PayloadField};

/// The common keys, which come before an event's own keys. `agent_id` is present only inside a sub-agent, `prompt_id`
/// only in a model turn.
pub const COMMON: &[PayloadField] = &[
    always("session_id", "string"),
    optional("source_type", "string"),
    optional("source_id", "string"),
    always("transcript_path", "string"),
    always("cwd", "string"),
    always("hook_event_name", "string"),
    always("timestamp", "string"),
    one_of("permission_mode", &["default", "plan", "auto_edit", "auto-edit", "auto", "yolo"]),
    optional("agent_id", "string"),
    optional("prompt_id", "string"),
];

const TOOL: &[PayloadField] = &[
    always("tool_name", "string"),
    always("tool_input", "object"),
    always("tool_use_id", "string"),
    optional("tool_call_id", "string"),
];

const PHASES: &[&str] = &["validation", "postWrite"];
const ERRORS: &[&str] = &[
    "rate_limit",
    "authentication_failed",
    "billing_error",
    "invalid_request",
    "server_error",
    "max_output_tokens",
    "unknown",
    "loop_detected",
];

const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const ARTIFACTS: &str = "/hookSpecificOutput/artifacts";
const NOTHING: &[&str] = &[];
const BLOCKING: &[&str] = &["/decision", "/reason", "/continue", "/stopReason"];
const NO_BLOCK: &str = "It has no effect: the event cannot be blocked.";

const fn event(name: &'static str, about: &'static str) -> EventSpec {
    EventSpec {
        name,
        about,
        subject: None,
        subjects: &[],
        fields: &[],
        honoured_output: NOTHING,
        blockable_action: None,
        exit_2: NO_BLOCK,
        exit_2_delivers: false,
    }
}

/// All events of the newest version, in the agent's order.
pub static EVENTS: [EventSpec; 22] = [
    EventSpec {
        subject: Some("tool_name"),
        subjects: &["run_shell_command", "edit", "write_file", "read_file", "grep_search", "glob", "agent"],
        fields: TOOL,
        honoured_output: &[
            "/hookSpecificOutput/permissionDecision",
            "/hookSpecificOutput/permissionDecisionReason",
            "/decision",
            "/reason",
            "/continue",
            "/stopReason",
        ],
        blockable_action: Some("the tool does not run"),
        exit_2: "Text on stderr blocks the tool, and the model gets it as an error; without text on stderr it has no effect.",
        exit_2_delivers: true,
        ..event("PreToolUse", "Before a tool runs, after its permission was granted.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: &["run_shell_command", "edit", "write_file", "read_file", "grep_search", "glob", "agent"],
        fields: &[
            always("tool_name", "string"),
            always("tool_input", "object"),
            always("tool_response", "object"),
            always("tool_use_id", "string"),
            optional("tool_call_id", "string"),
            optional("duration_ms", "number"),
        ],
        honoured_output: &["/continue", "/stopReason", "/reason", CONTEXT, ARTIFACTS],
        blockable_action: Some("the model does not get the tool's result"),
        exit_2: "It has no effect: only `continue: false` replaces the result.",
        ..event("PostToolUse", "After a tool has returned without an error.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: &["run_shell_command", "edit", "write_file", "read_file"],
        fields: &[
            always("tool_use_id", "string"),
            optional("tool_call_id", "string"),
            always("tool_name", "string"),
            always("tool_input", "object"),
            always("error", "string"),
            always("is_interrupt", "boolean"),
            optional("duration_ms", "number"),
        ],
        honoured_output: &[CONTEXT, ARTIFACTS],
        ..event("PostToolUseFailure", "After a tool has failed, thrown an error or been cancelled.")
    },
    EventSpec {
        fields: &[always("tool_calls", "list")],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", CONTEXT, ARTIFACTS],
        blockable_action: Some("the model does not get the last result of the batch"),
        exit_2: "Text on stderr replaces the last result of the batch with an error.",
        exit_2_delivers: true,
        ..event("PostToolBatch", "When all tool calls of a batch have finished (headless: after every single call).")
    },
    EventSpec {
        subject: Some("notification_type"),
        subjects: &["permission_prompt", "idle_prompt", "auth_success"],
        fields: &[always("message", "string"), always("notification_type", "string"), optional("title", "string")],
        honoured_output: &["/terminalSequence"],
        ..event("Notification", "When the agent notifies the user.")
    },
    EventSpec {
        fields: &[always("prompt", "string"), optional("submitted_prompt", "string")],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", CONTEXT],
        blockable_action: Some("the model receives nothing"),
        exit_2: "Text on stderr drops the prompt; the model receives nothing.",
        ..event("UserPromptSubmit", "Before a prompt, a tool result or a continued stop is sent to the model.")
    },
    EventSpec {
        subject: Some("command_name"),
        fields: &[always("command_name", "string"), always("command_args", "string"), always("prompt", "string")],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", CONTEXT],
        blockable_action: Some("the command's prompt is not sent"),
        exit_2: "Text on stderr drops the command's prompt.",
        ..event("UserPromptExpansion", "When a slash command was expanded to a prompt.")
    },
    EventSpec {
        subject: Some("source"),
        subjects: &["startup", "resume", "clear", "compact"],
        fields: &[
            one_of("source", &["startup", "resume", "clear", "compact"]),
            always("model", "string"),
            optional("agent_type", "string"),
        ],
        honoured_output: &[CONTEXT],
        ..event("SessionStart", "When a session starts, resumes or is cleared, and after compaction.")
    },
    EventSpec {
        fields: &[
            always("stop_hook_active", "boolean"),
            always("last_assistant_message", "string"),
            always("background_tasks", "list"),
            always("crons", "list"),
            optional("context_usage", "number"),
            optional("context_limit", "number"),
            optional("input_tokens", "number"),
        ],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", "/systemMessage"],
        blockable_action: Some("the agent does not stop"),
        exit_2: "Text on stderr keeps the agent running: the text is its next user message.",
        ..event("Stop", "When the model has answered without calling a tool.")
    },
    EventSpec {
        fields: &[always("message_id", "string"), always("displayed_text", "string"), always("is_final", "boolean")],
        ..event("MessageDisplay", "While an answer is shown: every 200 ms, and once at its end.")
    },
    EventSpec {
        subject: Some("agent_type"),
        subjects: &["general-purpose"],
        fields: &[always("agent_id", "string"), always("agent_type", "string")],
        honoured_output: &[CONTEXT],
        ..event("SubagentStart", "When the `agent` tool starts a sub-agent.")
    },
    EventSpec {
        subject: Some("agent_type"),
        subjects: &["general-purpose"],
        fields: &[
            always("stop_hook_active", "boolean"),
            always("agent_id", "string"),
            always("agent_type", "string"),
            always("agent_transcript_path", "string"),
            always("last_assistant_message", "string"),
            always("background_tasks", "list"),
            always("crons", "list"),
        ],
        honoured_output: BLOCKING,
        blockable_action: Some("the sub-agent does not stop"),
        exit_2: "Text on stderr keeps the sub-agent running: the text is its next message.",
        ..event("SubagentStop", "When a sub-agent has finished.")
    },
    EventSpec {
        subject: Some("trigger"),
        subjects: &["manual", "auto"],
        fields: &[one_of("trigger", &["manual", "auto"]), always("custom_instructions", "string")],
        honoured_output: &[CONTEXT],
        ..event("PreCompact", "Before the conversation is compacted.")
    },
    EventSpec {
        subject: Some("trigger"),
        subjects: &["manual", "auto"],
        fields: &[one_of("trigger", &["manual", "auto"]), always("compact_summary", "string")],
        ..event("PostCompact", "After the conversation was compacted.")
    },
    EventSpec {
        subject: Some("reason"),
        subjects: &["clear", "prompt_input_exit", "logout", "bypass_permissions_disabled", "other"],
        fields: &[one_of("reason", &["clear", "prompt_input_exit", "logout", "bypass_permissions_disabled", "other"])],
        ..event("SessionEnd", "On /clear and at the end of an interactive session; not at the end of a headless run.")
    },
    EventSpec {
        fields: &[always("deleted_session_id", "string")],
        ..event("SessionDelete", "When a session is deleted.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: &["run_shell_command", "edit", "write_file"],
        fields: &[
            always("tool_name", "string"),
            always("tool_input", "object"),
            optional("permission_suggestions", "list"),
        ],
        honoured_output: &[
            "/hookSpecificOutput/decision/behavior",
            "/hookSpecificOutput/decision/message",
            "/hookSpecificOutput/decision/updatedInput",
        ],
        blockable_action: Some("the tool call is denied"),
        exit_2: "It has no effect by itself: only `hookSpecificOutput.decision` is read.",
        ..event("PermissionRequest", "Before a confirmation dialog is shown; never in a normal headless run.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: &["run_shell_command"],
        fields: &[
            always("tool_name", "string"),
            always("tool_input", "object"),
            always("tool_use_id", "string"),
            optional("tool_call_id", "string"),
            always("reason", "string"),
        ],
        ..event("PermissionDenied", "When the classifier of the AUTO mode has blocked a tool call.")
    },
    EventSpec {
        subject: Some("error"),
        subjects: ERRORS,
        fields: &[
            one_of("error", ERRORS),
            optional("error_details", "string"),
            optional("last_assistant_message", "string"),
        ],
        ..event("StopFailure", "When a turn ends with an API error (not headless) or in a loop.")
    },
    EventSpec {
        fields: &[
            always("todo_id", "string"),
            always("todo_content", "string"),
            always("todo_status", "string"),
            always("all_todos", "list"),
            one_of("phase", PHASES),
        ],
        honoured_output: &["/decision", "/reason"],
        blockable_action: Some("the to-do list is not changed"),
        exit_2: "It does not block if it is the only answer (its decision is `deny`, but the agent requires `block`); two or more answers are merged into `block`.",
        ..event("TodoCreated", "For every new to-do: before the list is written, and again after.")
    },
    EventSpec {
        fields: &[
            always("todo_id", "string"),
            always("todo_content", "string"),
            always("previous_status", "string"),
            always("all_todos", "list"),
            one_of("phase", PHASES),
        ],
        honoured_output: &["/decision", "/reason"],
        blockable_action: Some("the to-do list is not changed"),
        exit_2: "It does not block if it is the only answer (its decision is `deny`, but the agent requires `block`); two or more answers are merged into `block`.",
        ..event(
            "TodoCompleted",
            "For every to-do that becomes `completed`: before the list is written, and again after.",
        )
    },
    EventSpec {
        subject: Some("file_path"),
        fields: &[
            always("file_path", "string"),
            one_of("memory_type", &["user", "project", "local", "extension"]),
            one_of("load_reason", &["session_start", "include", "refresh"]),
            optional("trigger_file_path", "string"),
            optional("parent_file_path", "string"),
        ],
        ..event("InstructionsLoaded", "For every loaded context file and import.")
    },
];

/// Returns whether the subject of this event is a tool name.
pub fn has_tool_subject(event: &str) -> bool {
    by_name(event).is_some_and(|e| e.subject == Some("tool_name"))
}

/// Returns whether the agent discards the output of the event's hooks. They run under a supervisor that outlives it
/// (spec §6.7).
pub fn discards_output(event: &str) -> bool {
    matches!(event, "MessageDisplay" | "StopFailure" | "SessionDelete")
}

/// Returns the event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|e| e.name == name)
}

/// Returns whether an event exists in a version.
pub fn is_known(behaviour: &VersionBehaviour, name: &str) -> bool {
    by_name(name).is_some() && behaviour.events.is_none_or(|events| events.contains(&name))
}

/// Returns the events of a version.
pub fn for_version(version: &Version) -> Vec<&'static EventSpec> {
    let behaviour = version_behaviour::for_version(version);
    EVENTS.iter().filter(|e| is_known(behaviour, e.name)).collect()
}

/// Returns the event that a user probably meant: another spelling, or the name that another agent uses.
pub fn suggest(name: &str) -> Option<&'static str> {
    const FOREIGN: [(&str, &str); 11] = [
        ("BeforeTool", "PreToolUse"),
        ("AfterTool", "PostToolUse"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("AfterAgent", "Stop"),
        ("PreCompress", "PreCompact"),
        ("TaskCreated", "TodoCreated"),
        ("TaskCompleted", "TodoCompleted"),
        ("InputReceived", "UserPromptSubmit"),
        ("AppStartup", "SessionStart"),
        ("tool.before", "PreToolUse"),
        ("tool.after", "PostToolUse"),
    ];
    let plain = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    let same = EVENTS.iter().find(|e| plain(e.name) == plain(name)).map(|e| e.name);
    same.or_else(|| FOREIGN.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_their_events() {
        for (version, count) in [("0.24.4", 22), ("0.15.6", 14), ("0.14.0", 12)] {
            assert_eq!(for_version(&Version::parse(version).unwrap()).len(), count, "{version}");
        }
        for (name, want) in [
            ("preToolUse", Some("PreToolUse")),
            ("session_start", Some("SessionStart")),
            ("BeforeTool", Some("PreToolUse")),
            ("x", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
    }
}
