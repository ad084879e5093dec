//! `cargo bench --bench live -- [SECONDS]`: the live path with the real server in a separate process.
//!
//! The first part measures the time of a forwarding hook, alternating with programs that do nothing, so that all run
//! under the same conditions. The second sends 200 events a second with 100 kB each for SECONDS (default 10), from
//! clients that follow the clock: a late answer does not delay the next event.
//!
//! Budget, for comparison and never asserted: without a server at most 2 × `/bin/true`, with one at most 3 ×; 99 of
//! 100 answers under 10 ms; constant memory and number of open files.
#![allow(clippy::disallowed_methods, reason = "measures real processes")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hookbench::core::live::http::{ResponseProgress, ResponseReader, write_request};

/// Number of memory samples.
const PARTS: u32 = 6;
const TURNS: usize = 200;
const RATE: u32 = 200;
const BYTES: usize = 100_000;
const CLIENTS: u64 = 16;

fn main() {
    let seconds = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(10);
    let root = tempfile::tempdir().unwrap();
    fs::DirBuilder::new().mode(0o700).create(root.path().join("run")).unwrap();
    let socket = root.path().join("run/h.sock");
    let mut server = serve(root.path(), &socket);
    waiting(root.path(), &socket);
    many(&server, &socket, seconds);
    server.kill().unwrap();
    server.wait().unwrap();
}

/// Starts a server and waits until it is ready.
fn serve(home: &Path, socket: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(["serve", "--format", "jsonl", "--socket"]).arg(socket).env_clear().env("HOME", home);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    // The output must be read, or the server would block.
    std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    child
}

/// Measures the time that an agent waits.
fn waiting(home: &Path, socket: &Path) {
    let payload = format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/work","tool_name":"Bash","tool_input":{{"command":"{}"}}}}"#,
        "x".repeat(1_900)
    );
    let forward = |socket: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
        command.args(["forward", "--agent", "claude", "--socket"]).arg(socket).env("HOME", home);
        command
    };
    let plain = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args);
        command
    };
    let down: PathBuf = home.join("run/down.sock");
    let mut all = [
        ("/bin/true", plain("/bin/true", &[]), Vec::new()),
        ("forward, no server", forward(&down), Vec::new()),
        ("forward, hookbench serve", forward(socket), Vec::new()),
        ("python3 -c pass", plain("python3", &["-c", "pass"]), Vec::new()),
        ("node -e ''", plain("node", &["-e", ""]), Vec::new()),
    ];
    for _ in 0..TURNS {
        for (_, command, times) in &mut all {
            times.extend(run(command, payload.as_bytes()));
        }
    }
    let base = median(&mut all[0].2);
    for (name, _, times) in &mut all {
        let Some(middle) = median(times) else {
            println!("{name:26} is not here");
            continue;
        };
        let ratio = base.map_or(0.0, |base| middle.as_secs_f64() / base.as_secs_f64());
        println!("{name:26} median {:6.2} ms   {ratio:5.2} × /bin/true", middle.as_secs_f64() * 1e3);
    }
}

fn median(times: &mut [Duration]) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
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

/// Sends many events at a fixed rate.
fn many(server: &Child, socket: &Path, seconds: u32) {
    let payload = format!(r#"{{"tool_name":"Read","tool_response":"{}"}}"#, "x".repeat(BYTES));
    let body = format!(
        r#"{{"schemaVersion":1,"provider":"claude","event":"post_tool_use","providerRef":"bench","projectPath":"/work","receivedAt":"2026-11-20T12:00:00.000Z","payload":{payload}}}"#
    );
    let mut request = write_request("POST", "/v1/hooks", &[("Content-Type", "application/json")], body.len());
    request.extend_from_slice(body.as_bytes());
    let (request, next, total) = (Arc::new(request), Arc::new(AtomicU64::new(0)), u64::from(RATE * seconds));
    let (memory, files) = (memory(server), files(server));
    let began = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (request, next, socket) = (Arc::clone(&request), Arc::clone(&next), socket.to_owned());
            std::thread::spawn(move || {
                let mut times = Vec::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= total {
                        return times;
                    }
                    let due = began + Duration::from_micros(n * 1_000_000 / u64::from(RATE));
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    answered(&socket, &request);
                    times.push(due.elapsed());
                }
            })
        })
        .collect();
    // Memory counts as constant if the end is not above the middle.
    let parts: Vec<u64> = (1..=PARTS)
        .map(|part| {
            let then = began + Duration::from_secs(u64::from(seconds)) * part / PARTS;
            std::thread::sleep(then.saturating_duration_since(Instant::now()));
            self::memory(server)
        })
        .collect();
    let mut times: Vec<Duration> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
    let took = began.elapsed();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("\n{} events of {BYTES} bytes in {:.1} s", times.len(), took.as_secs_f64());
    println!("answered after   median {:.2} ms   99 of 100 {:.2} ms   most {:.2} ms", at(50), at(99), at(100));
    println!("memory           {memory} kB before, {parts:?} kB on the way, at most {}", of(server, "VmHWM:"));
    println!("open files       {files} before, {} after", self::files(server));
    println!("health           {}", health(socket));
}

fn answered(socket: &Path, request: &[u8]) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(request).unwrap();
    let response = read(&mut stream);
    assert!(response.starts_with(r#"{"decision":"observe""#), "{response}");
}

fn read(stream: &mut UnixStream) -> String {
    let (mut reader, mut piece) = (ResponseReader::default(), [0; 16 * 1024]);
    loop {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "the server has hung up");
        if let ResponseProgress::Done(response) = reader.push(&piece[..count]).unwrap() {
            return String::from_utf8(response.body).unwrap();
        }
    }
}

fn health(socket: &Path) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(&write_request("GET", "/v1/health", &[], 0)).unwrap();
    read(&mut stream)
}

fn memory(server: &Child) -> u64 {
    of(server, "VmRSS:").split(' ').next().unwrap().parse().unwrap()
}

fn of(server: &Child, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned()
}

fn files(server: &Child) -> usize {
    fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count()
}
