//! How Copilot CLI is made to fire an event. Both spellings of an event are one moment.

use hookbench_base::dialects::verification::{EventTrigger, ModelTool, VerificationFormat};

use EventTrigger::{PermissionPrompt, Prompt, Session, Subagent, ToolCall, TurnEnd, Unreachable};

/// `SUBAGENT` marks the conversation of the subagent.
const SUBAGENT: EventTrigger = Subagent {
    turns: r#"[{"tool":"task","input":{"agent_type":"general-purpose","name":"a-task","description":"a task","prompt":"SUBAGENT: answer with one sentence."}}]"#,
};
const START: EventTrigger = Session { key: "source", value: "new" };
const END: EventTrigger = Session { key: "reason", value: "complete" };
const COMPACTION: EventTrigger = Unreachable("a compaction needs a conversation that is longer than one turn");
const ERROR: EventTrigger = Unreachable("it needs an error of the model's service");
const NOTICE: EventTrigger = Unreachable("it needs a session in a terminal, or a command that runs in the background");

/// A tool with another name and the same input.
const fn renamed(tool: &'static str, model_name: &'static str) -> ModelTool {
    ModelTool { tool, model_name, key: "", model_key: None }
}

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("SessionStart", START),
        ("UserPromptSubmit", Prompt),
        ("userPromptTransformed", Prompt),
        ("PreToolUse", ToolCall),
        ("PermissionRequest", PermissionPrompt),
        ("PostToolUse", ToolCall),
        ("PostToolUseFailure", ToolCall),
        ("SubagentStart", SUBAGENT),
        ("SubagentStop", SUBAGENT),
        ("Stop", TurnEnd),
        ("PreCompact", COMPACTION),
        ("ErrorOccurred", ERROR),
        ("Notification", NOTICE),
        ("SessionEnd", END),
    ],
    unattended_arguments: &["--allow-all-tools"],
    permission_arguments: &[],
    permission_keys: &[],
    settings: &[],
    partial_input: &[("PermissionRequest", &["command", "file_path", "diff"])],
    model_tools: &[
        renamed("Bash", "bash"),
        renamed("Read", "view"),
        renamed("Write", "create"),
        renamed("Edit", "edit"),
        renamed("Grep", "grep"),
        renamed("Glob", "glob"),
        renamed("Agent", "task"),
    ],
    read_before: &[],
    harmless_tools: &["Read", "Glob", "Grep"],
    service_variables: &["COPILOT_", "GITHUB_", "GH_"],
    session_keys: &[
        "session_id",
        "timestamp",
        "transcript_path",
        "initial_prompt",
        "tool_result",
        "error",
        "transformed_prompt",
        "permission_suggestions",
        "agent_id",
        "parent_agent_id",
        "last_assistant_message",
        "stop_hook_active",
    ],
    observer: (".copilot/settings.json", &["PostToolUse", "PostToolUseFailure"]),
    observes_failures: true,
    refusals: &["Denied by preToolUse hook", "Permission denied by a PermissionRequest hook", "Tool result blocked:"],
};
