//! The events of 0.225.2 (spec §3), one entry each.

use crate::shared::event_fields::{always, one_of, optional};
use hookbench_base::hook::{EventSpec, PayloadField};

/// The common keys, which come before an event's own keys.
pub const COMMON: &[PayloadField] = &[
    always("session_id", "string"),
    always("transcript_path", "string"),
    always("cwd", "string"),
    always("permission_mode", "string"),
    always("hook_event_name", "string"),
];

const TOOLS: &[&str] = &["Execute", "Create", "Edit", "Read", "Grep", "Glob", "LS", "Task"];

const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const NOTHING: &str = "It has no effect.";
const UNOBSERVED: &str = "Documented, but not observed: the event does not fire without a terminal.";

const fn event(name: &'static str, about: &'static str) -> EventSpec {
    EventSpec {
        name,
        about,
        subject: None,
        subjects: &[],
        fields: &[],
        honoured_output: &[],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    }
}

/// All events, in the order in which a session fires them.
pub static EVENTS: [EventSpec; 9] = [
    EventSpec {
        subject: Some("source"),
        subjects: &["startup", "resume"],
        fields: &[
            one_of("source", &["startup", "resume"]),
            optional("previous_session_id", "string"),
            optional("message_id", "string"),
            always("CLAUDE_ENV_FILE", "string"),
        ],
        honoured_output: &[CONTEXT],
        ..event("SessionStart", "When a session starts or is forked.")
    },
    EventSpec {
        fields: &[always("prompt", "string")],
        exit_2: UNOBSERVED,
        ..event("UserPromptSubmit", "Before a prompt is processed. `droid exec` does not fire it.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[always("tool_name", "string"), always("tool_input", "object")],
        honoured_output: &[
            "/hookSpecificOutput/permissionDecision",
            "/hookSpecificOutput/permissionDecisionReason",
            "/hookSpecificOutput/updatedInput",
            "/continue",
        ],
        blockable_action: Some("the tool does not run"),
        exit_2: "It blocks; stderr is the reason, unless the winning answer denies with another reason.",
        exit_2_delivers: true,
        ..event("PreToolUse", "Before a tool runs, also for tools that do not exist.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[always("tool_name", "string"), always("tool_input", "object"), always("tool_response", "string")],
        honoured_output: &[CONTEXT, "/continue"],
        exit_2: "The model gets stderr as feedback after the result.",
        exit_2_delivers: true,
        ..event(
            "PostToolUse",
            "After a tool has succeeded; not after an error or a command that exits with another status than 0.",
        )
    },
    EventSpec {
        fields: &[always("message", "string")],
        exit_2: UNOBSERVED,
        ..event("Notification", "When the agent waits for the user. `droid exec` does not fire it.")
    },
    EventSpec {
        fields: &[always("trigger", "string"), optional("custom_instructions", "string")],
        exit_2: UNOBSERVED,
        ..event("PreCompact", "Before the conversation is compacted. It was not provoked without a terminal.")
    },
    EventSpec {
        fields: &[
            always("message_id", "string"),
            always("stop_hook_active", "boolean"),
            always("tool_execution_count", "number"),
            always("elapsed_time", "number"),
        ],
        honoured_output: &["/decision", "/reason"],
        blockable_action: Some("the agent does not stop"),
        exit_2: "It keeps the agent from stopping; stderr is the reason.",
        exit_2_delivers: true,
        ..event("Stop", "When the model has answered without calling a tool, and after a failed call of the model.")
    },
    EventSpec {
        fields: &[always("stop_hook_active", "boolean")],
        exit_2: UNOBSERVED,
        ..event("SubagentStop", "When a subagent has finished. Subagents need a daemon, so it was not provoked.")
    },
    EventSpec {
        fields: &[
            always("message_id", "string"),
            one_of("reason", &["clear", "logout", "prompt_input_exit", "other"]),
            always("session_duration_ms", "number"),
            always("message_count", "number"),
        ],
        ..event("SessionEnd", "When the session ends.")
    },
];

/// Returns the event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|e| e.name == name)
}

/// Whether what the agent does with the output of this event is known only from its documentation.
pub fn is_unobserved(name: &str) -> bool {
    matches!(name, "UserPromptSubmit" | "Notification" | "PreCompact" | "SubagentStop")
}

/// Returns the event that a user probably meant: another spelling, or the name that another agent uses.
pub fn suggest(name: &str) -> Option<&'static str> {
    const FOREIGN: [(&str, &str); 12] = [
        ("BeforeTool", "PreToolUse"),
        ("AfterTool", "PostToolUse"),
        ("PostToolUseFailure", "PostToolUse"),
        ("PermissionRequest", "PreToolUse"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("userPromptSubmitted", "UserPromptSubmit"),
        ("AfterAgent", "Stop"),
        ("agentStop", "Stop"),
        ("PreCompress", "PreCompact"),
        ("tool.before", "PreToolUse"),
        ("tool.after", "PostToolUse"),
        ("session.end", "SessionEnd"),
    ];
    let plain = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    let same = |other: &str| plain(other) == plain(name);
    let ours = EVENTS.iter().find(|e| same(e.name)).map(|e| e.name);
    ours.or_else(|| FOREIGN.iter().find(|(theirs, _)| same(theirs)).map(|(_, ours)| *ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_are_understood() {
        for (name, want) in [
            ("preToolUse", Some("PreToolUse")),
            ("pre_tool_use", Some("PreToolUse")),
            ("BeforeTool", Some("PreToolUse")),
            ("agentStop", Some("Stop")),
            ("x", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
    }
}
