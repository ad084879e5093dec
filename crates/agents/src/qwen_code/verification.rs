//! How Qwen Code is made to fire an event.

use hookbench_base::dialects::verification::{EventTrigger, ReadBefore, VerificationFormat};

use EventTrigger::{Prompt, Session, Subagent, ToolCall, TurnEnd, Unreachable};

/// `SUBAGENT` marks the conversation of the subagent.
const SUBAGENT: EventTrigger = Subagent {
    turns: r#"[{"tool":"agent","input":{"description":"a task","prompt":"SUBAGENT: answer with one sentence.","subagent_type":"general-purpose"}}]"#,
};
const INTERACTIVE: EventTrigger = Unreachable("only a session in a terminal fires it");

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("PreToolUse", ToolCall),
        ("PostToolUse", ToolCall),
        ("PostToolUseFailure", ToolCall),
        ("PostToolBatch", ToolCall),
        ("Notification", Session { key: "notification_type", value: "auth_success" }),
        ("UserPromptSubmit", Prompt),
        ("UserPromptExpansion", Unreachable("it needs the slash command that the payload names")),
        ("SessionStart", Session { key: "source", value: "startup" }),
        ("Stop", TurnEnd),
        ("MessageDisplay", Unreachable("the pieces of a message depend on the time that it takes")),
        ("SubagentStart", SUBAGENT),
        ("SubagentStop", SUBAGENT),
        ("PreCompact", Unreachable("a compaction needs a conversation that is longer than one turn")),
        ("PostCompact", Unreachable("a compaction needs a conversation that is longer than one turn")),
        ("SessionEnd", INTERACTIVE),
        ("SessionDelete", INTERACTIVE),
        (
            "PermissionRequest",
            Unreachable("only a session in a terminal, or one that a program controls, asks for permission"),
        ),
        ("PermissionDenied", Unreachable("it needs the classifier of the model's service")),
        ("StopFailure", INTERACTIVE),
        ("TodoCreated", Unreachable("the to-do that it names depends on the tool call, not on the payload")),
        ("TodoCompleted", Unreachable("the to-do that it names depends on the tool call, not on the payload")),
        ("InstructionsLoaded", Unreachable("the files that it names are not known before the session")),
    ],
    unattended_arguments: &["--yolo"],
    permission_arguments: &[],
    permission_keys: &[],
    settings: &[(
        "{{home}}/.qwen/settings.json",
        r#"{"memory":{"enableManagedAutoMemory":false,"enableManagedAutoDream":false}}"#,
    )],
    partial_input: &[],
    model_tools: &[],
    read_before: &[
        ReadBefore { tool: "edit", read_tool: "read_file", path_key: "file_path" },
        ReadBefore { tool: "write_file", read_tool: "read_file", path_key: "file_path" },
    ],
    harmless_tools: &["read_file", "list_directory", "glob", "grep_search", "todo_write"],
    service_variables: &["OPENAI_", "QWEN_", "DASHSCOPE_", "GEMINI_", "GOOGLE_", "SANDBOX"],
    session_keys: &[
        "session_id",
        "transcript_path",
        "agent_transcript_path",
        "timestamp",
        "prompt_id",
        "permission_mode",
        "tool_use_id",
        "tool_call_id",
        "tool_response",
        "tool_calls",
        "error",
        "is_interrupt",
        "duration_ms",
        "context_usage",
        "input_tokens",
        "submitted_prompt",
        "last_assistant_message",
        "stop_hook_active",
        "background_tasks",
        "session_crons",
        "usage",
        "agent_id",
        "model",
        "message",
        "title",
    ],
    observer: (".qwen/settings.json", &["PostToolUse", "PostToolUseFailure"]),
    observes_failures: true,
    refusals: &["Tool execution blocked", "PreToolUse hook", "blocked by hook"],
};
