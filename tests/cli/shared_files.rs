//! A settings file that several agents read: what `list` says of each.

use serde_json::json;

use crate::sandbox::Sandbox;

/// A project with one agent's settings, which another agent in use here reads too.
fn shared(settings: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    let trust = format!("{{\"trustedFolders\": [\"{}\"]}}", sandbox.project.display());
    std::fs::create_dir_all(sandbox.home.join(".copilot")).unwrap();
    std::fs::write(sandbox.home.join(".copilot/config.json"), trust).unwrap();
    sandbox.file(".github/copilot/settings.json", "{}").settings(settings);
    sandbox
}

#[test]
fn a_file_that_one_agent_skips_is_shown_with_the_reason() {
    let sandbox = shared(
        "{ \"hooks\": { \"PreToolUse\": [\n  { \"matcher\": \"\", \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }\n] } }",
    );
    let document = sandbox.run("list --format json").assert_status(0).json();
    let why = "Copilot CLI ignores the whole file because of `\"matcher\": \"\"` in line 2";
    let expected = json!([{
        "file": ".claude/settings.json",
        "readers": [
            { "agent": "Claude Code", "uses_it": true, "says": "1 hook, 1 active" },
            { "agent": "Copilot CLI", "uses_it": false, "says": why },
        ],
        "differences": [],
    }]);
    assert_eq!(document["shared_files"], expected);
    let page = sandbox.run("list").assert_status(0).stdout;
    let (_, section) = page.split_once(" Read by several agents").unwrap();
    for line in ["   .claude/settings.json", "     Claude Code  1 hook, 1 active", &format!("     Copilot CLI  {why}")]
    {
        assert!(section.contains(line), "{line}: {page}");
    }
    assert_eq!(page.matches("Read by several agents").count(), 1, "{page}");
}

#[test]
fn hooks_that_run_in_one_agent_only_are_named() {
    let sandbox = shared(
        "{ \"hooks\": {\n  \"PreToolUse\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"sh both.sh\" }] }],\n  \
         \"TeammateIdle\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"sh one.sh\" }] }]\n} }",
    );
    let shared = sandbox.run("list --format json").assert_status(0).json()["shared_files"][0].clone();
    assert_eq!(shared["readers"][1]["uses_it"], true, "{shared:#}");
    let [difference] = shared["differences"].as_array().unwrap().as_slice() else { panic!("{shared:#}") };
    assert_eq!((&difference["line"], &difference["name"]), (&json!(3), &json!("one.sh")), "{shared:#}");
    assert_eq!(difference["agents"]["Claude Code"], "runs it", "{shared:#}");
    let other = difference["agents"]["Copilot CLI"].as_str().unwrap();
    assert!(other.contains("TeammateIdle") || other == "does not know it", "{other}");
    let page = sandbox.run("list").assert_status(0).stdout;
    assert!(page.contains("     line 3    one.sh   TeammateIdle"), "{page}");
}

#[test]
fn a_file_of_one_agent_is_not_shared() {
    let sandbox = Sandbox::for_agent("claude");
    sandbox
        .settings("{ \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }] } }");
    let document = sandbox.run("list --format json").assert_status(0).json();
    assert!(document.get("shared_files").is_none(), "{document:#}");
}

/// An agent that is not in use here has no row, but is named if it would read a listed agent's file.
#[test]
fn an_unlisted_reader_of_a_file_is_named() {
    let settings = r#"{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] }] } }"#;
    let line = " Left out: Copilot CLI is not installed, but would read .claude/settings.json, too;";
    let plan = |sandbox: &Sandbox| sandbox.run("plan PreToolUse --tool Bash --agent all").assert_status(0).stdout;
    let sandbox = Sandbox::for_agent("claude");
    sandbox.settings(settings);
    let page = plan(&sandbox);
    assert_eq!((page.matches(line).count(), page.matches("Copilot CLI").count()), (1, 1), "{page}");
    assert!(!plan(&shared(settings)).contains("would read"));
    // The agent skips this file.
    sandbox.settings(&settings.replace("Bash", ""));
    assert!(!plan(&sandbox).contains("would read"));
}
