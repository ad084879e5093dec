//! Ctrl-C and termination signals: running hooks are ended, and the exit status reports it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::{agent_words, for_each_agent};

/// Fires a hook that never ends, and signals the program after the hook's first output. Returns the exit status and
/// the hook's process id.
fn fire_and_signal(agent: &str, command: &str, signal: Signal) -> (Option<i32>, String) {
    let sandbox = Sandbox::for_agent(agent);
    let settings = json!({"hooks": {"@prompt": [{"hooks": [
        {"type": "command", "command": command, "timeout": 3_600_000},
    ]}]}});
    sandbox.settings(&settings.to_string());
    let words = ["fire", agent_words::words_of(agent).prompt, "--yes", "--format", "jsonl", "--agent", agent]
        .map(str::to_owned);
    let mut child =
        sandbox.command(&words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut hook = String::new();
    while let Some(Ok(line)) = lines.next() {
        let line: Value = serde_json::from_str(&line).unwrap();
        if line["kind"] == "stdout" {
            line["text"].as_str().unwrap().lines().next().unwrap().clone_into(&mut hook);
            break;
        }
    }
    assert!(!hook.is_empty(), "the hook has not spoken");
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
    // All output must be read, or the program would block.
    lines.for_each(drop);
    (child.wait().unwrap().code(), hook)
}

/// Returns true if the process has ended or is a zombie.
fn is_gone(pid: &str) -> bool {
    let mut state = String::new();
    let Ok(mut file) = std::fs::File::open(Path::new("/proc").join(pid).join("stat")) else { return true };
    file.read_to_string(&mut state).is_err() || state.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
}

#[test]
fn a_signal_ends_the_hooks_and_the_program() {
    for_each_agent(|agent| {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let (status, hook) = fire_and_signal(agent, "echo $$; exec sleep 3600", signal);
            assert_eq!(status, Some(130), "{signal:?}");
            assert!(is_gone(&hook), "{signal:?}: the hook is still there");
        }
    });
}

/// A signal is handled even while output floods in and the program is rarely idle.
#[test]
fn a_signal_is_heard_in_a_flood() {
    for_each_agent(|agent| {
        let (status, hook) = fire_and_signal(agent, "echo $$; while :; do echo flood; done", Signal::INT);
        assert_eq!(status, Some(130));
        assert!(is_gone(&hook), "the hook is still there");
    });
}
