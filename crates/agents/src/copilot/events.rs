//! The events of 1.0.102 (spec §3) in both spellings. Both have the keys that hookbench holds, which are those of
//! PascalCase payloads; `spelling` knows what a hook gets.

use super::spelling::{Spelling, camel_event, pascal_event};
use crate::shared::event_fields::{always, one_of, optional};
use hookbench_base::hook::EventSpec;

const TOOLS: &[&str] = &["Bash", "Read", "Write", "Edit", "Grep", "Glob", "Agent"];

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

/// The same event in camelCase.
const fn camel(name: &'static str, pascal: &EventSpec) -> EventSpec {
    EventSpec {
        name,
        about: pascal.about,
        subject: pascal.subject,
        subjects: pascal.subjects,
        fields: pascal.fields,
        honoured_output: pascal.honoured_output,
        blockable_action: pascal.blockable_action,
        exit_2: pascal.exit_2,
        exit_2_delivers: pascal.exit_2_delivers,
    }
}

const SESSION_START: EventSpec = EventSpec {
    fields: &[one_of("source", &["new", "resume"]), optional("initial_prompt", "string")],
    honoured_output: &["/additionalContext"],
    exit_2: LIKE_0,
    ..event("SessionStart", "When a session starts or is resumed.")
};

const PROMPT: EventSpec = EventSpec {
    fields: &[always("prompt", "string")],
    honoured_output: &["/decision", "/reason", "/modifiedPrompt", "/additionalContext", "/handled", "/responseContent"],
    blockable_action: Some("the prompt is not sent, and the run ends with status 1"),
    exit_2: LIKE_0,
    ..event("UserPromptSubmit", "Before a prompt is processed.")
};

const TRANSFORMED: EventSpec = EventSpec {
    fields: &[always("prompt", "string"), always("transformed_prompt", "string")],
    honoured_output: &["/modifiedTransformedPrompt"],
    exit_2: LIKE_0,
    ..event("userPromptTransformed", "After the agent has added its own text to a prompt.")
};

const PRE_TOOL: EventSpec = EventSpec {
    subject: Some("tool_name"),
    subjects: TOOLS,
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
    blockable_action: Some("the tool does not run"),
    exit_2: "It blocks; the reason of a deny in the answer counts, stderr does not.",
    exit_2_delivers: true,
    ..event("PreToolUse", "Before a tool runs.")
};

const CAMEL_PRE_TOOL: EventSpec = EventSpec {
    name: "preToolUse",
    honoured_output: &["/permissionDecision", "/permissionDecisionReason", "/modifiedArgs", "/additionalContext"],
    ..PRE_TOOL
};

const PERMISSION_REQUEST: EventSpec = EventSpec {
    subject: Some("tool_name"),
    subjects: &["Bash", "Edit"],
    fields: &[always("tool_name", "string"), always("tool_input", "object"), always("permission_suggestions", "list")],
    honoured_output: &["/behavior", "/message", "/interrupt"],
    blockable_action: Some("the tool does not run"),
    exit_2: PERMISSION,
    exit_2_delivers: true,
    ..event("PermissionRequest", "Before the agent asks whether a tool may run, also if everything is allowed.")
};

const POST_TOOL: EventSpec = EventSpec {
    subject: Some("tool_name"),
    subjects: TOOLS,
    fields: &[always("tool_name", "string"), always("tool_input", "object"), always("tool_result", "object")],
    honoured_output: &["/decision", "/reason", "/modifiedResult", "/additionalContext"],
    blockable_action: Some("the model gets the reason instead of the result"),
    exit_2: LIKE_0,
    ..event("PostToolUse", "After a tool has run. A command that exits with another status than 0 counts as a success.")
};

const FAILURE: EventSpec = EventSpec {
    fields: &[always("tool_name", "string"), always("tool_input", "object"), always("error", "string")],
    honoured_output: &["/additionalContext"],
    exit_2: "The model gets stderr as context.",
    exit_2_delivers: true,
    ..event("PostToolUseFailure", "After a tool has failed, or if it does not exist.")
};

const STOP: EventSpec = EventSpec {
    fields: &[
        always("transcript_path", "string"),
        always("stop_reason", "string"),
        always("stop_hook_active", "boolean"),
    ],
    honoured_output: &["/decision", "/reason"],
    blockable_action: Some("the agent does not stop"),
    exit_2: LIKE_0,
    ..event("Stop", "When the model has answered without calling a tool.")
};

const SUBAGENT_START: EventSpec = EventSpec {
    subject: Some("agent_type"),
    subjects: &["general-purpose"],
    fields: &[
        always("transcript_path", "string"),
        always("agent_name", "string"),
        always("agent_id", "string"),
        always("agent_type", "string"),
        always("parent_agent_id", "string"),
    ],
    honoured_output: &["/additionalContext"],
    exit_2: LIKE_0,
    ..event("SubagentStart", "Before a subagent starts.")
};

const SUBAGENT_STOP: EventSpec = EventSpec {
    fields: &[
        always("agent_id", "string"),
        always("agent_type", "string"),
        always("parent_agent_id", "string"),
        always("transcript_path", "string"),
        always("agent_name", "string"),
        always("last_assistant_message", "string"),
        always("stop_reason", "string"),
        always("stop_hook_active", "boolean"),
    ],
    honoured_output: &["/decision", "/reason"],
    blockable_action: Some("the subagent does not stop"),
    exit_2: LIKE_0,
    ..event("SubagentStop", "When a subagent has finished.")
};

const COMPACT: EventSpec = EventSpec {
    fields: &[
        always("transcript_path", "string"),
        one_of("trigger", &["manual", "auto"]),
        always("custom_instructions", "string"),
    ],
    ..event("PreCompact", "Before the conversation is compacted.")
};

const ERROR: EventSpec = EventSpec {
    fields: &[always("error", "object"), always("error_context", "string"), always("recoverable", "boolean")],
    ..event("ErrorOccurred", "After a call of the model has failed.")
};

const NOTIFICATION: EventSpec = EventSpec {
    subject: Some("notification_type"),
    subjects: &["permission_prompt", "shell_completed"],
    fields: &[
        always("message", "string"),
        always("title", "string"),
        one_of("notification_type", &["permission_prompt", "shell_completed"]),
    ],
    ..event("Notification", "When the agent notifies the user.")
};

const SESSION_END: EventSpec =
    EventSpec { fields: &[one_of("reason", &["complete", "error"])], ..event("SessionEnd", "When the session ends.") };

/// The events as which hookbench fires them, in the order of a session. `userPromptTransformed` has no other spelling.
pub static EVENTS: [EventSpec; 14] = [
    SESSION_START,
    PROMPT,
    TRANSFORMED,
    PRE_TOOL,
    PERMISSION_REQUEST,
    POST_TOOL,
    FAILURE,
    SUBAGENT_START,
    SUBAGENT_STOP,
    STOP,
    COMPACT,
    ERROR,
    NOTIFICATION,
    SESSION_END,
];

/// The other spelling of the events.
pub static CAMEL_EVENTS: [EventSpec; 13] = [
    camel("sessionStart", &SESSION_START),
    camel("userPromptSubmitted", &PROMPT),
    CAMEL_PRE_TOOL,
    camel("permissionRequest", &PERMISSION_REQUEST),
    camel("postToolUse", &POST_TOOL),
    camel("postToolUseFailure", &FAILURE),
    camel("subagentStart", &SUBAGENT_START),
    camel("subagentStop", &SUBAGENT_STOP),
    camel("agentStop", &STOP),
    camel("preCompact", &COMPACT),
    camel("errorOccurred", &ERROR),
    camel("notification", &NOTIFICATION),
    camel("sessionEnd", &SESSION_END),
];

/// Returns the event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().chain(&CAMEL_EVENTS).find(|e| e.name == name)
}

/// Returns the event that a user probably meant: another spelling, or the name that another agent uses.
pub fn suggest(name: &str) -> Option<&'static str> {
    const FOREIGN: [(&str, &str); 9] = [
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
    let plain = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    let same = |other: &str| plain(other) == plain(name);
    let ours = EVENTS.iter().find(|e| same(e.name)).map(|e| e.name);
    let ours = ours.or_else(|| CAMEL_EVENTS.iter().find(|e| same(e.name)).map(|e| e.name));
    let ours = ours.or_else(|| FOREIGN.iter().find(|(theirs, _)| same(theirs)).map(|(_, ours)| *ours));
    ours.map(|event| spelled_like(event, name))
}

/// The event in camelCase if the name begins with a small letter, otherwise in PascalCase. An event that has only one of the
/// two keeps it.
pub fn spelled_like(event: &'static str, name: &str) -> &'static str {
    let other = match Spelling::of(name) {
        Spelling::Camel => Some(camel_event(event)),
        Spelling::Pascal => pascal_event(&camel_event(event)),
    };
    other.and_then(|other| by_name(&other)).map_or(event, |other| other.name)
}

#[cfg(test)]
mod tests {
    use super::super::spelling::main_spelling;
    use super::*;

    #[test]
    fn every_event_but_one_has_two_spellings() {
        for event in &EVENTS {
            let other = CAMEL_EVENTS.iter().find(|camel| camel.name == camel_event(event.name));
            assert_eq!(other.is_some(), event.name != "userPromptTransformed", "{}", event.name);
            assert_eq!(main_spelling(&camel_event(event.name)), event.name);
        }
    }

    #[test]
    fn other_names_are_understood() {
        for (name, want) in [
            ("pretooluse", Some("preToolUse")),
            ("preTooluse", Some("preToolUse")),
            ("Pretooluse", Some("PreToolUse")),
            ("pre_tool_use", Some("preToolUse")),
            ("AgentStop", Some("Stop")),
            ("stop", Some("agentStop")),
            ("UserPromptSubmitted", Some("UserPromptSubmit")),
            ("userPromptSubmit", Some("userPromptSubmitted")),
            ("beforeTool", Some("preToolUse")),
            ("UserPromptTransformed", Some("userPromptTransformed")),
            ("BeforeTool", Some("PreToolUse")),
            ("x", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
    }
}
