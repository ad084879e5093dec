//! `hookbench match`: one matcher in every agent, as text and JSON; a hook's own matcher; writing a matcher.

use serde_json::{Value, json};

use crate::outputs;
use crate::sandbox::Sandbox;

const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Edit.*|bash", "hooks": [{ "type": "command", "command": "sh audit.sh" }] }
    ]
  }
}
"#;

fn read(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.project.join(".claude/settings.json")).unwrap()
}

#[test]
fn one_matcher_for_people() {
    let sandbox = Sandbox::new();
    let run = |line: &str| sandbox.run(line).assert_status(0);
    let pages = [
        run("match 'Edit.*|bash'"),
        run("match 'startup|resume' --event SessionStart"),
        run("match Bash --agent qwen --value mcp__jira__open"),
        run("match '(?!Bash).*' --agent codex"),
        run("match x --event Stop --agent claude"),
    ];
    insta::assert_snapshot!("match", outputs(&pages));
}

#[test]
fn one_matcher_for_scripts() {
    let sandbox = Sandbox::new();
    let doc = sandbox.run("match 'Edit.*|bash' --value Edit2 --format json").assert_status(0).json();
    assert_eq!((&doc["schema"], &doc["event"]), (&json!("match/1"), &json!("PreToolUse")));
    let own = &doc["agents"][0];
    assert_eq!(own["matches"], json!(["Edit", "NotebookEdit"]));
    assert_eq!(own["also"], json!(["NotebookEdit"]));
    assert_eq!((&own["read"]["as"], &own["read"]["anchored"]), (&json!("pattern"), &json!(false)));
    assert_eq!(own["nearest"][0]["meant"], "Bash");
    assert_eq!(doc["suggestions"][0]["matcher"], "Edit|Bash");
    let typed = doc["values"].as_array().unwrap().iter().find(|value| value["value"] == "Edit2").unwrap();
    assert_eq!((&typed["from"], &typed["agents"]["claude"]), (&json!("typed"), &json!("yes")));
    assert_eq!((&doc["change"], &doc["hook"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_hooks_matcher_is_shown_written_and_taken_back() {
    let sandbox = Sandbox::new();
    sandbox.file(".claude/settings.json", SETTINGS);
    let own = sandbox.run("match --hook audit.sh --format json").assert_status(0).json();
    assert_eq!((&own["matcher"], &own["change"]), (&json!("Edit.*|bash"), &Value::Null));
    let line = "match 'Edit|Bash' --hook .claude/settings.json:4";
    insta::assert_snapshot!("match_change", outputs(&[sandbox.run(line).assert_status(0)]));
    assert_eq!(read(&sandbox), SETTINGS);
    let line = "match 'Edit|Bash' --hook h1 --yes --format json";
    let doc = sandbox.run(line).assert_status(0).json();
    assert_eq!((&doc["change"]["written"], &doc["change"]["was"]), (&json!(true), &json!("Edit.*|bash")));
    assert_eq!(read(&sandbox), SETTINGS.replace("Edit.*|bash", "Edit|Bash"));
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(read(&sandbox), SETTINGS);
}

#[test]
fn what_cannot_be_asked() {
    let sandbox = Sandbox::new();
    for (line, status, says) in [
        ("match", 2, "required"),
        ("match x --event Nothing", 2, "no agent has an event Nothing; `hookbench events` lists all events"),
        ("match x --hook h7", 2, "no hook has the id, name or place \"h7\""),
        ("match x --yes", 2, "--hook"),
        ("match --hook h1 --yes", 2, "MATCHER"),
    ] {
        let run = sandbox.run(line).assert_status(status);
        assert!(run.stderr.contains(says), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_matcher_for_the_tools_of_servers_matches_something() {
    let sandbox = Sandbox::for_agent("claude");
    let matched = sandbox.run("match mcp__.* --agent claude").assert_status(0).stdout;
    assert!(matched.contains("none of 22 known names; MCP tools such as mcp__"), "{matched}");
    let nothing = sandbox.run("match Nothing --agent claude --format json").assert_status(0).json();
    assert_eq!(nothing["agents"][0]["mcp"], Value::Null);
}
