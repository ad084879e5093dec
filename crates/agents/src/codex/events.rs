//! The 14 events (spec §3, §5.6): one entry each, in the order in which Codex reads the events of a file.

use crate::shared::event_fields::{always, one_of, optional};
use hookbench_base::hook::{EventSpec, PayloadField};

/// The keys of requests to the model since 0.171.0.
const KIND: PayloadField = optional("kind", "string");
const REQUEST: PayloadField = optional("request_id", "string");
const ATTEMPT: PayloadField = optional("attempt_number", "number");
const THREAD: PayloadField = optional("thread_id", "string");
const TURN: PayloadField = always("turn_id", "string");
const MODEL: PayloadField = always("model", "string");
const MODE: PayloadField =
    one_of("permission_mode", &["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]);
/// Present only inside a sub-agent.
const AGENT_ID: PayloadField = optional("agent_id", "string");
const AGENT_TYPE: PayloadField = optional("agent_type", "string");
const TRIGGERS: &[&str] = &["manual", "auto"];
const SOURCES: &[&str] = &["startup", "resume", "clear", "compact", "fork"];
const TOOLS: &[&str] = &["Bash", "apply_patch", "spawn_agent", "view_image"];

const MESSAGE: &str = "/systemMessage";
/// The key of an answer that adds context for the model, on the events that support it.
pub const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
/// Answers without this key are invalid, but it may name another event.
const NAME: &str = "/hookSpecificOutput/hookEventName";
const FAILS: &str = "The run counts as failed, and nothing is blocked.";

const fn event(name: &'static str, about: &'static str) -> EventSpec {
    EventSpec {
        name,
        about,
        subject: None,
        subjects: &[],
        fields: &[],
        honoured_output: &[],
        blockable_action: None,
        exit_2: FAILS,
        exit_2_delivers: false,
    }
}

/// All events.
pub static EVENTS: [EventSpec; 14] = [
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            TURN,
            AGENT_ID,
            AGENT_TYPE,
            MODEL,
            MODE,
            always("tool_name", "string"),
            always("tool_input", "object"),
            always("tool_use_id", "string"),
        ],
        honoured_output: &[
            NAME,
            "/hookSpecificOutput/permissionDecision",
            "/hookSpecificOutput/permissionDecisionReason",
            "/hookSpecificOutput/updatedInput",
            CONTEXT,
            "/decision",
            "/reason",
            MESSAGE,
        ],
        blockable_action: Some("the tool does not run"),
        exit_2: "Text on stderr blocks the tool, and the model receives it; without text the run fails and the tool runs.",
        exit_2_delivers: true,
        ..event("PreToolUse", "Before a tool runs.")
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            TURN,
            AGENT_ID,
            AGENT_TYPE,
            MODEL,
            MODE,
            always("tool_name", "string"),
            always("tool_input", "object"),
        ],
        honoured_output: &[
            NAME,
            "/hookSpecificOutput/decision/behavior",
            "/hookSpecificOutput/decision/message",
            MESSAGE,
        ],
        blockable_action: Some("the tool call is rejected"),
        exit_2: "Text on stderr rejects the call; without text the run fails and the user is asked.",
        ..event(
            "PermissionRequest",
            "Before the user would be asked to approve a call; never under the policy `never`.",
        )
    },
    EventSpec {
        subject: Some("tool_name"),
        subjects: TOOLS,
        fields: &[
            TURN,
            AGENT_ID,
            AGENT_TYPE,
            MODEL,
            MODE,
            always("tool_name", "string"),
            always("tool_input", "object"),
            always("tool_response", "any"),
            always("tool_use_id", "string"),
        ],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", NAME, CONTEXT, MESSAGE],
        exit_2: "Text on stderr replaces the tool's result; without text the run fails.",
        exit_2_delivers: true,
        ..event("PostToolUse", "After a tool has run; not if it was blocked or denied, or failed by itself.")
    },
    EventSpec {
        fields: &[KIND, REQUEST, ATTEMPT, THREAD, TURN, MODEL, AGENT_ID, AGENT_TYPE],
        ..event("PreModelRequest", "Before a request to the model. Undocumented.")
    },
    EventSpec {
        fields: &[
            KIND,
            REQUEST,
            ATTEMPT,
            THREAD,
            TURN,
            MODEL,
            AGENT_ID,
            AGENT_TYPE,
            always("status", "string"),
            optional("error", "string"),
            optional("token_usage", "object"),
            optional("response_id", "string"),
        ],
        ..event("PostModelRequest", "After the model has answered. Undocumented.")
    },
    EventSpec {
        subject: Some("trigger"),
        subjects: TRIGGERS,
        fields: &[TURN, AGENT_ID, AGENT_TYPE, MODEL, one_of("trigger", TRIGGERS)],
        honoured_output: &["/continue", "/stopReason", MESSAGE],
        blockable_action: Some("the conversation is not compacted"),
        ..event("PreCompact", "Before the conversation is compacted.")
    },
    EventSpec {
        subject: Some("trigger"),
        subjects: TRIGGERS,
        fields: &[TURN, AGENT_ID, AGENT_TYPE, MODEL, one_of("trigger", TRIGGERS)],
        honoured_output: &["/continue", "/stopReason", MESSAGE],
        ..event("PostCompact", "After the conversation was compacted.")
    },
    EventSpec {
        subject: Some("source"),
        subjects: SOURCES,
        fields: &[MODEL, MODE, one_of("source", SOURCES)],
        honoured_output: &["/continue", "/stopReason", NAME, CONTEXT, MESSAGE],
        blockable_action: Some("the first turn does not take place"),
        ..event("SessionStart", "With the first turn of a session, and with the turn after a compaction.")
    },
    EventSpec {
        subject: Some("reason"),
        subjects: &["other"],
        fields: &[one_of("reason", &["other"])],
        exit_2: "It is ignored.",
        ..event("SessionEnd", "When a session ends. Its hooks have one second, three at most.")
    },
    EventSpec {
        fields: &[TURN, AGENT_ID, AGENT_TYPE, MODEL, MODE, always("prompt", "string")],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", NAME, CONTEXT, MESSAGE],
        blockable_action: Some("the prompt is dropped"),
        exit_2: "Text on stderr drops the prompt; without text the run fails and the prompt is sent.",
        ..event("UserPromptSubmit", "Before a prompt is sent to the model.")
    },
    EventSpec {
        subject: Some("agent_type"),
        subjects: &["worker"],
        fields: &[TURN, MODEL, MODE, always("agent_id", "string"), always("agent_type", "string")],
        honoured_output: &[NAME, CONTEXT, MESSAGE],
        ..event("SubagentStart", "When a sub-agent starts.")
    },
    EventSpec {
        subject: Some("agent_type"),
        subjects: &["worker"],
        fields: &[
            TURN,
            optional("agent_transcript_path", "string"),
            MODEL,
            MODE,
            always("stop_hook_active", "boolean"),
            always("agent_id", "string"),
            always("agent_type", "string"),
            optional("last_assistant_message", "string"),
        ],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", MESSAGE],
        blockable_action: Some("the sub-agent does not stop"),
        exit_2: "Text on stderr keeps the sub-agent running and is its next prompt; without text the run fails.",
        ..event("SubagentStop", "When a sub-agent has finished.")
    },
    EventSpec {
        fields: &[
            TURN,
            MODEL,
            MODE,
            always("stop_hook_active", "boolean"),
            optional("last_assistant_message", "string"),
        ],
        honoured_output: &["/decision", "/reason", "/continue", "/stopReason", MESSAGE],
        blockable_action: Some("the agent does not stop"),
        exit_2: "Text on stderr keeps the agent running and is its next prompt; without text the run fails.",
        ..event("Stop", "When the model has answered without calling a tool.")
    },
    EventSpec {
        fields: &[TURN, MODEL, MODE],
        honoured_output: &[MESSAGE],
        ..event("Interrupt", "When the user interrupts a turn. Its hooks have one second, three at most.")
    },
];

/// Returns the event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|e| e.name == name)
}

/// Returns the event that a user probably meant: the name in another case, or the name that another agent uses.
pub fn suggest(name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = plain(name);
    if let Some(event) = EVENTS.iter().find(|e| plain(e.name) == wanted) {
        return Some(event.name);
    }
    match wanted.as_str() {
        "beforetool" => Some("PreToolUse"),
        "aftertool" => Some("PostToolUse"),
        "beforeagent" => Some("UserPromptSubmit"),
        "afteragent" => Some("Stop"),
        "beforemodel" => Some("PreModelRequest"),
        "aftermodel" => Some("PostModelRequest"),
        "precompress" => Some("PreCompact"),
        _ => None,
    }
}

/// Returns the event name as trust keys and hashes spell it: `pre_tool_use`.
pub fn label(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Returns whether the event's hooks have one second by default and three at most.
pub fn is_short(name: &str) -> bool {
    matches!(name, "SessionEnd" | "Interrupt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels() {
        for (name, want) in [
            ("pre_tool_use", Some("PreToolUse")),
            ("preToolUse", Some("PreToolUse")),
            ("BeforeTool", Some("PreToolUse")),
            ("Notification", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
        assert_eq!(label("PreToolUse"), "pre_tool_use");
        assert_eq!(label("Stop"), "stop");
        assert!(EVENTS.iter().all(|e| by_name(e.name).is_some() && !e.about.is_empty()));
    }
}
