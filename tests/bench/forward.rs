//! `cargo bench --bench forward`: the time of `hookbench forward` and `hookbench adapt`, compared with programs that do
//! nothing.
//!
//! Real processes, one after the other, alternating, so that all run under the same conditions. hookbench is a copy, as
//! installers make one. A file that lies in the page cache in single pages takes up to a third longer to start: one that
//! the linker has just written, or that was only ever loaded by starting it.
//! Each gets a payload of 2 kB, and its output is read to the end. The bench reports medians.
//!
//! Budget, for comparison and never asserted: without a server at most 2 × `/bin/true`, with one at most 3 ×; `adapt` at
//! most 2.5 × more than the script that it runs.
#![allow(clippy::disallowed_methods, reason = "measures real processes")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookbench::core::live::http::{read_request, write_response};

const TURNS: usize = 200;

fn main() {
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("hookbench");
    std::fs::copy(env!("CARGO_BIN_EXE_hookbench"), &program).unwrap();
    let socket = root.path().join("up.sock");
    serve(&socket);
    let payload = format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/work","tool_name":"Bash","tool_input":{{"command":"{}"}}}}"#,
        "x".repeat(1_900)
    );
    let forward = |socket: &Path| {
        let mut command = Command::new(&program);
        command.args(["forward", "--agent", "claude", "--socket"]).arg(socket).env("HOME", root.path());
        command
    };
    let adapt = |from: &str| {
        let mut command = Command::new(&program);
        command.args(["adapt", "--from", from, "--agent", "claude", "--", "/bin/true"]).env("HOME", root.path());
        command
    };
    let plain = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args);
        command
    };
    let mut all = [
        ("/bin/true", plain("/bin/true", &[]), Vec::new()),
        ("forward, no server", forward(&root.path().join("down.sock")), Vec::new()),
        ("forward, a server", forward(&socket), Vec::new()),
        ("adapt, from Qwen Code", adapt("qwen"), Vec::new()),
        ("adapt, from Gemini CLI", adapt("gemini"), Vec::new()),
        ("adapt, from Codex", adapt("codex"), Vec::new()),
        ("python3 -c ''", plain("python3", &["-c", ""]), Vec::new()),
        ("node -e ''", plain("node", &["-e", ""]), Vec::new()),
    ];
    for _ in 0..TURNS {
        for (_, command, times) in &mut all {
            times.extend(run(command, payload.as_bytes()));
        }
    }
    for (name, _, times) in &mut all {
        times.sort();
        let Some(last) = times.len().checked_sub(1) else {
            println!("{name:22} is not here");
            continue;
        };
        let at = |percent: usize| times[(times.len() * percent / 100).min(last)].as_secs_f64() * 1e3;
        println!("{name:22} median {:6.2} ms   95 of 100 {:6.2} ms   least {:6.2} ms", at(50), at(95), at(0));
    }
}

/// Returns `None` if the program does not exist.
fn run(command: &mut Command, payload: &[u8]) -> Option<Duration> {
    let began = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    // A program that does not read stdin may have exited.
    let _ = child.stdin.take().unwrap().write_all(payload);
    let mut out = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    child.wait().unwrap();
    Some(began.elapsed())
}

/// Answers every request with observe.
fn serve(socket: &Path) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        let answer = write_response(200, "application/json", &[], br#"{"decision":"observe"}"#);
        for mut stream in listener.incoming().flatten() {
            let (mut bytes, mut piece) = (Vec::new(), [0; 16 * 1024]);
            while !whole(&bytes) {
                let count = stream.read(&mut piece).unwrap();
                assert!(count > 0, "half a request");
                bytes.extend_from_slice(&piece[..count]);
            }
            let _ = stream.write_all(&answer);
        }
    });
}

fn whole(bytes: &[u8]) -> bool {
    let head = read_request(bytes).unwrap();
    head.is_some_and(|(head, taken)| bytes.len() >= taken + head.body_length().unwrap())
}
