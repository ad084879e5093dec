//! The debug logs of agents: `import` reads them, and `why` shows what they say beside the prediction.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::outputs;
use crate::sandbox::Sandbox;

fn log(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debug-logs").join(format!("{name}.txt"));
    fs::read_to_string(path).unwrap()
}

/// A project with the hooks of the recorded sessions. The logs name its directory.
fn shop(agent: &str, matcher: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent(agent);
    let hooks = sandbox.project.join("hooks").display().to_string();
    let group = |matcher: &str, name: &str| json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": format!("{hooks}/{name}.sh") }] });
    let groups = [
        group("@shell", "guard"),
        group(matcher, "edit"),
        group("*", "fail"),
        group("*", "slow"),
        group("*", "missing"),
    ];
    sandbox.settings(&json!({ "hooks": { "@tool": groups } }).to_string());
    for name in ["guard", "edit", "fail", "slow"] {
        sandbox.script(&format!("hooks/{name}.sh"), "#!/bin/sh\nexit 0\n");
    }
    sandbox
}

/// Writes a log for the directory of the sandbox.
fn write_log(sandbox: &Sandbox, path: &Path, name: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, log(name).replace("/work/shop", sandbox.project.to_str().unwrap())).unwrap();
}

#[test]
fn import_reads_a_debug_log_by_its_content() {
    let mut out = Vec::new();
    for (agent, name) in
        [("claude", "settings"), ("qwen", "settings"), ("gemini", "handlers"), ("codex", "mixed"), ("claude", "plain")]
    {
        let sandbox = Sandbox::new();
        write_log(&sandbox, &sandbox.project.join("agent.log"), &format!("{agent}/{name}"));
        out.push(sandbox.run("import agent.log").assert_status(0));
        out.push(sandbox.run("import agent.log --format json").assert_status(0));
    }
    insta::assert_snapshot!("import_debug_log", outputs(&out));
}

#[test]
fn why_shows_an_imported_log_beside_the_prediction() {
    let mut out = Vec::new();
    for (agent, name) in
        [("claude", "verbose"), ("qwen", "mixed"), ("gemini", "mixed"), ("codex", "mixed"), ("codebuddy", "mixed")]
    {
        let sandbox = shop(agent, "@edits");
        sandbox.run(&format!("why guard.sh --agent {agent}")).assert_status(0);
        write_log(&sandbox, &sandbox.home.join("agent.log"), &format!("{agent}/{name}"));
        sandbox.run(&format!("import {}", sandbox.home.join("agent.log").display())).assert_status(0);
        for hook in ["guard.sh", "edit.sh", "slow.sh"] {
            let page = sandbox.run(&format!("why {hook} --agent {agent}")).assert_status(0);
            assert!(!page.stdout.contains("CONTRADICTS"), "{page}");
            out.push(page);
        }
    }
    // The hash of a reviewed hook covers its directory.
    insta::with_settings!({ filters => [("sha256:[0-9a-f]+", "sha256:<hash>")] }, {
        insta::assert_snapshot!("why_debug_log", outputs(&out));
    });
}

#[test]
fn the_log_of_a_session_is_found_by_its_name() {
    let sandbox = shop("claude", "@edits");
    let session = "11111111-1111-4111-8111-111111111111";
    let slug = sandbox.project.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let transcript =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/claude-transcript/made.jsonl"));
    let projects = sandbox.home.join(".claude/projects").join(slug);
    fs::create_dir_all(&projects).unwrap();
    let transcript = String::from_utf8(transcript.unwrap()).unwrap();
    fs::write(
        projects.join(format!("{session}.jsonl")),
        transcript.replace(r#""sessionId":"s1""#, &format!(r#""sessionId":"{session}""#)),
    )
    .unwrap();
    let log = sandbox.home.join(format!(".claude/debug/{session}.txt"));
    write_log(&sandbox, &log, "claude/verbose");
    let listed = sandbox.run("import").assert_status(0);
    assert!(listed.stdout.contains(&format!("debug log: ~/.claude/debug/{session}.txt")), "{listed}");
    let json = sandbox.run("import --format json").assert_status(0).json();
    assert_eq!(json["sessions"][0]["debug_log"], json!(log.to_str().unwrap()));
    let mut account = sandbox.run("why guard.sh --format json").assert_status(0).json()["agent_log"].take();
    account["says"].take();
    assert_eq!(
        account,
        json!({
            "file": format!("~/.claude/debug/{session}.txt"), "at": "2026-11-24T11:15:50.360Z",
            "firings": 1, "started": 1, "subject": "Bash", "found": 5, "matched": 4, "state": "started",
            "exit": 2, "took_ms": 63, "ignored": [], "contradicts": null, "says": null,
        })
    );
    let other = Sandbox::new();
    other.settings(r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }"#);
    assert_eq!(other.run("why true --format json").assert_status(0).json()["agent_log"], json!(null));
}

#[test]
fn a_log_that_contradicts_the_prediction_says_so() {
    // The agent did not start edit.sh for Bash, and started guard.sh, whose matcher here is another one.
    for (agent, name, from, to, hook, says) in [
        (
            "claude",
            "verbose",
            "Edit|Write|MultiEdit",
            "*",
            "edit.sh",
            "predicts that edit.sh runs for Bash, but the agent did not start it",
        ),
        (
            "claude",
            "verbose",
            "\"Bash\"",
            "\"Write\"",
            "guard.sh",
            "predicts that guard.sh does not run for Bash, but the agent started it",
        ),
        (
            "qwen",
            "mixed",
            "edit|write_file",
            "*",
            "edit.sh",
            "predicts that edit.sh runs here, but the agent did not start it",
        ),
    ] {
        let sandbox = shop(agent, from);
        let file = sandbox.project.join(sandbox.settings_file());
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        write_log(&sandbox, &sandbox.home.join("agent.log"), &format!("{agent}/{name}"));
        sandbox.run(&format!("import {}", sandbox.home.join("agent.log").display())).assert_status(0);
        let before = sandbox.run(&format!("why {hook} --agent {agent}")).assert_status(0);
        assert!(!before.stdout.contains("CONTRADICTS"), "{before}");
        fs::write(&file, text.replace(from, to)).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
        let after = sandbox.run(&format!("why {hook} --agent {agent}")).assert_status(0);
        let contradiction = after.stdout.lines().find(|line| line.contains("CONTRADICTS")).unwrap_or_default();
        assert!(contradiction.contains(says), "{after}");
        assert!(contradiction.ends_with("its settings file was changed after the log"), "{after}");
    }
}

#[test]
fn logs_that_cannot_be_read_are_left_out() {
    let sandbox = shop("claude", "@edits");
    let file = sandbox.home.join("agent.log");
    write_log(&sandbox, &file, "claude/verbose");
    sandbox.run(&format!("import {}", file.display())).assert_status(0);
    fs::remove_file(&file).unwrap();
    assert_eq!(sandbox.run("why guard.sh --format json").assert_status(0).json()["agent_log"], json!(null));
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert_eq!(sandbox.run("why guard.sh --format json").assert_status(0).json()["agent_log"], json!(null));
}

#[test]
fn a_hostile_log_cannot_move_the_cursor() {
    let sandbox = shop("claude", "@edits");
    let line =
        "2026-11-24T11:14:08.239Z [ERROR] Invalid setting skipped (x): f: hooks.\u{1b}[2J\u{7}Stop: \u{1b}]0;t\u{7}\n";
    fs::write(sandbox.home.join("agent.log"), line.repeat(3) + &log("claude/verbose")).unwrap();
    let imported = sandbox.run(&format!("import {}", sandbox.home.join("agent.log").display())).assert_status(0);
    let page = sandbox.run("why guard.sh").assert_status(0);
    assert!(page.raw.contains("ignored: f: hooks."), "{page}");
    assert!(!imported.raw.contains(['\u{1b}', '\u{7}']) && !page.raw.contains(['\u{1b}', '\u{7}']), "{page}");
}
