//! How Codex is made to fire an event.

use hookbench_base::dialects::verification::{EventTrigger, ModelTool, VerificationFormat};

use EventTrigger::{PermissionPrompt, Prompt, Session, Subagent, ToolCall, TurnEnd, Unreachable};

/// A session ends before its subagents, unless the model waits for them. `SUBAGENT` marks their conversation.
const SUBAGENT: EventTrigger = Subagent {
    turns: r#"[
        {"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": "SUBAGENT: answer with one sentence.", "agent_type": "worker"}},
        {"tool": "wait_agent", "namespace": "multi_agent_v1", "input": {"targets": ["{{agent_id}}"], "timeout_ms": 30000}}
    ]"#,
};

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("PreToolUse", ToolCall),
        ("PermissionRequest", PermissionPrompt),
        ("PostToolUse", ToolCall),
        ("PreModelRequest", TurnEnd),
        ("PostModelRequest", TurnEnd),
        ("PreCompact", Unreachable("codex exec does not compact on request")),
        ("PostCompact", Unreachable("codex exec does not compact on request")),
        ("SessionStart", Session { key: "source", value: "startup" }),
        ("SessionEnd", Session { key: "reason", value: "other" }),
        ("UserPromptSubmit", Prompt),
        ("SubagentStart", SUBAGENT),
        ("SubagentStop", SUBAGENT),
        ("Stop", TurnEnd),
        ("Interrupt", Unreachable("only a user in a terminal interrupts a turn")),
    ],
    unattended_arguments: &["--dangerously-bypass-approvals-and-sandbox"],
    permission_arguments: &["--approve-for-me"],
    permission_keys: &[("sandbox_permissions", "require_escalated"), ("justification", "{description}")],
    settings: &[],
    partial_input: &[],
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
        "Rejected(",
    ],
};
