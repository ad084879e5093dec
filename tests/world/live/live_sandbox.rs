//! A private home directory and socket, `hookbench forward` run there as an agent runs it, and a server controlled by
//! the test.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use hookbench::core::live::http::{RequestHead, read_request, write_response};
use serde_json::Value;
use tempfile::TempDir;

/// An event as an agent sends it.
pub const STOP: &[u8] = br#"{"hook_event_name":"Stop","session_id":"s1","cwd":"/work"}"#;

pub struct LiveSandbox {
    root: TempDir,
}

/// The result of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct ForwardResult {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    /// The problems in the log, in order.
    pub problems: Vec<String>,
}

impl ForwardResult {
    /// The result as without a hook, with these problems in the log.
    pub fn passed(problems: &[&str]) -> ForwardResult {
        ForwardResult {
            status: 0,
            stdout: "{}\n".to_owned(),
            stderr: String::new(),
            problems: problems.iter().map(|problem| (*problem).to_owned()).collect(),
        }
    }
}

/// Arguments, stdin and environment of a run.
#[derive(Default)]
pub struct ForwardInput<'a> {
    pub args: &'a [&'a str],
    pub stdin: &'a [u8],
    pub env: &'a [(&'a str, String)],
    /// Keeps stdin open, so that the payload never ends.
    pub endless: bool,
}

impl LiveSandbox {
    pub fn new() -> LiveSandbox {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        fs::create_dir(root.path().join("run")).unwrap();
        fs::set_permissions(root.path().join("run"), fs::Permissions::from_mode(0o700)).unwrap();
        LiveSandbox { root }
    }

    /// With these deadlines in the user's settings, in milliseconds.
    pub fn with(deadlines: &str) -> LiveSandbox {
        let desk = LiveSandbox::new();
        desk.write_config(&format!("[forward]\n{deadlines}\n"));
        desk
    }

    pub fn write_config(&self, text: &str) {
        let directory = self.home().join(".config/hookbench");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("config.toml"), text).unwrap();
    }

    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub fn socket(&self) -> PathBuf {
        self.root().join("run/h.sock")
    }

    /// Runs `forward` with this socket.
    pub fn forward(&self, agent: &str, stdin: &[u8]) -> ForwardResult {
        let socket = self.socket();
        self.run(&ForwardInput {
            args: &["--agent", agent, "--socket", socket.to_str().unwrap()],
            stdin,
            ..ForwardInput::default()
        })
    }

    pub fn run(&self, given: &ForwardInput<'_>) -> ForwardResult {
        let log = self.home().join(".local/state/hookbench/forward.log");
        let _ = fs::remove_file(&log);
        let mut child = self.command(given).spawn().unwrap();
        let mut stdin = child.stdin.take();
        let (bytes, endless) = (given.stdin.to_vec(), given.endless);
        let writer = std::thread::spawn(move || {
            // The program may exit without reading everything.
            let _ = stdin.as_mut().unwrap().write_all(&bytes);
            endless.then_some(stdin)
        });
        let output = child.wait_with_output().unwrap();
        drop(writer.join().unwrap());
        let log = fs::read_to_string(log).unwrap_or_default();
        let problem = |line: &str| serde_json::from_str::<Value>(line).unwrap()["problem"].as_str().unwrap().to_owned();
        ForwardResult {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            problems: log.lines().map(problem).collect(),
        }
    }

    pub fn command(&self, given: &ForwardInput<'_>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
        command.arg("forward").args(given.args).current_dir(self.root()).env_clear().env("HOME", self.home());
        // Otherwise a server of this machine's user would be found.
        command.env("XDG_RUNTIME_DIR", self.root().join("run"));
        command.envs(given.env.iter().map(|(name, value)| (*name, value.as_str())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a server for one connection: it reads the request and calls `act`.
    pub fn serve(&self, act: impl FnOnce(&mut UnixStream) + Send + 'static) -> ServerThread {
        serve_at(&self.socket(), act)
    }

    /// Starts a server with this answer.
    pub fn answer(&self, body: &str) -> ServerThread {
        let bytes = ok(body);
        self.serve(move |stream| stream.write_all(&bytes).unwrap())
    }
}

/// The received request: head and body.
pub type ServerThread = JoinHandle<(RequestHead, Vec<u8>)>;

pub fn serve_at(path: &Path, act: impl FnOnce(&mut UnixStream) + Send + 'static) -> ServerThread {
    let listener = UnixListener::bind(path).unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = request(&mut stream);
        act(&mut stream);
        request
    })
}

/// A valid response with this body.
pub fn ok(body: &str) -> Vec<u8> {
    write_response(200, "application/json", &[], body.as_bytes())
}

fn request(stream: &mut UnixStream) -> (RequestHead, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 64 * 1024];
    loop {
        if let Some((head, taken)) = read_request(&bytes).unwrap() {
            let length = head.body_length().unwrap();
            if bytes.len() - taken >= length {
                return (head, bytes.split_off(taken));
            }
        }
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "the request ended early: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]));
        bytes.extend_from_slice(&piece[..count]);
    }
}

/// Sends nothing until the client closes the connection.
pub fn wait_for_disconnect(stream: &mut UnixStream) {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
}

/// Sends nothing for some time. Returns true if the client is still connected.
pub fn wait_for_client(stream: &mut UnixStream, milliseconds: u64) -> bool {
    stream.set_read_timeout(Some(Duration::from_millis(milliseconds))).unwrap();
    let there = !matches!(stream.read(&mut [0]), Ok(0));
    stream.set_read_timeout(None).unwrap();
    there
}
