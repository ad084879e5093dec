//! Ctrl-C and termination signals: running hooks are ended, and the exit status reports it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, split_words};
use crate::{agent_words, for_each_agent};

/// Fires a hook that never ends, and signals the program after the hook's first output. Returns the exit status and
/// the hook's process id.
fn fire_and_signal(agent: &str, command: &str, signal: Signal) -> (Option<i32>, String) {
    let sandbox = Sandbox::for_agent(agent);
    // Seconds in some agents, milliseconds in others; one kills at once what is over 2,147,483 s, another one refuses that.
    let timeout = if agent == "kimi" { 600 } else { 2_000_000 };
    let settings = json!({"hooks": {"@prompt": [{"hooks": [
        {"type": "command", "command": command, "timeout": timeout},
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
            assert_eq!(status, Some(130), "{agent}, {signal:?}");
            assert!(is_gone(&hook), "{agent}, {signal:?}: the hook is still there");
        }
    });
}

/// Starts a command, signals it after its first line on stderr, and returns its exit status and all of stderr.
fn signal_after_first_line(sandbox: &Sandbox, line: &str, signal: Signal) -> (Option<i32>, String) {
    let words: Vec<String> = split_words(line);
    let mut child =
        sandbox.command(&words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    stderr.read_line(&mut text).unwrap();
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
    stderr.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().code(), text)
}

/// The file has a few events, and then a line that takes longer to read than a user waits.
#[test]
fn an_import_ends_with_a_signal_and_says_what_stays() {
    let transcript =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/claude-transcript/made.jsonl"));
    for signal in [Signal::INT, Signal::TERM] {
        let sandbox = Sandbox::new();
        sandbox.file("big.jsonl", transcript.as_ref().unwrap()).file("out.jsonl", "precious\n");
        let big = std::fs::OpenOptions::new().write(true).open(sandbox.project.join("big.jsonl")).unwrap();
        big.set_len(1 << 40).unwrap();
        let (status, says) = signal_after_first_line(&sandbox, "import big.jsonl", signal);
        assert_eq!(status, Some(130), "{says}");
        assert!(says.starts_with("reading file 1 of 1, 0 %"), "{says}");
        assert!(
            says.contains("stopped: ") && says.contains("stay") && says.contains("stores no event twice"),
            "{says}"
        );
        let (status, says) = signal_after_first_line(&sandbox, "import big.jsonl --to out.jsonl", signal);
        assert_eq!(status, Some(130), "{says}");
        assert!(says.contains("stopped: out.jsonl is as it was before"), "{says}");
        assert_eq!(std::fs::read_to_string(sandbox.project.join("out.jsonl")).unwrap(), "precious\n");
        let names = std::fs::read_dir(&sandbox.project).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<_> =
            names.filter(|name| !["big.jsonl", "out.jsonl"].iter().any(|known| name == known)).collect();
        assert!(names.iter().all(|name| !name.to_string_lossy().starts_with(".tmp")), "{names:?}");
    }
}

/// More hooks than start in one step, and more than run at the same time.
#[test]
fn many_hooks_all_run_with_their_own_results() {
    let sandbox = Sandbox::new();
    let hooks: Vec<Value> = (0..600).map(|n| json!({"type": "command", "command": format!("echo {n}")})).collect();
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}});
    sandbox.settings(&settings.to_string());
    let fired = sandbox.run("fire PreToolUse --tool Bash --yes --format jsonl");
    assert_eq!(fired.status, 0, "{fired}");
    let lines: Vec<Value> = fired.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<String> = (1..=600).map(|n| format!("h{n}")).collect();
    let started = lines.iter().filter(|line| line["kind"] == "started").map(|line| line["hook"].as_str().unwrap());
    assert_eq!(started.collect::<BTreeSet<_>>(), ids.iter().map(String::as_str).collect());
    let firing = &lines.last().unwrap()["firing"];
    let mut runs: Vec<(String, i64)> = firing["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| {
            let said = format!("{} {}", run["hook"].as_str().unwrap(), run["stdout"].as_str().unwrap());
            (said, run["exit"]["code"].as_i64().unwrap())
        })
        .collect();
    let mut wanted: Vec<(String, i64)> = (0..600).map(|n| (format!("h{} {n}\n", n + 1), 0)).collect();
    runs.sort();
    wanted.sort();
    assert_eq!(runs, wanted);
    assert_eq!(firing["outcome"]["verdict"], "no_objection");
}

/// More hooks than run at the same time: progress is shown at once, and a signal names what ran and what did not.
#[test]
fn many_hooks_show_progress_and_end_with_a_signal() {
    let sandbox = Sandbox::new();
    let hooks: Vec<Value> =
        (0..600).map(|n| json!({"type": "command", "command": format!("sleep 3600 # {n}")})).collect();
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}).to_string());
    for format in ["text", "jsonl"] {
        let line = format!("fire PreToolUse --tool Bash --yes --format {format}");
        let (status, says) = signal_after_first_line(&sandbox, &line, Signal::INT);
        assert_eq!(status, Some(130), "{says}");
        assert!(says.starts_with("starting 600 hooks\n"), "{says}");
        assert!(says.contains("stopped before the end; the agent's decision is unknown"), "{says}");
        // Each hook is counted once.
        let counts = says.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()?.parse::<usize>().ok());
        assert_eq!(counts.sum::<usize>(), 600, "{says}");
        assert!(says.contains(" not started: "), "{says}");
    }
}

/// A signal is handled even while output floods in and the program is rarely idle.
#[test]
fn a_signal_is_heard_in_a_flood() {
    for_each_agent(|agent| {
        let (status, hook) = fire_and_signal(agent, "echo $$; while :; do echo flood; done", Signal::INT);
        assert_eq!(status, Some(130), "{agent}");
        assert!(is_gone(&hook), "{agent}: the hook is still there");
    });
}

/// Large settings are announced before anything of them is read: these cannot even be parsed.
#[test]
fn large_settings_are_announced_before_they_are_read() {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.settings(&format!("{{ \"hooks\": {}", " ".repeat(70 * 1024)));
    let fired = sandbox.run("fire PreToolUse --tool Bash --agent claude --yes");
    assert_eq!(fired.stderr.lines().next(), Some("reading 70 KiB of settings"), "{fired}");
}

/// What a killed process left behind is removed by the next command that could leave something: the hook waits for it.
#[test]
fn a_firing_removes_what_killed_processes_left() {
    let sandbox = Sandbox::for_agent("claude");
    let temporary = sandbox.home.join("tmp");
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    // Ids mean something only in their own name space, so the names say which.
    #[cfg(target_os = "linux")]
    let names = std::os::unix::fs::MetadataExt::ino(&std::fs::metadata("/proc/self/ns/pid").unwrap());
    #[cfg(not(target_os = "linux"))]
    let names = 0;
    let name = |prefix| format!("{prefix}-{}-{names}-x", ended.id());
    let left = ["hookbench-run", "hookbench-demo"].map(|prefix| temporary.join(name(prefix)));
    for directory in &left {
        std::fs::create_dir_all(directory.join("copy")).unwrap();
    }
    let command = format!(
        "while ls -d '{}' >/dev/null 2>&1 || ls -d '{}' >/dev/null 2>&1; do :; done",
        left[0].display(),
        left[1].display()
    );
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command, "timeout": 60}]}]}});
    sandbox.program("ls").settings(&settings.to_string());
    let words = split_words("fire PreToolUse --tool Bash --agent claude --yes");
    let fired = sandbox.command(&words).env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(fired.status.code(), Some(0), "{fired:?}");
    assert!(left.iter().all(|directory| !directory.exists()));
}
