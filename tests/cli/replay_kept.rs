//! The stored results of a replay after a kill, on a full disk, without write permission, and with concurrent
//! programs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use hookbench::core::recorded::RecordedEvent;
use pretty_assertions::assert_eq;
use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::programs::kept_by;
use crate::replay::{event, lines, replay_project, stored_events};
use crate::sandbox::Sandbox;

/// Writes `count` commands, as lines, to `many.jsonl`.
fn many(sandbox: &Sandbox, count: u32) -> Vec<RecordedEvent> {
    let all: Vec<_> = (0..count).map(|n| event(sandbox, n, "Bash", &json!({"command": format!("ls {n}")}))).collect();
    lines(sandbox, "many.jsonl", &all);
    all
}

const REPLAY: [&str; 4] = ["replay", "many.jsonl", "--run", "--yes"];

fn replay(sandbox: &Sandbox) -> Command {
    let mut command = sandbox.command(&REPLAY.map(str::to_owned));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn origins(rows: &[RecordedEvent]) -> Vec<&str> {
    rows.iter().filter_map(|row| row.origin.as_deref()).collect()
}

#[test]
fn finished_runs_survive_a_kill() {
    let sandbox = replay_project("claude");
    let all = many(&sandbox, 6);
    // The fifth hook never ends. It reports its start through a pipe.
    sandbox.file("hooks/guard.sh", "grep -q 'ls 4' || exit 0\necho $$ > spoken\nexec sleep 3600\n");
    let pipe = sandbox.project.join("spoken");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = replay(&sandbox).spawn().unwrap();
    let mut hook = String::new();
    BufReader::new(fs::File::open(&pipe).unwrap()).read_line(&mut hook).unwrap();
    kill_process(kept_by(child.id()), Signal::KILL).unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    let rows = stored_events(&sandbox);
    let want: Vec<&str> = all[..4].iter().map(|event| event.id.as_str()).collect();
    assert_eq!(origins(&rows), want, "those that had ended, and no other");
    assert!(rows.iter().all(|row| row.verdict.as_deref() == Some("no_objection") && row.outcome.is_some()));
    // The store still works.
    sandbox.file("hooks/guard.sh", "exit 0\n");
    assert!(replay(&sandbox).status().unwrap().success());
    assert_eq!(stored_events(&sandbox).len(), 4 + 6);
}

#[test]
fn two_that_replay_while_a_third_imports() {
    let sandbox = replay_project("claude");
    many(&sandbox, 12);
    let others: Vec<_> = (100..400).map(|n| event(&sandbox, n, "Read", &json!({"file_path": "/x"}))).collect();
    lines(&sandbox, "others.jsonl", &others);
    let import = ["import", "others.jsonl"].map(str::to_owned);
    let mut all = vec![replay(&sandbox).spawn().unwrap(), replay(&sandbox).spawn().unwrap()];
    all.push(sandbox.command(&import).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap());
    for child in all {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let rows = stored_events(&sandbox);
    assert_eq!((origins(&rows).len(), rows.len()), (24, 24 + 300));
}

#[test]
fn a_full_disk_is_reported() {
    let sandbox = replay_project("claude");
    many(&sandbox, 40);
    sandbox.file("hooks/guard.sh", "head -c 60000 /dev/urandom\nexit 0\n");
    sandbox.run("import many.jsonl").assert_status(0);
    // The unit is blocks of 512 or 1024 bytes, depending on the shell.
    let mut shell = Command::new("sh");
    let inner = replay(&sandbox);
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 1600; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args());
    shell.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(&sandbox.project);
    let done = shell.output().unwrap();
    let says = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(5), "{says}");
    assert!(says.contains("no space left"), "{says}");
    let rows = stored_events(&sandbox);
    let count = origins(&rows).len();
    assert!(says.contains(&format!("{count} of 40 events were fired and stored")), "{count}: {says}");
    assert!((1..40).contains(&count), "{says}");
    assert_eq!(rows.len(), 40 + count, "what was there before is there still");
}

#[test]
fn without_the_right_to_write_nothing_runs() {
    let sandbox = replay_project("claude");
    many(&sandbox, 2);
    sandbox.run("import many.jsonl").assert_status(0);
    sandbox.file("hooks/guard.sh", "echo ran > ran\nexit 0\n");
    let allow = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let directory = sandbox.home.join("state/hookbench");
    for above in directory.ancestors().take_while(|above| above.starts_with(sandbox.home.parent().unwrap())) {
        allow(above, 0o755);
    }
    allow(&sandbox.project, 0o777);
    allow(&directory.join("hookbench.db"), 0o444);
    allow(&directory, 0o555);
    let mut command = replay(&sandbox);
    if Command::new("id").arg("-u").output().unwrap().stdout == b"0\n" {
        // Root can write everywhere, so another user runs the program.
        command.uid(65534).gid(65534);
    }
    let done = command.output().unwrap();
    allow(&directory, 0o755);
    allow(&directory.join("hookbench.db"), 0o600);
    let says = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(5), "{says}");
    assert!(
        says.contains("it cannot be written") && says.contains("Make the file and its directory writable"),
        "{says}"
    );
    assert!(!sandbox.project.join("ran").exists(), "what cannot be kept is not run");
    assert_eq!(stored_events(&sandbox).len(), 2);
}
