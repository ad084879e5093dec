//! How Codex runs without a terminal.

use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface, ObservableAction};

pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::Responses,
    arguments: &[
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "-c",
        "model_provider=standin",
        "-c",
        "model_providers.standin={name=\"standin\",base_url=\"{url}/v1\",wire_api=\"responses\",env_key=\"STANDIN_KEY\"}",
        "-c",
        "model=gpt-5.5",
        "{resume}",
        "{prompt}",
    ],
    resume: &["resume", "--last"],
    environment: &[("STANDIN_KEY", "none")],
    files: &[],
    settings: "{{home}}/.codex/hooks.json",
    shell_call: r#"{"tool":"exec_command","input":{"cmd":"echo real > out.txt"}}"#,
    main_tools: &["exec_command", "shell", "local_shell"],
    probes: include_str!("../../../../assets/data/probes/codex.json"),
    tables: include_str!("../../../../assets/data/program-tables/codex.json"),
    cache_variable: None,
    observable: &[
        ("PreToolUse", ObservableAction::ToolRuns),
        ("PermissionRequest", ObservableAction::ToolRunsIfAllowed),
        ("UserPromptSubmit", ObservableAction::PromptIsSent),
        ("Stop", ObservableAction::TurnEnds),
    ],
};
