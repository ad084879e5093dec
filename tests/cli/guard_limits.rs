//! The limits of `hookbench guard`: the time that the agent gives it, and the memory that it uses.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::fake_model::FakeReply;
use crate::guard_moderator::Moderated;
use crate::sandbox::{Sandbox, split_words};

/// A shell command before it runs.
fn shell(sandbox: &Sandbox) -> Value {
    json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
           "tool_use_id": "call-1", "cwd": sandbox.project})
}

/// Runs a guard as an agent does, which kills a hook at its time limit. `None` if the limit passes.
fn run_within(sandbox: &Sandbox, limit: Duration, line: &str) -> Option<String> {
    let mut command = sandbox.command(&split_words(line));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(shell(sandbox).to_string().as_bytes()).unwrap();
    let pid = child.id();
    let (sender, done) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match done.recv_timeout(limit) {
        Ok(output) => Some(String::from_utf8(output.unwrap().stdout).unwrap()),
        Err(_) => {
            Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
            None
        }
    }
}

/// A model that does not answer never makes a guard overrun the time limit of its hook: the guard refuses before the
/// agent kills it and continues without an answer.
#[test]
fn a_cold_model_never_makes_a_hook_overrun_its_limit() {
    let sleeping = "command = ['/bin/sh', '-c', '/bin/sleep 1000 & wait']";
    std::thread::scope(|scope| {
        for (seconds, reply, endpoint) in [
            (1, FakeReply::Silent, None),
            (2, FakeReply::Silent, None),
            (3, FakeReply::Silent, None),
            (4, FakeReply::HalfSent, None),
            (5, FakeReply::Dripping, None),
            (4, FakeReply::Silent, Some(sleeping)),
            // A server that fails and then hangs.
            (6, FakeReply::status(503), None),
        ] {
            scope.spawn(move || {
                let all = Moderated::with(vec![reply], "timeout_ms = 60000\nattempts = 10");
                if let Some(endpoint) = endpoint {
                    all.configure(endpoint, "timeout_ms = 60000\nattempts = 10");
                }
                let limit = Duration::from_secs(seconds);
                let line = format!("guard malicious --mode deny --limit {seconds}");
                let answer = run_within(&all.sandbox, limit, &line);
                let answer = answer.unwrap_or_else(|| panic!("the limit of {seconds} s has passed ({endpoint:?})"));
                assert!(answer.contains("MOD-UNAVAILABLE"), "{seconds} s: {answer}");
            });
        }
    });
}

/// A wait for the model ends with its answer, not with the end of another process of the guard.
#[test]
fn the_signal_of_a_child_does_not_end_the_wait_for_a_model() {
    let answers = Arc::new(Barrier::new(2));
    let all = Moderated::with(vec![FakeReply::After(Arc::clone(&answers), "BLOCK: no")], "attempts = 1");
    let mut command = all.sandbox.command(&split_words("guard malicious --mode deny --limit 300"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(shell(&all.sandbox).to_string().as_bytes()).unwrap();
    while all.server.seen().is_empty() {
        std::thread::yield_now();
    }
    for _ in 0..3 {
        Command::new("kill").args(["-CHLD", &child.id().to_string()]).status().unwrap();
    }
    answers.wait();
    let answer = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer.contains("MOD-BLOCK"), "{answer}");
}

/// Runs a command and prints the largest memory of it in kB.
const MEASURE: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

/// Writes a session of so many MB.
fn transcript(sandbox: &Sandbox, megabytes: usize) -> PathBuf {
    let output = "a line of output\n".repeat(200);
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": output});
    let record =
        json!({"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": [result]}});
    let line = format!("{record}\n");
    let name = format!("t{megabytes}.jsonl");
    sandbox.file(&name, line.repeat((megabytes << 20) / line.len()));
    sandbox.project.join(name)
}

/// A guard reads the end of a transcript, so a long session costs no memory.
#[test]
fn memory_does_not_grow_with_the_transcript() {
    let sandbox = Sandbox::new();
    let memory = |megabytes: usize| -> usize {
        let payload = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": sandbox.project,
            "transcript_path": transcript(&sandbox, megabytes), "last_assistant_message": "Everything works."});
        let guard = sandbox.command(&split_words("guard response --mode deny --rules all"));
        let mut measured = Command::new("python3");
        measured.args(["-c", MEASURE]).arg(guard.get_program()).args(guard.get_args());
        // The program that measures is not in the sandbox.
        let env = sandbox.env().into_iter().filter(|(name, _)| *name != "PATH");
        measured.envs(env).current_dir(&sandbox.project).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = measured.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    let (short, long) = (memory(1), memory(50));
    assert!(long * 2 < short * 3, "{short} kB with 1 MB, {long} kB with 50 MB");
}
