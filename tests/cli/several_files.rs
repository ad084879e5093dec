//! Hooks for an agent that reads each event from one of several files: every command writes to the file that is read.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::sandbox::Sandbox;

const HOOKS: &str = "{\n  \"PreToolUse\": [\n    { \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] } // mine\n  ],\n  \"Stop\": []\n}\n";
const SETTINGS: &str = "{ \"model\": \"x\" }\n";

/// A project whose `hooks.json` has two events.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::for_agent("droid");
    symlink(env!("CARGO_BIN_EXE_hookbench"), sandbox.project.parent().unwrap().join("bin/hookbench")).unwrap();
    sandbox.file(".factory/hooks.json", HOOKS);
    sandbox.file(".factory/settings.json", SETTINGS);
    sandbox
}

fn read(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.project.join(".factory").join(name)).unwrap()
}

/// The events with a command that contains `part`, in a file. `hooks.json` has its events at top level.
fn events_with(sandbox: &Sandbox, name: &str, part: &str) -> Vec<String> {
    let text = read(sandbox, name).replace(" // mine", "");
    let root: Value = serde_json::from_str(&text).unwrap();
    let events = if name == "hooks.json" { &root } else { &root["hooks"] };
    let has = |groups: &Value| groups.to_string().contains(part);
    events.as_object().into_iter().flatten().filter(|(_, groups)| has(groups)).map(|(event, _)| event.clone()).collect()
}

/// No hook of the project is hidden by another file.
fn assert_all_read(sandbox: &Sandbox) {
    let lint = sandbox.run("lint --agent droid");
    assert!(!lint.stdout.contains("HW714"), "{lint}");
}

#[test]
fn forwarding_hooks() {
    let sandbox = sandbox();
    let state = || (read(&sandbox, "hooks.json"), read(&sandbox, "settings.json"));
    let done = sandbox.run("install --agent droid --scope project --yes --format json").assert_status(0).json();
    let files: Vec<&str> =
        done["files"].as_array().unwrap().iter().map(|file| file["file"].as_str().unwrap()).collect();
    assert_eq!(files, [".factory/settings.json", ".factory/hooks.json"]);
    assert_eq!(events_with(&sandbox, "hooks.json", "forward"), ["PreToolUse", "Stop"]);
    let others = events_with(&sandbox, "settings.json", "forward");
    assert!(others.len() > 3 && !others.contains(&"Stop".to_owned()), "{others:?}");
    assert!(done["standing"].as_array().unwrap().iter().all(|entry| entry["problem"].is_null()), "{done}");
    assert_eq!(done["elsewhere"], serde_json::json!([]));
    assert_all_read(&sandbox);
    let installed = state();
    let again = sandbox.run("install --agent droid --scope project --yes").assert_status(0);
    assert!(again.stdout.contains("unchanged  2 events: PreToolUse, Stop in .factory/hooks.json"), "{again}");
    assert_eq!(state(), installed);
    // One undo restores both files, and one uninstall too.
    let before = (HOOKS.to_owned(), SETTINGS.to_owned());
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(state(), before);
    sandbox.run("install --agent droid --scope project --yes").assert_status(0);
    sandbox.run("uninstall --agent droid --scope project --yes").assert_status(0);
    assert_eq!(state(), before);
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(state(), installed);
}

/// The user moves an event to `hooks.json` later, which hides the entry in the settings.
#[test]
fn an_entry_moves_with_its_event() {
    let sandbox = sandbox();
    let hooks = sandbox.project.join(".factory/hooks.json");
    fs::remove_file(&hooks).unwrap();
    fs::remove_file(sandbox.project.join(".factory/settings.json")).unwrap();
    sandbox.run("install --agent droid --scope project --yes").assert_status(0);
    fs::write(&hooks, HOOKS).unwrap();
    let done = sandbox.run("install --agent droid --scope project --yes").assert_status(0);
    assert!(done.stdout.contains("removed    2 events: PreToolUse, Stop in .factory/settings.json"), "{done}");
    assert!(done.stdout.contains("added      2 events: PreToolUse, Stop in .factory/hooks.json"), "{done}");
    assert_all_read(&sandbox);
    // The settings were created by the first installation.
    sandbox.run("uninstall --agent droid --scope project --yes").assert_status(0);
    assert_eq!(read(&sandbox, "hooks.json"), HOOKS);
    assert!(!sandbox.project.join(".factory/settings.json").exists());
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(events_with(&sandbox, "hooks.json", "forward"), ["PreToolUse", "Stop"]);
    // A broken file without entries is left alone; one with entries has to be fixed first.
    fs::write(&hooks, "{").unwrap();
    sandbox.run("uninstall --agent droid --scope project --dry-run").assert_status(0);
    fs::write(&hooks, "{ hookbench forward").unwrap();
    let done = sandbox.run("uninstall --agent droid --scope project --dry-run").assert_status(5);
    assert!(done.stderr.contains(".factory/hooks.json:1:"), "{done}");
}

#[test]
fn guards_and_new_hooks() {
    let sandbox = sandbox();
    sandbox.run("guard install malicious --agent droid --scope project --yes").assert_status(0);
    sandbox.run("guard install response --agent droid --scope project --yes").assert_status(0);
    assert_eq!(events_with(&sandbox, "hooks.json", " guard "), ["PreToolUse", "Stop"]);
    let done = sandbox.run("guard install malicious --agent droid --scope project --yes").assert_status(0);
    assert!(done.stdout.contains("hooks.json"), "{done}");
    sandbox.run("new rm-outside-project --agent droid --yes").assert_status(0);
    assert_eq!(events_with(&sandbox, "hooks.json", "rm-outside-project"), ["PreToolUse"]);
    assert!(sandbox.project.join(".factory/hooks/rm-outside-project.py").exists());
    assert_all_read(&sandbox);
    let again = sandbox.run("new rm-outside-project --agent droid --yes").assert_status(0);
    assert!(again.stdout.contains("already") || again.stdout.contains("nothing"), "{again}");
}
