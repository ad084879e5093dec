//! Missing trust: every command says the same about it, and it hides no other cause.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Settings of a project that is not trusted, with a switch that turns hooks off.
struct UntrustedProject {
    agent: &'static str,
    /// The settings file with a hook and the switch, and its text.
    settings: (&'static str, &'static str),
    /// A file of the user's that turns trust on or gives the agent settings, and its text.
    user: (&'static str, &'static str),
    /// Whether the agent asks for trust without any settings of the user's.
    asks_by_default: bool,
    /// The text that names the switch.
    switch: &'static str,
}

const PROJECTS: &[UntrustedProject] = &[
    UntrustedProject {
        agent: "qwen",
        settings: (
            ".qwen/settings.json",
            r#"{"disableAllHooks": true, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
        ),
        user: (".qwen/settings.json", r#"{"security": {"folderTrust": {"enabled": true}}}"#),
        asks_by_default: false,
        switch: "disableAllHooks is set in .qwen/settings.json",
    },
    UntrustedProject {
        agent: "gemini",
        settings: (
            ".gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
        ),
        user: (".gemini/settings.json", "{}"),
        asks_by_default: true,
        switch: "hooksConfig.enabled is false in .gemini/settings.json",
    },
    UntrustedProject {
        agent: "codex",
        settings: (
            ".codex/config.toml",
            "[features]\nhooks = false\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"true\"\n",
        ),
        user: (".codex/config.toml", "model = \"m\"\n"),
        asks_by_default: true,
        switch: ".codex/config.toml switches every hook off",
    },
    UntrustedProject {
        agent: "copilot",
        settings: (
            ".github/hooks/a.json",
            r#"{"version": 1, "disableAllHooks": true, "hooks": {"PreToolUse": [{"type": "command", "command": "true"}]}}"#,
        ),
        user: (".copilot/settings.json", "{}"),
        asks_by_default: true,
        switch: "disableAllHooks is true in .github/hooks/a.json",
    },
];

fn rung<'a>(why: &'a Value, name: &str) -> (&'a str, &'a str) {
    let rung = why["rungs"].as_array().unwrap().iter().find(|rung| rung["rung"] == name).unwrap();
    (rung["state"].as_str().unwrap(), rung["says"].as_str().unwrap())
}

/// The severities of the findings about trust.
fn severities(findings: &Value) -> Vec<&str> {
    let all = findings.as_array().unwrap().iter();
    all.filter(|one| one["code"] == "HW703").map(|one| one["severity"].as_str().unwrap()).collect()
}

#[test]
fn every_command_says_the_same_about_missing_trust() {
    for project in PROJECTS {
        let agent = project.agent;
        for with_user in [false, true] {
            if !with_user && !project.asks_by_default {
                continue;
            }
            let sandbox = Sandbox::new();
            sandbox.file(project.settings.0, project.settings.1);
            if with_user {
                let path = sandbox.home.join(project.user.0);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, project.user.1).unwrap();
            }
            let why = sandbox.run(&format!("why true --agent {agent} --format json")).assert_status(0).json();
            let answer = why["answer"].as_str().unwrap();
            let (state, trust) = rung(&why, "trusted");
            assert_eq!(state, "no", "{agent}: {why:#}");
            assert!(answer.contains(trust) && answer.contains(project.switch), "{agent}: {answer}");
            let (state, layer) = rung(&why, "layer_active");
            assert_eq!(state, "skipped", "{agent}: {why:#}");
            assert!(layer.starts_with("once trusted: ") && layer.contains(project.switch), "{agent}: {layer}");

            let expected = if with_user { "error" } else { "info" };
            let lint = sandbox.run(&format!("lint --agent {agent} --format json")).assert_status(1).json();
            assert_eq!(severities(&lint["diagnostics"]), [expected], "{agent}: {lint:#}");
            let list = sandbox.run(&format!("list --agent {agent} --format json")).assert_status(0).json();
            assert_eq!(severities(&list["agents"][0]["diagnostics"]), [expected], "{agent}: {list:#}");

            // With trust, the switch is the first cause.
            let why = sandbox.run(&format!("why true --agent {agent} --as-trusted --format json")).json();
            assert_eq!(rung(&why, "layer_active").0, "no", "{agent}: {why:#}");
        }
    }
}

#[test]
fn causes_in_the_hook_itself_are_named_as_well() {
    let sandbox = Sandbox::new();
    let hook = r#"{"hooks": {"BeforeTool": [{"matcher": "Run_shell_command", "hooks": [{"type": "command", "command": "./absent.sh"}]}]}}"#;
    sandbox.file(".gemini/settings.json", hook);
    let why = sandbox.run("why absent.sh --agent gemini --format json").assert_status(0).json();
    let answer = why["answer"].as_str().unwrap();
    assert!(answer.contains("not trusted"), "{answer}");
    for (name, cause) in [("matcher", "Run_shell_command"), ("command", "absent.sh")] {
        let (state, says) = rung(&why, name);
        assert!(state == "skipped" && says.starts_with("once trusted: ") && says.contains(cause), "{why:#}");
        assert!(answer.contains(says.trim_start_matches("once trusted: ")), "{answer}");
    }
    // A hook without another mistake has no other cause.
    let fine = hook.replace("Run_shell_command", "run_shell_command").replace("./absent.sh", "true");
    sandbox.file(".gemini/settings.json", fine);
    let why = sandbox.run("why true --agent gemini --format json").assert_status(0).json();
    assert!(!why["answer"].as_str().unwrap().contains("Once it is trusted"), "{why:#}");
}
