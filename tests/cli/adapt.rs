//! `hookbench adapt` as agents run it, and what the other commands say about hooks that use it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use hookbench::core::dialects;
use serde_json::json;

use crate::agent_words;
use crate::sandbox::{ProgramOutput, Sandbox};

/// Refuses one command of one agent's tool.
const GUARD: &str = r#"#!/bin/sh
in=$(cat)
case "$in" in
*'"tool_name":"Bash"'*'rm -rf'*) echo "no rm -rf in $CLAUDE_PROJECT_DIR" >&2; exit 2 ;;
esac
"#;

const ASK: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#;

fn payload(agent: &str, command: &str) -> Vec<u8> {
    let words = agent_words::words_of(agent);
    let call = json!({
        "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/work", "hook_event_name": words.tool,
        "tool_name": words.shell_id, "tool_input": {"command": command},
    });
    call.to_string().into_bytes()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script("hooks/guard.sh", GUARD);
    sandbox
}

fn agents() -> impl Iterator<Item = &'static str> {
    dialects::ALL.iter().map(|dialect| dialect.id().as_str())
}

#[test]
fn a_guard_refuses_in_every_agent() {
    let sandbox = sandbox();
    for agent in agents() {
        let line = format!("adapt --from claude --agent {agent} -- hooks/guard.sh");
        let refused = sandbox.run_with(&line, &payload(agent, "rm -rf build")).assert_status(2);
        assert_eq!((refused.stdout.as_str(), refused.stderr.as_str()), ("", "no rm -rf in /work"), "{agent}");
        let passed = sandbox.run_with(&line, &payload(agent, "make test")).assert_status(0);
        assert_eq!((passed.stdout.as_str(), passed.stderr.as_str()), ("", ""), "{agent}");
    }
}

#[test]
fn an_answer_in_the_words_of_each_agent() {
    let sandbox = sandbox();
    sandbox.script("hooks/ask.sh", &format!("#!/bin/sh\ncat >/dev/null\necho '{ASK}'\n"));
    let said: Vec<String> = agents()
        .map(|agent| {
            let line = format!("adapt --from claude --agent {agent} -- hooks/ask.sh");
            let answer = sandbox.run_with(&line, &payload(agent, "ls")).assert_status(0);
            format!("{agent}\n{}\n{}", answer.stdout, answer.stderr)
        })
        .collect();
    insta::assert_snapshot!("adapt_ask", said.join("\n"));
    let log = std::fs::read_to_string(sandbox.home.join(".local/state/hookbench/adapt.log")).unwrap();
    assert!(log.contains("\"event\":\"PreToolUse\",\"loss\":\"the decision is ASK"), "{log}");
}

/// Scripts of an agent with two spellings of each event get the payload of theirs, and answer in its words.
#[test]
fn a_script_of_either_spelling_refuses_in_every_agent() {
    let sandbox = Sandbox::new();
    let camel = "#!/bin/sh\nin=$(cat)\ncase \"$in\" in *'\"toolName\":\"bash\"'*'rm -rf'*)\n\
                 echo '{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no rm -rf\"}';; esac\n";
    sandbox.script("hooks/camel.sh", camel);
    sandbox.script("hooks/pascal.sh", &camel.replace("toolName", "tool_name").replace("bash\"", "Bash\""));
    for agent in agents() {
        for (script, event) in [("camel", " --event preToolUse"), ("pascal", "")] {
            let line = format!("adapt --from copilot{event} --agent {agent} -- hooks/{script}.sh");
            let refused = sandbox.run_with(&line, &payload(agent, "rm -rf build"));
            let told = format!("{}{}", refused.stdout, refused.stderr);
            assert!(
                told.contains("no rm -rf") && (told.contains("deny") || told.contains("block")),
                "{agent}: {refused}"
            );
            let passed = sandbox.run_with(&line, &payload(agent, "make test")).assert_status(0);
            assert_eq!((passed.stdout.as_str(), passed.stderr.as_str()), ("", ""), "{agent}");
        }
    }
    // And the other way round.
    sandbox.script("hooks/guard.sh", GUARD);
    let line = "adapt --from claude --agent copilot -- hooks/guard.sh";
    let refused = sandbox.run_with(line, &payload("copilot", "rm -rf build"));
    assert!(
        refused.stdout.contains(r#""permissionDecision":"deny""#) && refused.stdout.contains("no rm -rf in"),
        "{refused}"
    );
    sandbox.run_with(line, &payload("copilot", "make test")).assert_status(0);
}

/// Nothing that goes wrong in the adapter itself looks like a decision of the script: a wrong call ends with 1, which
/// refuses nothing, and never with the 2 of other commands.
#[test]
fn failures_decide_nothing() {
    let sandbox = sandbox();
    let claude = payload("claude", "ls");
    let run = |line: &str, stdin: &[u8]| -> ProgramOutput { sandbox.run_with(line, stdin) };
    for (line, stdin, status, stderr) in [
        ("adapt", claude.as_slice(), 1, "--from AGENT is missing"),
        ("adapt -- hooks/guard.sh", &claude, 1, "--from AGENT is missing"),
        ("adapt --from", &claude, 1, "--from needs a value"),
        ("adapt --from nobody -- hooks/guard.sh", &claude, 1, "unknown agent nobody"),
        ("adapt --from claude --agent nobody -- hooks/guard.sh", &claude, 1, "unknown agent nobody"),
        ("adapt --from claude", &claude, 1, "the script is missing"),
        ("adapt --from claude hooks/guard.sh", &claude, 1, "write -- before the script"),
        ("adapt --form claude -- hooks/guard.sh", &claude, 1, "unknown option --form"),
        ("adapt --from claude --agent gemini -- hooks/guard.sh", &claude, 1, "Gemini CLI has no event PreToolUse"),
        ("adapt --from claude -- hooks/guard.sh", b"{}", 1, "name the agent with --agent"),
        ("adapt --from claude --agent claude -- hooks/guard.sh", b"{}", 1, "Claude Code has no event"),
        ("adapt --from claude -- hooks/guard.sh", b"no json", 0, "received it unchanged"),
        ("adapt --from claude -- hooks/none.sh", &claude, 127, "hooks/none.sh did not start"),
    ] {
        run(line, stdin).assert_status(status).assert_stderr(&[stderr]);
    }
}

/// Options that contradict the payload are named once; the guard works all the same.
#[test]
fn options_that_contradict_the_payload_are_named() {
    let sandbox = sandbox();
    let of = |path: &str, command: &str| {
        let call = json!({
            "session_id": "s", "transcript_path": path, "cwd": "/work", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command},
        });
        call.to_string().into_bytes()
    };
    let claude = "/home/u/.claude/projects/p/s.jsonl";
    let wrong = "the payload is one of Claude Code, but --agent names Codex";
    for (options, path, told) in [
        ("--agent codex", claude, wrong),
        ("--agent claude", claude, ""),
        ("", claude, ""),
        // Nothing tells whose payload it is.
        ("--agent codex", "/t.jsonl", ""),
        ("--event PostToolUse", claude, "--event PostToolUse is ignored: this event is PreToolUse in Claude Code"),
        ("--event PreToolUse", claude, ""),
    ] {
        let line = format!("adapt --from claude {options} -- hooks/guard.sh");
        let passed = sandbox.run_with(&line, &of(path, "ls")).assert_status(0);
        assert_eq!(passed.stderr.lines().count(), usize::from(!told.is_empty()), "{line}: {passed}");
        assert!(passed.stderr.contains(told), "{line}: {passed}");
        let refused = sandbox.run_with(&line, &of(path, "rm -rf build")).assert_status(2);
        assert!(refused.stderr.contains("no rm -rf") && refused.stderr.contains(told), "{line}: {refused}");
    }
    let log = std::fs::read_to_string(sandbox.home.join(".local/state/hookbench/adapt.log")).unwrap();
    assert_eq!(log.matches(wrong).count(), 2, "{log}");
}

/// A script that does not read its payload, and one that prints without end.
#[test]
fn large_streams() {
    let sandbox = sandbox();
    sandbox.script("hooks/deaf.sh", "#!/bin/sh\necho no >&2\nexit 2\n");
    let long = "x".repeat(2_000_000);
    for agent in agents() {
        let line = format!("adapt --from claude --agent {agent} -- hooks/deaf.sh");
        sandbox.run_with(&line, &payload(agent, &long)).assert_status(2).assert_stderr(&["no"]);
    }
    sandbox.script("hooks/loud.sh", "#!/bin/sh\nhead -c 90000000 /dev/zero\nexit 0\n");
    let loud = sandbox.run_with("adapt --from claude --agent qwen -- hooks/loud.sh", &payload("qwen", "ls"));
    assert!(loud.status == 0 && loud.raw.len() <= 64 << 20, "exit {}, {} bytes", loud.status, loud.raw.len());
}

/// An agent that ends the hook ends the script.
#[test]
fn the_script_ends_with_the_hook() {
    let sandbox = sandbox();
    sandbox.script("hooks/slow.sh", "#!/bin/sh\necho $$ > pid\nexec sleep 600\n");
    let args = ["adapt", "--from", "claude", "--", "hooks/slow.sh"].map(str::to_owned);
    let mut hook = sandbox.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(&payload("claude", "ls")).unwrap();
    let pid = loop {
        let pid = std::fs::read_to_string(sandbox.project.join("pid")).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid.trim().to_owned();
        }
        std::thread::yield_now();
    };
    let kill = |signal: &str, pid: &str| Command::new("kill").args([signal, pid]).status().unwrap().success();
    assert!(kill("-TERM", &hook.id().to_string()));
    let mut rest = String::new();
    BufReader::new(hook.stdout.take().unwrap()).read_line(&mut rest).unwrap();
    assert_eq!(hook.wait().unwrap().code(), Some(143));
    let alive = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(!alive, "the script {pid} still runs");
}

/// `fire` decides with the adapted script, and the other commands name it instead of the adapter.
#[test]
fn the_workbench_looks_through_it() {
    let program = env!("CARGO_BIN_EXE_hookbench");
    for agent in agents().filter(|agent| *agent != "claude") {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.script("hooks/guard.sh", GUARD);
        let hook = |command: &str| {
            let hook = json!({"type": "command", "command": command});
            json!({"hooks": {"@tool": [{"matcher": "*", "hooks": [hook]}]}}).to_string()
        };
        let python = "import json, sys\ne = json.load(sys.stdin)\nif e['tool_name'] == 'Bash':\n    sys.exit(2)\n";
        sandbox.script("hooks/name.py", &format!("#!/usr/bin/env python3\n{python}"));
        sandbox.settings(&hook(&format!("{program} adapt --from claude -- hooks/guard.sh")));
        let words = agent_words::words_of(agent);
        let fire = |command: &str| {
            let line = format!(
                "fire {} --agent {agent} --tool {} --set 'tool_input.command={command}' --yes --format json",
                words.tool, words.shell_id
            );
            sandbox.run(&line).assert_status(0).json()["outcome"]["verdict"].clone()
        };
        assert_eq!((fire("rm -rf build"), fire("ls")), (json!("deny"), json!("no_objection")), "{agent}");
        let why = sandbox.run(&format!("why guard.sh @tool --agent {agent}")).assert_status(0);
        assert!(why.stdout.contains("hookbench adapt starts hooks/guard.sh"), "{why}");
        // Lint reads the script as a hook of its own agent.
        let unsent = |command: &str| {
            sandbox.settings(&hook(command));
            sandbox.run(&format!("lint --agent {agent}")).stdout.matches("never sends").count()
        };
        let direct = unsent("hooks/name.py");
        assert_eq!(unsent(&format!("{program} adapt --from claude -- hooks/name.py")), 0, "{agent}");
        assert_eq!(direct, usize::from(words.shell_id != "Bash"), "{agent}");
    }
}

/// If the script cannot start, or the arguments have a mistake, `lint` and `why` predict what the agent then does.
#[test]
fn failures_are_predicted_as_they_happen() {
    let program = env!("CARGO_BIN_EXE_hookbench");
    for agent in agents().filter(|agent| *agent != "claude") {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.file("hooks/closed.sh", GUARD);
        for (arguments, says) in [
            ("--from claude -- hooks/none.sh", "hooks/none.sh does not exist"),
            ("--from claude -- hooks/closed.sh", "hooks/closed.sh is not executable"),
            ("--from nobody -- hooks/closed.sh", "hookbench adapt does not start the script: unknown agent nobody"),
            ("--from claude hooks/closed.sh", "hookbench adapt does not start the script: write -- before the script"),
        ] {
            let hook = json!({"type": "command", "command": format!("{program} adapt {arguments}")});
            sandbox.settings(&json!({"hooks": {"@tool": [{"matcher": "*", "hooks": [hook]}]}}).to_string());
            let fired = sandbox.run(&format!("fire @tool --agent {agent} --tool Bash --yes --format json"));
            assert_eq!(fired.json()["outcome"]["verdict"], "failed_open", "{agent} {arguments}");
            let lint = sandbox.run(&format!("lint --agent {agent}"));
            let is_honest =
                lint.stdout.contains("continues as if there were no hook") && !lint.stdout.contains("denial");
            assert!(lint.stdout.contains(says) && is_honest, "{agent} {arguments}: {lint}");
            let why = sandbox.run(&format!("why h1 @tool --agent {agent}"));
            let step = why.stdout.lines().find(|line| line.contains("9 command")).unwrap_or_default();
            assert!(step.contains(" NO ") && step.contains(says), "{agent} {arguments}: {why}");
        }
    }
}
