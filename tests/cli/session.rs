//! `fire --session`: events that depend on earlier events.

use serde_json::{Value, json};

use crate::sandbox::{ProgramOutput, Sandbox};

/// Fires the events in one session. Returns the document.
fn fired(sandbox: &Sandbox, env: &[(&str, &str)], events: &[Value], arguments: &str) -> Value {
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    sandbox.file("events.jsonl", lines.join("\n"));
    let env: Vec<_> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let done =
        sandbox.run_in(&env, &format!("fire --session events.jsonl --yes --format json {arguments}")).assert_status(0);
    document(&done)
}

fn document(done: &ProgramOutput) -> Value {
    serde_json::from_str(&done.stdout).unwrap()
}

fn each(document: &Value, pointer: &str) -> Vec<Value> {
    let firings = document["firings"].as_array().unwrap();
    firings.iter().map(|firing| firing.pointer(pointer).cloned().unwrap_or_default()).collect()
}

fn stopping() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file(
        ".claude/settings.json",
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo again >&2; exit 2"}]}]}}).to_string(),
    );
    sandbox
}

const CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// Lines of a session file that are no events are counted, as `replay` does.
#[test]
fn skipped_lines_of_a_session_file_are_counted() {
    let sandbox = stopping();
    let made = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/claude-transcript/made.jsonl"),
    );
    sandbox.file("session.jsonl", format!("{}{{damaged\n", made.unwrap()));
    for command in ["fire --session session.jsonl --yes", "replay session.jsonl"] {
        let done = sandbox.run(command).assert_status(0);
        let says = "4 lines skipped; `hookbench import session.jsonl` shows the reasons";
        assert!(done.stderr.contains(says), "{command}: {done}");
    }
}

/// As on 2.1.330: a hook that always blocks runs once more than the cap, and a tool call resets the count.
#[test]
fn stops_in_a_row_are_counted() {
    let sandbox = stopping();
    let stop = || json!({"hook_event_name": "Stop"});
    let tool = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
    for (cap, between, want) in [
        ("1", None, vec![true, false, true, false]),
        ("2", None, vec![true, true, false, true]),
        ("0", None, vec![true, true, true, true]),
        ("-1", None, vec![true, true, true, true]),
        ("x", None, vec![true, true, true, true]),
        ("2", Some(&tool), vec![true, true, true, true]),
        ("1", Some(&prompt), vec![true, true, true, true]),
    ] {
        let mut events = Vec::new();
        for _ in 0..4 {
            events.push(stop());
            events.extend(between.cloned());
        }
        let document = fired(&sandbox, &[(CAP, cap)], &events, "--agent claude");
        let stops: Vec<Value> = each(&document, "/outcome/blocked").into_iter().step_by(events.len() / 4).collect();
        assert_eq!(stops, want.into_iter().map(Value::from).collect::<Vec<_>>(), "{cap} {between:?}");
    }
    let document = fired(&sandbox, &[], &[stop(), stop(), stop()], "--agent claude");
    assert_eq!(document["schema"], "firings/1");
    assert_eq!(each(&document, "/session/stops_blocked"), [json!(null), json!(1), json!(2)]);
    assert_eq!(each(&document, "/input/stop_hook_active"), [json!(false), json!(true), json!(true)]);
    let says = document.pointer("/firings/2/diagnostics/0/message");
    assert_eq!(says, Some(&json!("3rd stop in a row, 8 allowed")));
}

/// A PermissionRequest hook sees the input that a PreToolUse hook wrote, and the last rewritten input is used.
#[test]
fn an_input_is_rewritten_twice() {
    let sandbox = Sandbox::new();
    let says = |output: Value| json!([{"hooks": [{"type": "command", "command": format!("echo '{output}'")}]}]);
    let updated = |command: &str| json!({"command": command});
    let pre = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": updated("two")}});
    let asked = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow", "updatedInput": updated("three")}}});
    let hooks = json!({"PreToolUse": says(pre), "PermissionRequest": says(asked)});
    sandbox.file(".claude/settings.json", json!({"hooks": hooks}).to_string());
    let event = |name: &str| json!({"hook_event_name": name, "tool_name": "Bash", "tool_input": updated("one")});
    let events = ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUse"].map(event);
    let document = fired(&sandbox, &[], &events, "--agent claude");
    let got = each(&document, "/input/tool_input/command");
    assert_eq!(got, [json!("one"), json!("two"), json!("three"), json!("one")]);
}

/// Settings that a hook changes apply to the next event.
#[test]
fn settings_change_in_mid_session() {
    let sandbox = Sandbox::new();
    sandbox.program("mv");
    let command = "mv events.next .claude/settings.json; exit 2";
    let hook = |command: &str| json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
    for (next, want) in [
        (json!({}).to_string(), json!("not_run")),
        (json!({"disableAllHooks": true}).to_string(), json!("not_run")),
        ("{broken".to_owned(), json!("not_run")),
        (hook("exit 0").to_string(), json!("no_objection")),
    ] {
        sandbox.file(".claude/settings.json", hook(command).to_string()).file("events.next", &next);
        let stop = json!({"hook_event_name": "Stop"});
        let document = fired(&sandbox, &[], &[stop.clone(), stop], "--agent claude");
        assert_eq!(each(&document, "/outcome/verdict"), [json!("deny"), want], "{next}");
    }
}

#[test]
fn what_the_file_may_hold() {
    let sandbox = stopping();
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
    let list = json!([stop, stop]).to_string();
    sandbox.file("list.json", &list).file("bad.jsonl", format!("{stop}\nnonsense\n")).file("empty.jsonl", "\n");
    let done = sandbox.run("fire --session list.json --agent claude --yes --format json").assert_status(0);
    assert_eq!(each(&document(&done), "/session/stops_blocked"), [json!(null), json!(1)]);
    let lines = sandbox
        .run_with("fire --session - --agent claude --yes --format jsonl", format!("{stop}\n{stop}\n").as_bytes());
    let numbers: Vec<Value> = lines
        .assert_status(0)
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["kind"] == "settled")
        .map(|line| line["number"].clone())
        .collect();
    assert_eq!(numbers, [json!(1), json!(2)]);
    let bad = sandbox.run("fire --session bad.jsonl --agent claude --yes").assert_status(5);
    assert!(bad.stderr.contains("bad.jsonl:2"), "{}", bad.stderr);
    sandbox.run("fire --session empty.jsonl --agent claude --yes").assert_status(5);
    sandbox.run("fire --session list.json --agent all --yes").assert_status(2);
    sandbox.run("fire Stop --session list.json").assert_status(2);
}
