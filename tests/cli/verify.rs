//! `fire --verify` against an agent for tests that speaks each interface.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookbench::core::dialects;
use serde_json::{Value, json};

use crate::agent_words;
use crate::sandbox::Sandbox;

const FAKE_AGENT: &str = include_str!("../support/fake_agent.py");

/// A sandbox with this agent on PATH, and a hook on its event before a tool. `fault` names the rule that it breaks.
fn sandbox(agent: &str, hook: &str, fault: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::for_agent(agent);
    sandbox.program("env");
    let bin = sandbox.project.parent().unwrap().join("bin");
    crate::programs::write_program(&bin.join(agent), FAKE_AGENT.as_bytes());
    // A symbolic link would lead out of the directories that the isolated agent sees.
    let (built, here) = (env!("CARGO_BIN_EXE_hookbench"), bin.join("hookbench"));
    if fs::hard_link(built, &here).is_err() {
        fs::copy(built, &here).unwrap();
    }
    if let Some(fault) = fault {
        fs::write(bin.join("fault"), fault).unwrap();
    }
    sandbox.script("guard.sh", hook);
    let handler = json!({ "type": "command", "command": sandbox.project.join("guard.sh") });
    sandbox.settings(&json!({ "hooks": { "@tool": [{ "hooks": [handler] }] } }).to_string());
    sandbox
}

/// The line that verifies a call of the shell.
fn line(agent: &str) -> String {
    format!("fire @tool --agent {agent} --tool @shell-id --input '{{\"command\":\"echo>out.txt\"}}' --yes --verify")
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

const REFUSE: &str = "#!/bin/sh\ncat >/dev/null\necho 'rule 7 forbids it' >&2\nexit 2\n";
const PASS: &str = "#!/bin/sh\ncat >/dev/null\nexit 0\n";

#[test]
fn an_agent_that_follows_the_rules_agrees_in_every_interface() {
    for dialect in dialects::ALL {
        let agent = dialect.id().as_str();
        for (hook, blocked) in [(REFUSE, true), (PASS, false)] {
            let sandbox = sandbox(agent, hook, None);
            let before = files(&sandbox.project);
            let document = sandbox.run(&format!("{} --format json", line(agent))).json();
            let verified = &document["verified"];
            let told = verified["told_the_model"].to_string();
            assert_eq!(
                (&verified["agrees"], &verified["blocked"], told.contains("rule 7 forbids it")),
                (&json!(true), &json!(blocked), blocked),
                "{agent}: {verified:#}"
            );
            assert_eq!(verified["runs"].as_array().map(Vec::len), Some(1), "{agent}");
            assert_eq!(files(&sandbox.project), before, "{agent}: the tool ran in the project");
        }
    }
}

#[test]
fn a_broken_rule_is_named_and_ends_with_1() {
    let sandbox = sandbox("claude", REFUSE, Some("exit-2-passes"));
    let page = sandbox.run(&line("claude")).assert_status(1).stdout;
    for part in ["DIFFERS", "differs  the tool", "here   blocked", "there  not blocked"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_hook_reads_what_is_predicted() {
    let sandbox = sandbox("claude", PASS, None);
    let document = sandbox.run(&format!("{} --format json", line("claude"))).assert_status(0).json();
    let read = |stdin: &Value| (stdin["tool_input"].clone(), stdin["cwd"].clone());
    let here: Value = serde_json::from_str(document["runs"][0]["stdin"].as_str().unwrap()).unwrap();
    assert_eq!(read(&document["verified"]["runs"][0]["stdin"]), read(&here));
    assert_eq!(document["verified"]["tool_input"], json!({ "command": "echo>out.txt" }));
}

#[test]
fn an_unlucky_agent_is_named_in_one_sentence() {
    for (fault, expected) in [
        ("asks for a login", "neither ran a hook nor asked its model (exit 1); it printed: Please run /login"),
        ("exits at once", "neither ran a hook nor asked its model (exit 3)"),
        ("prints without end", "neither ran a hook nor asked its model (exit 0); it printed: xxxx"),
        ("hangs", "did not end within 3 s"),
        ("asks a question", "neither ran a hook nor asked its model"),
    ] {
        let sandbox = sandbox("claude", PASS, Some(fault));
        // A twentieth of the limit.
        let scale = if fault == "hangs" { " --timeout-scale 0.05" } else { "" };
        let page = sandbox.run(&format!("{}{scale}", line("claude"))).assert_status(1).stdout;
        let told = page.lines().find(|line| line.contains("NOT VERIFIED")).unwrap_or_default();
        assert!(told.contains(expected), "{fault}: {page}");
    }
}

#[test]
fn an_agent_that_is_not_installed_is_named() {
    let sandbox = Sandbox::for_agent("codex");
    let page = sandbox.run(&line("codex")).assert_status(1).stdout;
    assert!(page.contains("NOT VERIFIED  Codex is not installed: codex is not on PATH"), "{page}");
}

#[test]
fn an_event_without_a_session_is_explained() {
    let sandbox = sandbox("claude", PASS, None);
    let document = sandbox.run("fire TeammateIdle --agent claude --yes --verify --format json").assert_status(1).json();
    let why = document["verified"]["why"].as_str().unwrap().to_owned();
    assert!(why.contains("it needs a team of agents in terminals"), "{why}");
    assert_eq!(document["verified"]["agrees"], Value::Null);
}

/// Runs the program where it cannot create namespaces: in one that allows no further ones. Without such a namespace, there
/// are none at all.
fn without_namespaces(sandbox: &Sandbox, line: &str) -> (i32, Value) {
    let program = sandbox.command(&shell_words(line));
    let limit = "echo 0 > /proc/sys/user/max_user_namespaces 2>/dev/null; exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", limit, "sh"]);
    let allowed = Command::new("unshare").args(["--user", "--map-root-user", "true"]).status();
    if !allowed.is_ok_and(|status| status.success()) {
        command = Command::new("env");
    }
    command.arg(program.get_program()).args(program.get_args());
    command.current_dir(&sandbox.project).env_clear().envs(sandbox.env());
    command.env("PATH", format!("{}:/usr/bin:/bin", sandbox.env()[1].1));
    let done = command.output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let document = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}{:?}", done.stderr));
    (done.status.code().unwrap_or(-1), document)
}

/// The words of a line with single quotes.
fn shell_words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn a_tool_that_can_do_harm_runs_without_isolation_only_if_the_user_insists() {
    let sandbox = sandbox("claude", PASS, None);
    let line = line("claude").replace("@tool", "PreToolUse").replace("@shell-id", "Bash") + " --format json";
    let (status, document) = without_namespaces(&sandbox, &line);
    let why = document["verified"]["why"].as_str().unwrap_or_default();
    assert_eq!(status, 1);
    for part in ["Bash would really run in Claude Code, and this system cannot isolate it", "--verify-anyway"] {
        assert!(why.contains(part), "{document:#}");
    }
    let before = files(&sandbox.project);
    let (status, document) = without_namespaces(&sandbox, &format!("{line} --verify-anyway"));
    let verified = &document["verified"];
    assert_eq!((status, &verified["agrees"], &verified["isolated"]), (0, &json!(true), &json!(false)), "{verified:#}");
    assert!(verified["notes"].to_string().contains("was not isolated"), "{verified:#}");
    assert_eq!(files(&sandbox.project), before);
}

/// With `--agent all`, the event runs in each installed agent; the others are named.
#[test]
fn every_installed_agent_is_asked() {
    for (fault, status, agrees) in [(None, 0, json!(true)), (Some("exit-2-passes"), 1, json!(false))] {
        let sandbox = sandbox("claude", REFUSE, fault);
        let other = agent_words::words_of("qwen");
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        for (path, text) in other.trust_files(&text(&sandbox.project), &text(&sandbox.home)) {
            fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let handler = json!({ "type": "command", "command": sandbox.project.join("guard.sh") });
        let settings = json!({ "hooks": { "@tool": [{ "hooks": [handler] }] } }).to_string();
        sandbox.file(other.settings, other.in_agent_words(&settings));
        crate::programs::write_program(&sandbox.project.parent().unwrap().join("bin/qwen"), FAKE_AGENT.as_bytes());
        let all = "fire @tool --agent all --tool @shell-id --input '{\"command\":\"echo>out.txt\"}' --yes --verify";
        let document = sandbox.run(&format!("{all} --format json")).assert_status(status).json();
        let mut seen: Vec<(String, Value)> = Vec::new();
        for firing in document["firings"].as_array().unwrap() {
            let verified = &firing["verified"];
            let said = if verified["agrees"].is_null() { verified["why"].clone() } else { verified["agrees"].clone() };
            seen.push((firing["agent"].as_str().unwrap().to_owned(), said));
        }
        let asked: Vec<&(String, Value)> = seen.iter().filter(|(_, said)| *said == agrees).collect();
        let asked: Vec<&str> = asked.iter().map(|(agent, _)| agent.as_str()).collect();
        assert_eq!(asked, ["claude", "qwen"], "{seen:#?}");
        let page = sandbox.run(all).assert_status(status).stdout;
        let word = if fault.is_some() { "DIFFERS" } else { "AGREES" };
        assert_eq!(page.matches(word).count(), 2, "{page}");
        assert!(page.contains("is not installed"), "{page}");
    }
}
