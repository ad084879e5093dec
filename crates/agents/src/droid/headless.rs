//! How Droid runs without a terminal: its settings name the stand-in as a model of the user.

use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface, ObservableAction};

pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::ChatCompletions,
    arguments: &["exec", "-m", "custom:Standin-0", "--skip-permissions-unsafe", "{prompt}"],
    // `droid exec` continues a session only by its id.
    resume: &[],
    environment: &[],
    files: &[(
        "{{home}}/.factory/settings.json",
        r#"{"customModels":[{"model":"standin","displayName":"Standin","baseUrl":"{url}/v1","apiKey":"none","provider":"generic-chat-completion-api","maxOutputTokens":4096}]}"#,
    )],
    settings: "{{project}}/.factory/settings.json",
    shell_call: r#"{"tool":"Execute","input":{"command":"echo real > out.txt","riskLevelReason":"d","riskLevel":"low"}}"#,
    main_tools: &["Execute"],
    probes: include_str!("../../../../assets/data/probes/droid.json"),
    tables: include_str!("../../../../assets/data/program-tables/droid.json"),
    cache_variable: None,
    observable: &[("PreToolUse", ObservableAction::ToolRuns), ("Stop", ObservableAction::TurnEnds)],
};
