//! The events of 1.0.102 (spec §3), one entry for each spelling.

use crate::shared::event_fields::{always, one_of, optional};
use hookbench_base::hook::{EventSpec, PayloadField};

/// The common keys of camelCase payloads, which come before an event's own keys.
pub const CAMEL: &[PayloadField] =
    &[always("sessionId", "string"), always("timestamp", "number"), always("cwd", "string")];
/// The common keys of PascalCase payloads.
pub const PASCAL: &[PayloadField] = &[
    always("hook_event_name", "string"),
    always("session_id", "string"),
    always("timestamp", "string"),
    always("cwd", "string"),
];

const TOOLS: &[&str] = &["bash", "view", "create", "edit", "grep", "glob", "task"];
const PASCAL_TOOLS: &[&str] = &["Bash", "Read", "Write", "Edit", "Grep", "Glob", "Agent"];

const SPECIFIC: &str = "/hookSpecificOutput/permissionDecision";
const NOTHING: &str = "It has no effect.";
const LIKE_0: &str = "It does not block; an answer counts as with exit 0, and stderr goes to the log.";
const PERMISSION: &str = "It denies; `message` of an answer is the reason, stderr is not.";

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

const fn both(camel: EventSpec, name: &'static str, fields: &'static [PayloadField]) -> [EventSpec; 2] {
    let pascal = EventSpec {
        name,
        about: camel.about,
        subject: camel.subject,
        subjects: camel.subjects,
        fields,
        honoured_output: camel.honoured_output,
        blockable_action: camel.blockable_action,
        exit_2: camel.exit_2,
        exit_2_delivers: camel.exit_2_delivers,
    };
    [camel, pascal]
}

const SESSION_START: [EventSpec; 2] = both(
    EventSpec {
        fields: &[one_of("source", &["new", "resume"]), optional("initialPrompt", "string")],
        honoured_output: &["/additionalContext"],
        exit_2: LIKE_0,
        ..event("sessionStart", "When a session starts or is resumed.")
    },
    "SessionStart",
    &[one_of("source", &["new", "resume"]), optional("initial_prompt", "string")],
);

const PROMPT: [EventSpec; 2] = both(
    EventSpec {
        fields: &[always("prompt", "string")],
        honoured_output: &["/decision", "/reason", "/modifiedPrompt", "/additionalContext"],
        blockable_action: Some("the prompt is not sent, and the run ends with status 1"),
        exit_2: LIKE_0,
        ..event("userPromptSubmitted", "Before a prompt is processed.")
    },
    "UserPromptSubmit",
    &[always("prompt", "string")],
);

const TRANSFORMED: EventSpec = EventSpec {
    fields: &[always("prompt", "string"), always("transformedPrompt", "string")],
    honoured_output: &["/modifiedTransformedPrompt"],
    exit_2: LIKE_0,
    ..event("userPromptTransformed", "After the agent has added its own text to a prompt.")
};

const PRE_TOOL: EventSpec = EventSpec {
    subject: Some("toolName"),
    subjects: TOOLS,
    fields: &[always("toolName", "string"), always("toolArgs", "object")],
    honoured_output: &["/permissionDecision", "/permissionDecisionReason", "/modifiedArgs", "/additionalContext"],
    blockable_action: Some("the tool does not run"),
    exit_2: "It blocks; the reason of a deny in the answer counts, stderr does not.",
    exit_2_delivers: true,
    ..event("preToolUse", "Before a tool runs.")
};

const PASCAL_PRE_TOOL: EventSpec = EventSpec {
    name: "PreToolUse",
    subject: Some("tool_name"),
    subjects: PASCAL_TOOLS,
    fields: &[always("tool_name", "string"), always("tool_input", "object")],
    honoured_output: &[
        SPECIFIC,
        "/hookSpecificOutput/permissionDecisionReason",
        "/hookSpecificOutput/updatedInput",
        "/hookSpecificOutput/additionalContext",
        "/permissionDecision",
        "/permissionDecisionReason",
        "/modifiedArgs",
        "/additionalContext",
    ],
    ..PRE_TOOL
};

const PERMISSION_REQUEST: [EventSpec; 2] = both(
    EventSpec {
        subject: Some("toolName"),
        subjects: &["bash", "edit"],
        fields: &[
            always("hookName", "string"),
            always("toolName", "string"),
            always("toolInput", "object"),
            always("permissionSuggestions", "list"),
        ],
        honoured_output: &["/behavior", "/message", "/interrupt"],
        blockable_action: Some("the tool does not run"),
        exit_2: PERMISSION,
        exit_2_delivers: true,
        ..event("permissionRequest", "Before the agent asks whether a tool may run, also if everything is allowed.")
    },
    "PermissionRequest",
    &[
        always("hookName", "string"),
        always("toolName", "string"),
        always("toolInput", "object"),
        always("permissionSuggestions", "list"),
    ],
);

const POST_TOOL: EventSpec = EventSpec {
    subject: Some("toolName"),
    subjects: TOOLS,
    fields: &[always("toolName", "string"), always("toolArgs", "object"), always("toolResult", "object")],
    honoured_output: &["/decision", "/reason", "/modifiedResult", "/additionalContext"],
    blockable_action: Some("the model gets the reason instead of the result"),
    exit_2: LIKE_0,
    ..event("postToolUse", "After a tool has run. A command that exits with another status than 0 counts as a success.")
};

const PASCAL_POST_TOOL: EventSpec = EventSpec {
    name: "PostToolUse",
    subject: Some("tool_name"),
    subjects: PASCAL_TOOLS,
    fields: &[always("tool_name", "string"), always("tool_input", "object"), always("tool_result", "object")],
    ..POST_TOOL
};

const FAILURE: [EventSpec; 2] = both(
    EventSpec {
        fields: &[always("toolName", "string"), always("toolArgs", "object"), always("error", "string")],
        honoured_output: &["/additionalContext"],
        exit_2: "The model gets stderr as context.",
        exit_2_delivers: true,
        ..event("postToolUseFailure", "After a tool has failed, or if it does not exist.")
    },
    "PostToolUseFailure",
    &[always("tool_name", "string"), always("tool_input", "object"), always("error", "string")],
);

const STOP: [EventSpec; 2] = both(
    EventSpec {
        fields: &[
            always("transcriptPath", "string"),
            always("stopReason", "string"),
            always("stop_hook_active", "boolean"),
        ],
        honoured_output: &["/decision", "/reason"],
        blockable_action: Some("the agent does not stop"),
        exit_2: LIKE_0,
        ..event("agentStop", "When the model has answered without calling a tool.")
    },
    "Stop",
    &[always("transcript_path", "string"), always("stop_reason", "string"), always("stop_hook_active", "boolean")],
);

const SUBAGENT_START: EventSpec = EventSpec {
    subject: Some("agentType"),
    fields: &[
        always("transcriptPath", "string"),
        always("agentName", "string"),
        always("agentId", "string"),
        always("agentType", "string"),
        always("parentAgentId", "string"),
    ],
    honoured_output: &["/additionalContext"],
    exit_2: LIKE_0,
    ..event("subagentStart", "Before a subagent starts.")
};

const PASCAL_SUBAGENT_START: EventSpec = EventSpec {
    name: "SubagentStart",
    subject: Some("agent_type"),
    fields: &[
        always("transcriptPath", "string"),
        always("agentName", "string"),
        always("agent_id", "string"),
        always("agent_type", "string"),
        always("parent_agent_id", "string"),
    ],
    ..SUBAGENT_START
};

const SUBAGENT_STOP: [EventSpec; 2] = both(
    EventSpec {
        fields: &[
            always("transcriptPath", "string"),
            always("agentId", "string"),
            always("agentType", "string"),
            always("agentName", "string"),
            always("response", "string"),
            always("stopReason", "string"),
            always("stop_hook_active", "boolean"),
            always("parentAgentId", "string"),
        ],
        honoured_output: &["/decision", "/reason"],
        blockable_action: Some("the subagent does not stop"),
        exit_2: LIKE_0,
        ..event("subagentStop", "When a subagent has finished.")
    },
    "SubagentStop",
    &[
        always("agent_id", "string"),
        always("agent_type", "string"),
        always("parent_agent_id", "string"),
        always("transcript_path", "string"),
        always("agent_name", "string"),
        always("last_assistant_message", "string"),
        always("stop_reason", "string"),
        always("stop_hook_active", "boolean"),
    ],
);

const COMPACT: [EventSpec; 2] = both(
    EventSpec {
        fields: &[
            always("transcriptPath", "string"),
            one_of("trigger", &["manual", "auto"]),
            always("customInstructions", "string"),
        ],
        ..event("preCompact", "Before the conversation is compacted.")
    },
    "PreCompact",
    &[
        always("transcript_path", "string"),
        one_of("trigger", &["manual", "auto"]),
        always("custom_instructions", "string"),
    ],
);

const ERROR: [EventSpec; 2] = both(
    EventSpec {
        fields: &[always("errorContext", "string"), always("recoverable", "boolean"), always("error", "object")],
        ..event("errorOccurred", "After a call of the model has failed.")
    },
    "ErrorOccurred",
    &[always("error", "object"), always("error_context", "string"), always("recoverable", "boolean")],
);

const NOTIFICATION: [EventSpec; 2] = both(
    EventSpec {
        subject: Some("notification_type"),
        subjects: &["permission_prompt", "shell_completed"],
        fields: &[
            always("message", "string"),
            always("title", "string"),
            always("hook_event_name", "string"),
            one_of("notification_type", &["permission_prompt", "shell_completed"]),
        ],
        ..event("notification", "When the agent notifies the user.")
    },
    "Notification",
    &[
        always("message", "string"),
        always("title", "string"),
        always("hook_event_name", "string"),
        one_of("notification_type", &["permission_prompt", "shell_completed"]),
    ],
);

const SESSION_END: [EventSpec; 2] = both(
    EventSpec { fields: &[one_of("reason", &["complete", "error"])], ..event("sessionEnd", "When the session ends.") },
    "SessionEnd",
    &[one_of("reason", &["complete", "error"])],
);

/// All events, in the order in which a session fires them; the camelCase spelling of each comes first.
pub static EVENTS: [EventSpec; 27] = {
    let [start, pascal_start] = SESSION_START;
    let [prompt, pascal_prompt] = PROMPT;
    let [ask, pascal_ask] = PERMISSION_REQUEST;
    let [failure, pascal_failure] = FAILURE;
    let [stop, pascal_stop] = STOP;
    let [end_sub, pascal_end_sub] = SUBAGENT_STOP;
    let [compact, pascal_compact] = COMPACT;
    let [error, pascal_error] = ERROR;
    let [note, pascal_note] = NOTIFICATION;
    let [end, pascal_end] = SESSION_END;
    [
        start,
        pascal_start,
        prompt,
        pascal_prompt,
        TRANSFORMED,
        PRE_TOOL,
        PASCAL_PRE_TOOL,
        ask,
        pascal_ask,
        POST_TOOL,
        PASCAL_POST_TOOL,
        failure,
        pascal_failure,
        SUBAGENT_START,
        PASCAL_SUBAGENT_START,
        end_sub,
        pascal_end_sub,
        stop,
        pascal_stop,
        compact,
        pascal_compact,
        error,
        pascal_error,
        note,
        pascal_note,
        end,
        pascal_end,
    ]
};

/// Returns the event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|e| e.name == name)
}

/// Returns the event that a user probably meant: another spelling, or the name that another agent uses.
pub fn suggest(name: &str) -> Option<&'static str> {
    const FOREIGN: [(&str, &str); 11] = [
        ("UserPromptSubmitted", "UserPromptSubmit"),
        ("AgentStop", "Stop"),
        ("BeforeTool", "PreToolUse"),
        ("AfterTool", "PostToolUse"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("AfterAgent", "Stop"),
        ("PreCompress", "PreCompact"),
        ("tool.before", "preToolUse"),
        ("tool.after", "postToolUse"),
        ("input.received", "userPromptSubmitted"),
        ("session.end", "sessionEnd"),
    ];
    if let Some((_, ours)) = FOREIGN.iter().find(|(theirs, _)| *theirs == name) {
        return Some(ours);
    }
    let plain = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    let same = |other: &str| plain(other) == plain(name);
    let ours = EVENTS.iter().find(|e| same(e.name)).map(|e| e.name);
    ours.or_else(|| FOREIGN.iter().find(|(theirs, _)| same(theirs)).map(|(_, ours)| *ours))
}

#[cfg(test)]
mod tests {
    use super::super::spelling::{Spelling, camel_event};
    use super::*;

    #[test]
    fn every_event_but_one_has_two_spellings() {
        let camel: Vec<&str> = EVENTS.iter().map(|e| e.name).filter(|n| Spelling::of(n) == Spelling::Camel).collect();
        for name in &camel {
            let other = EVENTS.iter().filter(|e| camel_event(e.name) == *name).count();
            assert_eq!(other, if *name == "userPromptTransformed" { 1 } else { 2 }, "{name}");
        }
        assert_eq!(camel.len(), 14);
    }

    #[test]
    fn other_names_are_understood() {
        for (name, want) in [
            ("pretooluse", Some("preToolUse")),
            ("pre_tool_use", Some("preToolUse")),
            ("AgentStop", Some("Stop")),
            ("BeforeTool", Some("PreToolUse")),
            ("x", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
    }
}
