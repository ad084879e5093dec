//! The events of 0.61.0 (spec §2), one entry each.

use crate::shared::event_fields::{always, one_of, optional};
use hookbench_base::hook::{EventSpec, PayloadField};

/// The common keys, which come before an event's own keys. `transcript_path` is empty until the transcript is first
/// written.
pub const COMMON: &[PayloadField] = &[
    always("session_id", "string"),
    always("transcript_path", "string"),
    always("cwd", "string"),
    always("hook_event_name", "string"),
    always("timestamp", "string"),
];

const TOOLS: &[&str] = &[
    "run_shell_command",
    "replace",
    "write_file",
    "read_file",
    "list_directory",
    "glob",
    "grep_search",
    "web_fetch",
    "google_web_search",
];

const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const RESPONSE: &str = "/hookSpecificOutput/llm_response";
const NO_BLOCK: &str = "It has no effect: the event cannot be blocked.";
/// The meaning of exit status 2 here: only the text counts, and JSON on either stream takes precedence.
const TEXT_BLOCKS: &str = "With text (on stdout, else stderr) that is not JSON it blocks, like every status except 0 and 1; without text, or with JSON, it has no effect.";

const fn event(name: &'static str, about: &'static str) -> EventSpec {
    EventSpec {
        name,
        about,
        subject: None,
        subjects: &[],
        fields: &[],
        honoured_output: &["/systemMessage"],
        blockable_action: None,
        exit_2: NO_BLOCK,
        exit_2_delivers: false,
    }
}

/// All events, in the order in which a session fires them.
pub static EVENTS: [EventSpec; 11] = [
    EventSpec {
        subject: Some("source"),
        subjects: &["startup", "resume", "clear"],
        fields: &[one_of("source", &["startup", "resume", "clear"])],
        honoured_output: &[CONTEXT, "/systemMessage"],
        ..event("SessionStart", "When the CLI starts, when a session resumes, and after /clear.")
    },
    EventSpec {
        fields: &[always("prompt", "string")],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", CONTEXT, "/systemMessage"],
        blockable_action: Some("the prompt is not sent"),
        exit_2: TEXT_BLOCKS,
        exit_2_delivers: true,
        ..event("BeforeAgent", "Before a prompt is processed, and again for every retry that AfterAgent requests.")
    },
    EventSpec {
        fields: &[always("llm_request", "object")],
        honoured_output: &[
            "/decision",
            "/reason",
            "/continue",
            "/stopReason",
            "/hookSpecificOutput/llm_request",
            RESPONSE,
            "/systemMessage",
        ],
        blockable_action: Some("the model is not called"),
        exit_2: TEXT_BLOCKS,
        exit_2_delivers: true,
        ..event("BeforeModel", "Before each call of the model.")
    },
    EventSpec {
        fields: &[always("llm_request", "object")],
        honoured_output: &["/hookSpecificOutput/toolConfig", "/systemMessage"],
        ..event("BeforeToolSelection", "Right after BeforeModel, before the model receives its tools.")
    },
    EventSpec {
        fields: &[always("llm_request", "object"), always("llm_response", "object")],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", RESPONSE, "/systemMessage"],
        blockable_action: Some("the answer is cut off after this piece"),
        exit_2: TEXT_BLOCKS,
        exit_2_delivers: true,
        ..event("AfterModel", "For each piece of the model's answer as it arrives.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            always("tool_name", "string"),
            always("tool_input", "object"),
            optional("mcp_context", "object"),
            optional("original_request_name", "string"),
        ],
        honoured_output: &[
            "/decision",
            "/reason",
            "/continue",
            "/stopReason",
            "/hookSpecificOutput/tool_input",
            "/systemMessage",
        ],
        blockable_action: Some("the tool does not run"),
        exit_2: TEXT_BLOCKS,
        exit_2_delivers: true,
        ..event("BeforeTool", "Before a tool runs, and before the agent checks its permission.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            always("tool_name", "string"),
            always("tool_input", "object"),
            always("tool_response", "object"),
            optional("mcp_context", "object"),
            optional("original_request_name", "string"),
        ],
        honoured_output: &[
            "/decision",
            "/reason",
            "/continue",
            "/stopReason",
            CONTEXT,
            "/hookSpecificOutput/tailToolCallRequest",
            "/systemMessage",
        ],
        blockable_action: Some("the model gets the reason instead of the result"),
        exit_2: TEXT_BLOCKS,
        exit_2_delivers: true,
        ..event("AfterTool", "After a tool has run, even if it failed.")
    },
    EventSpec {
        fields: &[
            always("prompt", "string"),
            always("prompt_response", "string"),
            always("stop_hook_active", "boolean"),
        ],
        honoured_output: &[
            "/decision",
            "/reason",
            "/continue",
            "/stopReason",
            "/hookSpecificOutput/clearContext",
            "/systemMessage",
        ],
        blockable_action: Some("the turn does not end"),
        exit_2: TEXT_BLOCKS,
        exit_2_delivers: true,
        ..event("AfterAgent", "When the model has answered without calling a tool.")
    },
    EventSpec {
        fields: &[
            one_of("notification_type", &["ToolPermission"]),
            always("message", "string"),
            always("details", "object"),
        ],
        ..event("Notification", "Before the user is asked whether a tool may run.")
    },
    EventSpec {
        subject: Some("trigger"),
        subjects: &["auto", "manual"],
        fields: &[one_of("trigger", &["auto", "manual"])],
        ..event(
            "PreCompress",
            "Before every check whether the chat must be compressed, which is before each model call.",
        )
    },
    EventSpec {
        subject: Some("reason"),
        subjects: &["exit", "clear"],
        fields: &[one_of("reason", &["exit", "clear", "logout", "prompt_input_exit", "other"])],
        ..event("SessionEnd", "On exit, where it may fire two or three times, and before /clear.")
    },
];

/// Returns whether the subject of this event is a tool name.
pub fn has_tool_subject(event: &EventSpec) -> bool {
    event.subject == Some("tool_name")
}

/// Returns the event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|e| e.name == name)
}

/// Returns the event that a user probably meant: another spelling, or the name that another agent uses.
pub fn suggest(name: &str) -> Option<&'static str> {
    const FOREIGN: [(&str, &str); 13] = [
        ("PreToolUse", "BeforeTool"),
        ("PostToolUse", "AfterTool"),
        ("PostToolUseFailure", "AfterTool"),
        ("UserPromptSubmit", "BeforeAgent"),
        ("Stop", "AfterAgent"),
        ("SubagentStop", "AfterAgent"),
        ("PermissionRequest", "BeforeTool"),
        ("PreCompact", "PreCompress"),
        ("InputReceived", "BeforeAgent"),
        ("AppStartup", "SessionStart"),
        ("tool.before", "BeforeTool"),
        ("tool.after", "AfterTool"),
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
            ("before_tool", Some("BeforeTool")),
            ("BEFORETOOL", Some("BeforeTool")),
            ("PreToolUse", Some("BeforeTool")),
            ("preToolUse", Some("BeforeTool")),
            ("Stop", Some("AfterAgent")),
            ("x", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
    }
}
