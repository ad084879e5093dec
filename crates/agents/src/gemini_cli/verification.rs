//! How Gemini CLI is made to fire an event.

use hookbench_base::dialects::verification::{EventTrigger, VerificationFormat};

use EventTrigger::{Prompt, Session, ToolCall, TurnEnd, Unreachable};

pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[
        ("SessionStart", Session { key: "source", value: "startup" }),
        ("BeforeAgent", Prompt),
        ("BeforeModel", Prompt),
        ("BeforeToolSelection", Prompt),
        ("AfterModel", TurnEnd),
        ("BeforeTool", ToolCall),
        ("AfterTool", ToolCall),
        ("AfterAgent", TurnEnd),
        ("Notification", Unreachable("without a terminal the agent cannot ask whether a tool may run")),
        ("PreCompress", TurnEnd),
        ("SessionEnd", Session { key: "reason", value: "exit" }),
    ],
    unattended_arguments: &["--yolo"],
    permission_arguments: &[],
    permission_keys: &[],
    settings: &[],
    partial_input: &[],
    model_tools: &[],
    read_before: &[],
    harmless_tools: &["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"],
    service_variables: &["GEMINI_", "GOOGLE_", "CODE_ASSIST_", "SANDBOX"],
    session_keys: &[
        "session_id",
        "transcript_path",
        "timestamp",
        "tool_response",
        "prompt_response",
        "llm_request",
        "llm_response",
        "stop_hook_active",
    ],
    observer: (".gemini/settings.json", &["AfterTool"]),
    observes_failures: true,
    refusals: &["Tool execution blocked:", "Agent execution stopped by hook:"],
};
