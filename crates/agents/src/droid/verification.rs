//! How Droid is made to fire an event.

use hookbench_base::dialects::verification::{EventTrigger, VerificationFormat};

use EventTrigger::{Session, ToolCall, TurnEnd, Unreachable};

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("SessionStart", Session { key: "source", value: "startup" }),
        ("UserPromptSubmit", Unreachable("`droid exec` does not fire it for its prompt")),
        ("PreToolUse", ToolCall),
        ("PostToolUse", ToolCall),
        ("Notification", Unreachable("only a session in a terminal waits for the user")),
        ("PreCompact", Unreachable("a compaction needs a conversation that is longer than one turn")),
        ("Stop", TurnEnd),
        ("SubagentStop", Unreachable("subagents need Droid's daemon, which does not start without a network")),
        ("SessionEnd", Session { key: "reason", value: "other" }),
    ],
    unattended_arguments: &["--skip-permissions-unsafe"],
    permission_arguments: &[],
    permission_keys: &[],
    settings: &[],
    partial_input: &[],
    model_tools: &[],
    read_before: &[],
    harmless_tools: &["Read", "Grep", "Glob", "LS"],
    service_variables: &["FACTORY_", "DROID_"],
    session_keys: &[
        "session_id",
        "transcript_path",
        "permission_mode",
        "CLAUDE_ENV_FILE",
        "message_id",
        "tool_response",
        "stop_hook_active",
        "tool_execution_count",
        "elapsed_time",
        "session_duration_ms",
        "message_count",
        "previous_session_id",
    ],
    observer: (".factory/settings.json", &["PostToolUse"]),
    observes_failures: false,
    refusals: &["Tool execution blocked by hook", "Tool execution denied by hook", "Error: {reason}"],
};
