//! How Claude Code is made to fire an event.

use hookbench_base::dialects::verification::{EventTrigger, ReadBefore, VerificationFormat};

use EventTrigger::{PermissionPrompt, Prompt, Session, Subagent, ToolCall, TurnEnd, Unreachable};

/// `SUBAGENT` marks the conversation of the subagent.
const SUBAGENT: EventTrigger = Subagent {
    turns: r#"[{"tool":"Agent","input":{"description":"a task","prompt":"SUBAGENT: answer with one sentence.","subagent_type":"general-purpose"}}]"#,
};
const INTERACTIVE: EventTrigger = Unreachable("only a session in a terminal fires it");

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("SessionStart", Session { key: "source", value: "startup" }),
        ("Setup", Unreachable("it needs a start with --init or --maintenance, which runs no session")),
        ("InstructionsLoaded", Unreachable("the files that it names are not known before the session")),
        ("Notification", INTERACTIVE),
        ("ConfigChange", Unreachable("it needs a change of a settings file while the session runs")),
        ("CwdChanged", Unreachable("the directory that it names depends on the command, not on the payload")),
        ("DirectoryAdded", INTERACTIVE),
        ("FileChanged", Unreachable("it needs a change of a watched file while the session runs")),
        ("PreModelSwitch", INTERACTIVE),
        ("PostModelSwitch", INTERACTIVE),
        ("SessionEnd", Session { key: "reason", value: "other" }),
        ("UserPromptSubmit", Prompt),
        ("UserPromptExpansion", Unreachable("it needs the slash command that the payload names")),
        ("MessageDisplay", INTERACTIVE),
        ("Stop", TurnEnd),
        ("StopFailure", Unreachable("it needs an error of the model's service")),
        ("PreCompact", Unreachable("a compaction needs a conversation that is longer than one turn")),
        ("PostCompact", Unreachable("a compaction needs a conversation that is longer than one turn")),
        ("PreToolUse", ToolCall),
        ("PermissionRequest", PermissionPrompt),
        ("PermissionDenied", Unreachable("it needs the classifier of the model's service")),
        ("PostToolUse", ToolCall),
        ("PostToolUseFailure", ToolCall),
        ("PostToolBatch", ToolCall),
        ("SubagentStart", SUBAGENT),
        ("SubagentStop", SUBAGENT),
        ("TaskCreated", Unreachable("a session without a terminal has no task list")),
        ("TaskCompleted", Unreachable("a session without a terminal has no task list")),
        ("TeammateIdle", Unreachable("it needs a team of agents in terminals")),
        ("Elicitation", Unreachable("it needs an MCP server that asks the user")),
        ("ElicitationResult", Unreachable("it needs an MCP server that asks the user")),
        ("WorktreeCreate", Unreachable("it needs a start with --worktree")),
        ("WorktreeRemove", Unreachable("it needs a worktree that a hook has created")),
    ],
    unattended_arguments: &["--dangerously-skip-permissions"],
    permission_arguments: &[],
    permission_keys: &[],
    settings: &[],
    model_tools: &[],
    read_before: &[
        ReadBefore { tool: "Edit", read_tool: "Read", path_key: "file_path" },
        ReadBefore { tool: "Write", read_tool: "Read", path_key: "file_path" },
    ],
    harmless_tools: &["Read", "Glob", "Grep", "LS", "TodoWrite"],
    service_variables: &["ANTHROPIC_", "CLAUDE", "AWS_", "CLOUD_ML_REGION", "VERTEX_"],
    session_keys: &[
        "session_id",
        "transcript_path",
        "agent_transcript_path",
        "prompt_id",
        "permission_mode",
        "effort",
        "tool_use_id",
        "duration_ms",
        "tool_response",
        "tool_calls",
        "error",
        "is_interrupt",
        "last_assistant_message",
        "background_tasks",
        "session_crons",
        "agent_id",
        "model",
        "permission_suggestions",
        "stop_hook_active",
    ],
    observer: (".claude/settings.json", &["PostToolUse", "PostToolUseFailure"]),
    observes_failures: true,
    refusals: &["PreToolUse:", "Hook PreToolUse:", "Execution stopped by PreToolUse hook", "Permission to use "],
};
