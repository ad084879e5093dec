//! How Copilot CLI runs without a terminal: in its offline mode, with a provider of the user's own.

use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface, ObservableAction};

pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::ChatCompletions,
    arguments: &["-p", "{prompt}", "--no-color", "--allow-all-tools", "{resume}"],
    resume: &["--continue"],
    environment: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
        ("COPILOT_PROVIDER_API_KEY", "none"),
        ("COPILOT_MODEL", "standin"),
        ("COPILOT_AUTO_UPDATE", "false"),
    ],
    files: &[],
    settings: "{{project}}/.github/copilot/settings.json",
    shell_call: r#"{"tool":"bash","input":{"command":"echo real > out.txt","description":"d"}}"#,
    main_tools: &["bash"],
    probes: include_str!("../../../../assets/data/probes/copilot.json"),
    tables: include_str!("../../../../assets/data/program-tables/copilot.json"),
    cache_variable: Some("XDG_CACHE_HOME"),
    observable: &[
        ("preToolUse", ObservableAction::ToolRuns),
        ("PreToolUse", ObservableAction::ToolRuns),
        ("permissionRequest", ObservableAction::ToolRuns),
        ("userPromptSubmitted", ObservableAction::PromptIsSent),
        ("UserPromptSubmit", ObservableAction::PromptIsSent),
        ("agentStop", ObservableAction::TurnEnds),
        ("Stop", ObservableAction::TurnEnds),
    ],
};
