//! The log of runs: `fire` keeps its events in the store if the setting is on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookbench::core::recorded::{PayloadSource, RecordedEvent, parse_event_line};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const FIRE: &str = "fire PreToolUse --tool Bash --set tool_input.command=make --agent claude --yes --format json";

fn project(config: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    let hook = json!({"type": "command", "command": "./guard.sh"});
    sandbox
        .settings(&json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string())
        .script("guard.sh", "#!/bin/sh\necho 'sk-0123456789abcdefghij is not allowed' >&2\nexit 2\n")
        .file("../home/config/hookbench/config.toml", config);
    sandbox
}

fn exported(sandbox: &Sandbox, filter: &str) -> Vec<RecordedEvent> {
    let done = sandbox.run(&format!("db export --filter '{filter}'")).assert_status(0);
    done.raw.lines().map(|line| parse_event_line(line).unwrap()).collect()
}

#[test]
fn a_run_is_kept_and_exported() {
    let sandbox = project("[log]\nruns = true\n");
    let fired = sandbox.run(FIRE).assert_status(0).json();
    sandbox.run(FIRE).assert_status(0);
    let listed = sandbox.run("db list --filter ~fired --format json").assert_status(0).json();
    assert_eq!(listed["count"], 2);
    let row = &listed["events"][0];
    assert_eq!(
        (&row["event"], &row["subject"], &row["verdict"], &row["made"], &row["what"]),
        (&json!("PreToolUse"), &json!("Bash"), &json!("deny"), &json!("fired"), &json!("make"))
    );
    let all = exported(&sandbox, "~fired ~v deny ~x 2");
    let [first, second] = all.as_slice() else { panic!("{all:#?}") };
    assert_eq!(first.payload_source, PayloadSource::Fired);
    assert_eq!(first.project.as_deref(), sandbox.project.canonicalize().unwrap().to_str());
    let [run] = first.runs.as_slice() else { panic!("{first:#?}") };
    assert_eq!((run.hook.as_str(), run.layer.as_deref()), ("guard.sh", Some("project")));
    assert_eq!(run.report.stderr.head, b"sk-0123456789abcdefghij is not allowed\n");
    let outcome = first.outcome.as_ref().unwrap();
    assert_eq!(json!(outcome.agent_does), fired["outcome"]["agent_does"]);
    let payload: Value = serde_json::from_slice(&first.payload).unwrap();
    assert_eq!(payload["tool_input"]["command"], "make");
    // Each command is a session of its own.
    assert!(first.session.starts_with("hookbench-") && first.session != second.session, "{}", first.session);
    assert_eq!(exported(&sandbox, &format!("~session {}", second.session)), std::slice::from_ref(second));
    let stat = sandbox.run("db stat").assert_status(0).raw;
    assert!(stat.contains("events       2 events\n") && stat.contains("logged       2 fired by you\n"), "{stat}");
    let file = sandbox.home.join("state/hookbench/hookbench.db");
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    // A replay of everything skips the log, because no agent sent these events.
    let replayed = |filter: &str| sandbox.run(&format!("replay --filter '{filter}'")).raw;
    assert!(replayed("~fired").contains("no verdict changes in 2 events"), "{}", replayed("~fired"));
    assert!(replayed("~t Bash").contains("no verdict changes in 0 events"));
}

#[test]
fn without_the_setting_nothing_is_written() {
    for config in ["", "[log]\nruns = false\n"] {
        let sandbox = project(config);
        sandbox.run(FIRE).assert_status(0);
        assert!(!sandbox.home.join("state/hookbench/hookbench.db").exists(), "{config:?}");
    }
    let sandbox = project("[log]\nruns = 1\n");
    sandbox.run(FIRE).assert_status(0).assert_stderr(&["config.toml: log.runs must be true or false"]);
    sandbox.run("config --check").assert_status(5).assert_stderr(&["config.toml:2:8: log.runs cannot be 1"]);
}

#[test]
fn an_assumed_result_is_not_a_run() {
    let sandbox = project("[log]\nruns = true\n");
    sandbox.run(&format!("{FIRE} --what-if 'guard.sh=0'")).assert_status(0);
    assert_eq!(exported(&sandbox, "").iter().map(|e| e.verdict.as_deref()).collect::<Vec<_>>(), [Some("deny")]);
}

#[test]
fn secrets_are_masked_in_the_log() {
    let sandbox = project("[log]\nruns = true\n[store]\nredact = true\n");
    sandbox.run(FIRE).assert_status(0);
    let [event] = &exported(&sandbox, "")[..] else { panic!("one event") };
    assert_eq!(event.runs[0].report.stderr.head, b"[masked] is not allowed\n");
}

#[test]
fn the_events_of_a_file_are_one_session_and_every_agent_is_logged() {
    let sandbox = project("[log]\nruns = true\n");
    let payload = |command: &str| json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}});
    sandbox.file("two.json", json!([payload("ls"), payload("make")]).to_string());
    sandbox.run("fire --session two.json --agent claude --yes").assert_status(0);
    let all = exported(&sandbox, "");
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].session, all[1].session);
    sandbox.run("fire pre_tool_use --tool Bash --agent all --yes").assert_status(0);
    assert!(exported(&sandbox, "!~a claude").len() > 1);
}

/// The log never changes the result of a firing.
#[test]
fn a_store_that_cannot_be_written_is_a_message() {
    let sandbox = project("[log]\nruns = true\n");
    let state = sandbox.home.join("state/hookbench");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("hookbench.db"), "not a store").unwrap();
    let done = sandbox.run(FIRE).assert_status(0);
    assert_eq!(done.json()["outcome"]["verdict"], "deny");
    done.assert_stderr(&["the run is not in the log: "]);
}
