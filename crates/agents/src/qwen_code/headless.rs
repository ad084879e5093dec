//! How Qwen Code runs without a terminal.

use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface, ObservableAction};

pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::ChatCompletions,
    arguments: &["-p", "{prompt}", "--yolo", "--auth-type", "openai", "{resume}"],
    resume: &["--continue"],
    environment: &[("OPENAI_BASE_URL", "{url}/v1"), ("OPENAI_API_KEY", "none"), ("OPENAI_MODEL", "stand-in")],
    files: &[],
    settings: "{{project}}/.qwen/settings.json",
    shell_call: r#"{"tool":"run_shell_command","input":{"command":"echo real > out.txt","description":"d","is_background":false}}"#,
    main_tools: &["run_shell_command"],
    probes: include_str!("../../../../assets/data/probes/qwen.json"),
    tables: include_str!("../../../../assets/data/program-tables/qwen.json"),
    cache_variable: None,
    observable: &[
        ("PreToolUse", ObservableAction::ToolRuns),
        ("PermissionRequest", ObservableAction::ToolRunsIfAllowed),
        ("UserPromptSubmit", ObservableAction::PromptIsSent),
        ("Stop", ObservableAction::TurnEnds),
    ],
};
