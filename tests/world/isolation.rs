//! Isolated programs: what they cannot write, reach and see. Skipped where the system does not allow namespaces.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use hookbench::isolation::{Bind, IsolationSpec, OUTER_STAGE, PREPARATION_FAILED, slow_disk_prefix};
use tempfile::TempDir;

/// The directories of a test: `root` for the file system, `source` which the program sees as `copy`, and `outside`.
fn directories() -> TempDir {
    let base = TempDir::new().unwrap();
    for name in ["root", "source", "copy", "outside"] {
        fs::create_dir(base.path().join(name)).unwrap();
    }
    base
}

/// Runs a script of the shell in isolation. `None` if the system does not allow namespaces.
fn run(base: &Path, script: &str) -> Option<Output> {
    run_with(base, script, "")
}

/// The same, with a text on stdin.
fn run_with(base: &Path, script: &str, stdin: &str) -> Option<Output> {
    let copy = base.join("copy");
    let bind = Bind { source: base.join("source"), target: copy.clone(), writable: true };
    let spec = IsolationSpec {
        root: Some(base.join("root")),
        binds: vec![bind],
        directory: copy,
        stdin: stdin.to_owned(),
        ..IsolationSpec::default()
    };
    let file = base.join("spec.json");
    spec.write(&file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
    let output = command.arg(OUTER_STAGE).arg(&file).args(["--", "/bin/sh", "-c", script]).output().unwrap();
    if output.status.code() != Some(i32::from(PREPARATION_FAILED)) {
        return Some(output);
    }
    let others =
        Command::new("unshare").args(["--user", "--map-root-user", "--net", "--mount", "--pid", "true"]).output();
    let is_allowed = others.is_ok_and(|others| others.status.success());
    assert!(!is_allowed, "other programs can create namespaces here: {}", text(&output.stderr));
    None
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn only_listed_directories_can_be_written() {
    let base = directories();
    let outside = base.path().join("outside/file");
    let script = format!(
        "echo here > file; for path in '{}' /etc/hookbench-test /proc/sys/kernel/hostname; do \
         (echo x > \"$path\") 2>/dev/null && echo \"wrote $path\"; done; true",
        outside.display()
    );
    let Some(output) = run(base.path(), &script) else { return };
    assert_eq!((text(&output.stdout), output.status.code()), (String::new(), Some(0)), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(base.path().join("source/file")).unwrap(), "here\n");
    assert!(!outside.exists() && !Path::new("/etc/hookbench-test").exists());
}

#[test]
fn stdin_is_the_text_of_the_specification() {
    let long = "x".repeat(200_000);
    for (stdin, script, said) in [
        ("", "cat; echo end", "end\n"),
        ("two\nlines\n", "cat; echo end", "two\nlines\nend\n"),
        // More than a pipe holds, and a program that reads none of it.
        (long.as_str(), "wc -c", "200000\n"),
        (long.as_str(), "echo end", "end\n"),
    ] {
        let base = directories();
        let Some(output) = run_with(base.path(), script, stdin) else { return };
        assert_eq!(
            (text(&output.stdout), output.status.code()),
            (said.to_owned(), Some(0)),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn the_machine_is_not_reachable() {
    let base = directories();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 5)\" 2>&1 | tail -n 1; \
         tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"
    );
    let Some(output) = run(base.path(), &script) else { return };
    let said = text(&output.stdout);
    assert!(said.starts_with("ConnectionRefusedError"), "{said}");
    assert_eq!(said.lines().skip(1).collect::<Vec<_>>(), ["lo"]);
}

/// A socket in a file system that is only read-only would still accept connections.
#[test]
fn no_socket_or_pipe_of_the_machine_is_reachable() {
    let base = directories();
    let outside = base.path().join("outside");
    let _stream = UnixListener::bind(outside.join("stream")).unwrap();
    let _datagram = UnixDatagram::bind(outside.join("datagram")).unwrap();
    assert!(Command::new("mkfifo").arg(outside.join("pipe")).status().unwrap().success());
    let _reader = fs::File::options().read(true).write(true).open(outside.join("pipe")).unwrap();
    let script = format!(
        r#"
import os, socket
os.chdir("{}")
def reached(name, act):
    try:
        act()
        print(name)
    except OSError:
        pass
reached("stream", lambda: socket.socket(socket.AF_UNIX).connect("stream"))
reached("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect("datagram"))
reached("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect("datagram"))
reached("machine", lambda: socket.socket(40, socket.SOCK_STREAM))
reached("pipe", lambda: os.open("pipe", os.O_WRONLY | os.O_NONBLOCK))
# What programs use among themselves.
reached("own pair", socket.socketpair)
reached("own network", socket.socket)
reached("own pipe", os.pipe)
reached("nothing", lambda: open("/dev/null", "w"))
"#,
        outside.display()
    );
    let file = base.path().join("source/reach.py");
    fs::write(&file, script).unwrap();
    // Without isolation, the script reaches what there is.
    let free = Command::new("python3").arg(&file).output().unwrap();
    let said = text(&free.stdout);
    for name in ["stream", "datagram", "pair", "pipe"] {
        assert!(said.lines().any(|line| line == name), "{name}: {said} {}", text(&free.stderr));
    }
    let Some(output) = run(base.path(), "python3 reach.py") else { return };
    if let Some(gap) = hookbench::isolation::gaps().into_iter().next() {
        return eprintln!("skipped: isolated programs can {gap} here");
    }
    assert_eq!(text(&output.stdout), "own pair\nown network\nown pipe\nnothing\n", "{}", text(&output.stderr));
}

#[test]
fn only_its_own_processes_are_visible() {
    let base = directories();
    let script = format!("ls -d /proc/[0-9]* | wc -l; test -e /proc/{}/stat && echo visible; true", std::process::id());
    let Some(output) = run(base.path(), &script) else { return };
    let said = text(&output.stdout);
    let count: usize = said.lines().next().and_then(|line| line.trim().parse().ok()).unwrap();
    assert!(count < 8, "{said}");
    assert_eq!(said.lines().nth(1), None, "{said}");
}

#[test]
fn the_exit_status_of_the_program_is_kept() {
    let base = directories();
    let Some(output) = run(base.path(), "echo out; echo err >&2; exit 7") else { return };
    assert_eq!(
        (text(&output.stdout), text(&output.stderr), output.status.code()),
        ("out\n".to_owned(), "err\n".to_owned(), Some(7))
    );
}

/// On a slow disk, a program does what it does elsewhere, and each of its accesses takes at least a millisecond longer.
#[test]
fn a_program_on_a_slow_disk() {
    let prefix = match slow_disk_prefix(Path::new(env!("CARGO_BIN_EXE_hookbench"))) {
        Ok(prefix) => prefix,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let base = directories();
    fs::write(base.path().join("known"), "found").unwrap();
    for (script, stdout, status, least) in [
        ("cat known; exit 3", "found", 3, 1),
        ("cat", "the payload", 0, 1),
        ("echo new > made; cat made; rm made; ls made 2>/dev/null", "new\n", 2, 1),
        ("n=0; while [ $n -lt 200 ]; do [ -e no ]; n=$((n + 1)); done; echo done", "done\n", 0, 200),
        ("kill -KILL $$", "", 137, 1),
        ("missing 2>/dev/null", "", 127, 1),
    ] {
        let started = Instant::now();
        let [program, words @ ..] = prefix.as_slice() else { panic!("{prefix:?}") };
        let mut command = Command::new(program);
        command.args(words).args(["sh", "-c", script]).current_dir(base.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // A script that has ended does not read it.
        let _ = child.stdin.take().unwrap().write_all(b"the payload");
        let output = child.wait_with_output().unwrap();
        let got = (String::from_utf8(output.stdout).unwrap(), output.status.code());
        assert_eq!(got, (stdout.to_owned(), Some(status)), "{script}");
        assert!(started.elapsed() >= Duration::from_millis(least), "{script}");
    }
}
