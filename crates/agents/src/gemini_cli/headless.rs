//! How Gemini CLI runs without a terminal.

use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface, ObservableAction};

pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::GenerateContent,
    arguments: &["-m", "gemini-2.5-flash", "-p", "{prompt}", "--yolo", "--skip-trust", "{resume}"],
    resume: &["--resume", "latest"],
    environment: &[("GOOGLE_GEMINI_BASE_URL", "{url}"), ("GEMINI_API_KEY", "none")],
    files: &[("{{home}}/.gemini/settings.json", r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#)],
    settings: "{{project}}/.gemini/settings.json",
    shell_call: r#"{"tool":"run_shell_command","input":{"command":"echo real > out.txt","description":"d"}}"#,
    main_tools: &["run_shell_command"],
    probes: include_str!("../../../../assets/data/probes/gemini.json"),
    tables: include_str!("../../../../assets/data/program-tables/gemini.json"),
    cache_variable: None,
    observable: &[
        ("BeforeTool", ObservableAction::ToolRuns),
        ("BeforeAgent", ObservableAction::PromptIsSent),
        ("AfterAgent", ObservableAction::TurnEnds),
    ],
};
