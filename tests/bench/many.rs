//! `cargo bench --bench many`: the time of commands in a project with many hooks, each with its own command.
//!
//! Budgets, for comparison and never asserted: 10,000 hooks below 1 s for each command, and 8,000 below ten times of
//! 1,000. Wall time of the built program including its start, medians of five.
//!
//! | command | 1,000 | 8,000 | 10,000 | ratio 8,000 : 1,000 |
//! |---|---|---|---|---|
//! | `list` | 14 ms | 92 ms | 153 ms | 6.7 |
//! | `plan` | 22 ms | 135 ms | 173 ms | 6.2 |
//! | `fire` of one that matches | 27 ms | 143 ms | 208 ms | 5.2 |
//! | `lint` | 92 ms | 512 ms | 609 ms | 5.6 |
//! | `why` | 103 ms | 733 ms | 758 ms | 7.1 |
#![allow(clippy::disallowed_methods, reason = "measures a real process")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookbench::core::dialects;

const ROUNDS: usize = 5;
const SIZES: [usize; 3] = [1_000, 8_000, 10_000];
const COMMANDS: [(&str, &[&str]); 5] = [
    ("list", &["list"]),
    ("plan", &["plan", "PreToolUse", "--tool", "Bash"]),
    ("fire", &["fire", "PreToolUse", "--tool", "Bash", "--yes"]),
    ("lint", &["lint"]),
    ("why", &["why", "echo 7"]),
];

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let projects = SIZES.map(|hooks| {
        let project = directory.path().join(hooks.to_string());
        lay(&project, hooks);
        project
    });
    for (name, arguments) in COMMANDS {
        let [few, many, most] = [0, 1, 2].map(|size| measure(&projects[size], arguments).as_secs_f64());
        println!(
            "{name}: {:.0} ms, {:.0} ms, {:.0} ms; {:.1} times as long for 8 times as many",
            few * 1e3,
            many * 1e3,
            most * 1e3,
            many / few
        );
    }
}

/// A project in which all hooks but one match another tool.
fn lay(project: &Path, hooks: usize) {
    let agent = dialects::ALL.first().unwrap().id();
    let group = |n: usize| {
        let matcher = if n == 7 { "Bash".to_owned() } else { format!("Tool{n}") };
        serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": format!("echo {n}")}]})
    };
    let settings = serde_json::json!({"hooks": {"PreToolUse": (0..hooks).map(group).collect::<Vec<_>>()}});
    let directory = project.join(format!(".{agent}"));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::create_dir(project.join("home")).unwrap();
    std::fs::write(directory.join("settings.json"), settings.to_string()).unwrap();
}

fn measure(project: &Path, arguments: &[&str]) -> Duration {
    let mut all: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let status = Command::new(env!("CARGO_BIN_EXE_hookbench"))
                .args(arguments)
                .args(["--home", project.join("home").to_str().unwrap()])
                .current_dir(project)
                .env("XDG_STATE_HOME", project.join("state"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success(), "{arguments:?}: {status}");
            start.elapsed()
        })
        .collect();
    all.sort();
    all[ROUNDS / 2]
}
