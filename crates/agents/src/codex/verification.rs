//! How Codex is made to fire an event.

use hookbench_base::dialects::verification::{EventTrigger, ModelTool, VerificationFormat};

use EventTrigger::{Prompt, Session, ToolCall, TurnEnd, Unreachable};

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("PreToolUse", ToolCall),
        ("PermissionRequest", Unreachable("codex exec never asks for approval")),
        ("PostToolUse", ToolCall),
        ("PreModelRequest", TurnEnd),
        ("PostModelRequest", TurnEnd),
        ("PreCompact", Unreachable("codex exec does not compact on request")),
        ("PostCompact", Unreachable("codex exec does not compact on request")),
        ("SessionStart", Session { key: "source", value: "startup" }),
        ("SessionEnd", Session { key: "reason", value: "other" }),
        ("UserPromptSubmit", Prompt),
        (
            "SubagentStart",
            Unreachable("subagents of codex exec run longer than the turn, so the session ends before them"),
        ),
        (
            "SubagentStop",
            Unreachable("subagents of codex exec run longer than the turn, so the session ends before them"),
        ),
        ("Stop", TurnEnd),
        ("Interrupt", Unreachable("only a user in a terminal interrupts a turn")),
    ],
    unattended_arguments: &[],
    settings: &[],
    model_tools: &[
        ModelTool { tool: "Bash", model_name: "exec_command", key: "command", model_key: Some("cmd") },
        ModelTool { tool: "apply_patch", model_name: "apply_patch", key: "command", model_key: None },
    ],
    read_before: &[],
    harmless_tools: &["update_plan", "view_image"],
    service_variables: &["OPENAI_", "CODEX_", "AZURE_"],
    session_keys: &[
        "session_id",
        "turn_id",
        "transcript_path",
        "agent_transcript_path",
        "model",
        "permission_mode",
        "tool_use_id",
        "tool_response",
        "last_assistant_message",
        "stop_hook_active",
        "agent_id",
        "status",
        "error",
        "token_usage",
    ],
    observer: (".codex/hooks.json", &["PostToolUse"]),
    observes_failures: false,
    refusals: &[
        "Command blocked by PreToolUse hook",
        "Tool call blocked by PreToolUse hook",
        "blocked by PreToolUse hook",
    ],
};
