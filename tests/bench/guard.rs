//! `cargo bench --bench guard`: the time of `hookbench guard` without a transcript, and with one of 50 MB, compared with a
//! program that does nothing; and the memory with transcripts of 1 to 200 MB.
//!
//! Real processes, one after the other, alternating, so that all run under the same conditions. hookbench is a copy, as
//! installers make one. A file that lies in the page cache in single pages takes up to a third longer to start: one that
//! the linker has just written, or that was only ever loaded by starting it.
//! The bench reports medians.
//!
//! Budget, for comparison and never asserted: without a transcript at most 3 × `/bin/true` and 20 ms, with one of 50 MB
//! at most 150 ms; the memory does not grow with the transcript.
#![allow(clippy::disallowed_methods, reason = "measures real processes")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

const TURNS: usize = 100;
/// The size of the transcript in bytes.
const TRANSCRIPT: usize = 50 << 20;

fn main() {
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("hookbench");
    std::fs::copy(env!("CARGO_BIN_EXE_hookbench"), &program).unwrap();
    let transcript = root.path().join("t.jsonl");
    write_transcript(&transcript, TRANSCRIPT);
    let command = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/work", "tool_name": "Bash",
        "tool_input": {"command": format!("cargo test {}", "x".repeat(1_900))}});
    let write = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/work", "tool_name": "Write",
        "tool_input": {"file_path": "/work/a.py", "content": "def f(x):\n    return x  # noqa\n".repeat(3_000)}});
    let small = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/work", "tool_name": "Write",
        "tool_input": {"file_path": "/work/a.py", "content": "def f(x):\n    return x + 1\n".repeat(70)}});
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/work", "transcript_path": transcript,
        "last_assistant_message": "Everything works."});
    let edit = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/work", "tool_name": "Write",
        "transcript_path": transcript, "tool_input": {"file_path": "/work/b.py", "content": "x\n".repeat(20)}});
    let guard = |name: &str| {
        let mut command = Command::new(&program);
        command.args(["guard", name, "--agent", "claude", "--mode", "deny", "--rules", "all"]).env("HOME", root.path());
        command
    };
    let mut all = [
        ("/bin/true", Command::new("/bin/true"), String::new(), Vec::new()),
        ("malicious, a command", guard("malicious"), command.to_string(), Vec::new()),
        ("quality, 2 kB", guard("quality"), small.to_string(), Vec::new()),
        ("quality, 90 kB", guard("quality"), write.to_string(), Vec::new()),
        ("response, 50 MB", guard("response"), stop.to_string(), Vec::new()),
        ("research, 50 MB", guard("research"), edit.to_string(), Vec::new()),
    ];
    for _ in 0..TURNS {
        for (_, command, payload, times) in &mut all {
            times.push(run(command, payload.as_bytes()));
        }
    }
    for (name, _, _, times) in &mut all {
        times.sort();
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
        println!("{name:22} median {:6.2} ms   95 of 100 {:6.2} ms   least {:6.2} ms", at(50), at(95), at(0));
    }
    print_memory(root.path());
}

/// Runs a command and prints its largest memory in kB.
const MEASURE: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

fn print_memory(root: &Path) {
    for megabytes in [1, 10, 50, 200] {
        let transcript = root.join(format!("{megabytes}.jsonl"));
        write_transcript(&transcript, megabytes << 20);
        let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/work", "transcript_path": transcript,
            "last_assistant_message": "Everything works."});
        let mut command = Command::new("python3");
        command.args(["-c", MEASURE, env!("CARGO_BIN_EXE_hookbench"), "guard", "response", "--agent", "claude"]);
        command.args(["--mode", "deny", "--rules", "all"]).env("HOME", root);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stop.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let memory = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        println!("response, {megabytes:3} MB       at most {memory} kB of memory");
        std::fs::remove_file(&transcript).unwrap();
    }
}

fn run(command: &mut Command, payload: &[u8]) -> Duration {
    let began = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // A program that does not read stdin may have exited.
    let _ = child.stdin.take().unwrap().write_all(payload);
    let mut out = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    child.wait().unwrap();
    began.elapsed()
}

/// Writes a session with many calls and outputs of some kilobytes, and one prompt at its beginning.
fn write_transcript(path: &Path, size: usize) {
    let mut text = String::new();
    let output = "a line of output\n".repeat(200);
    let mut number = 0;
    while text.len() < size {
        let content = match number % 3 {
            0 if number == 0 => json!("fix it"),
            0 => json!([{"type": "text", "text": "Next."}]),
            1 => {
                json!([{"type": "tool_use", "id": format!("c{number}"), "name": "Read", "input": {"file_path": "/work/a.py"}}])
            }
            _ => json!([{"type": "tool_result", "tool_use_id": format!("c{}", number - 1), "content": output}]),
        };
        let kind = if number == 0 || number % 3 == 2 { "user" } else { "assistant" };
        let record = json!({"type": kind, "uuid": format!("u{number}"), "sessionId": "s", "message": {"role": kind, "content": content}});
        writeln!(text, "{record}").unwrap();
        number += 1;
    }
    std::fs::write(path, text).unwrap();
}
