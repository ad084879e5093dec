//! How Claude Code runs without a terminal.

use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface, ObservableAction};

pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::Messages,
    arguments: &["-p", "{prompt}", "--dangerously-skip-permissions", "{resume}"],
    resume: &["--continue"],
    environment: &[
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("ANTHROPIC_API_KEY", "none"),
        ("IS_SANDBOX", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ],
    files: &[],
    settings: "{{project}}/.claude/settings.json",
    shell_call: r#"{"tool":"Bash","input":{"command":"echo real > out.txt","description":"d"}}"#,
    main_tools: &["Bash"],
    probes: include_str!("../../../../assets/data/probes/claude.json"),
    tables: include_str!("../../../../assets/data/program-tables/claude.json"),
    cache_variable: None,
    observable: &[
        ("PreToolUse", ObservableAction::ToolRuns),
        ("PermissionRequest", ObservableAction::ToolRunsIfAllowed),
        ("UserPromptSubmit", ObservableAction::PromptIsSent),
        ("Stop", ObservableAction::TurnEnds),
    ],
};
