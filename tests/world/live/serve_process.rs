//! `hookbench serve` as a process in the home directory of a desk: its printed facts, requests, and its exit.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hookbench::app::live::LiveFact;
use hookbench::core::live::http::{HttpResponse, ResponseProgress, ResponseReader, write_request};
use hookbench::store::{CapturedEvent, OpenMode, Store};
use serde_json::Value;

use crate::live::live_sandbox::LiveSandbox;

/// The timeout for one fact. A test that reaches it fails.
const HANGS: Duration = Duration::from_secs(120);

pub struct ServeProcess {
    child: Child,
    facts: Receiver<LiveFact>,
    socket: PathBuf,
}

impl LiveSandbox {
    /// The command that serves at this desk's socket.
    pub fn serve_command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
        command.args(["serve", "--format", "jsonl", "--socket"]).arg(self.socket());
        command.env_clear().env("HOME", self.home()).current_dir(self.root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a server and waits until it is ready.
    pub fn start_server(&self) -> ServeProcess {
        self.start_server_with(self.serve_command())
    }

    pub fn start_server_with(&self, mut command: Command) -> ServeProcess {
        let mut child = command.spawn().unwrap();
        let (sender, facts) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        let server = ServeProcess { child, facts, socket: self.socket() };
        server.wait_for(|fact| matches!(fact, LiveFact::Serving { .. }));
        server
    }

    /// The store's file.
    pub fn store(&self) -> PathBuf {
        self.home().join(".local/state/hookbench/hookbench.db")
    }

    /// Returns the captured events with payloads, oldest first.
    pub fn captured(&self) -> Vec<CapturedEvent> {
        let store = Store::open(&self.store(), OpenMode::Read).unwrap();
        let all = store.captured_events(0, None, None, 100_000).unwrap();
        all.into_iter().map(|one| store.captured_event(&one.id).unwrap().unwrap()).collect()
    }

    /// Writes breakpoints to the user's settings.
    pub fn breakpoints(&self, text: &str) {
        self.write_config(text);
    }
}

impl ServeProcess {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next fact that matches, and skips those before it.
    pub fn wait_for(&self, holds: impl Fn(&LiveFact) -> bool) -> LiveFact {
        loop {
            let fact = self.facts.recv_timeout(HANGS).expect("the server says no more");
            if holds(&fact) {
                return fact;
            }
        }
    }

    /// Waits for the next held event and returns its id.
    pub fn wait_for_held(&self) -> String {
        match self.wait_for(|fact| matches!(fact, LiveFact::Held(_))) {
            LiveFact::Held(held) => held.arrived.id,
            _ => unreachable!("it was looked for"),
        }
    }

    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Ends the server with SIGTERM and returns its status.
    pub fn terminate(mut self) -> Option<i32> {
        self.signal("TERM");
        self.child.wait().unwrap().code()
    }

    /// Ends the server with SIGTERM and returns its status and its stderr, which must be a pipe.
    pub fn terminate_with_stderr(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        let mut says = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut says).unwrap();
        (self.child.wait().unwrap().code(), says)
    }

    /// Waits until the server has ended.
    pub fn wait_for_end(mut self) {
        self.child.wait().unwrap();
    }

    /// Kills the server.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn get(&self, target: &str) -> Value {
        let response = self.ask("GET", target, &[], b"");
        assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
        serde_json::from_slice(&response.body).unwrap()
    }

    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> HttpResponse {
        let bytes = [write_request(method, target, headers, body.len()), body.to_vec()].concat();
        send(&self.socket, &bytes)
    }

    /// Posts an envelope as a client that understands every decision.
    pub fn post(&self, body: &Value) -> HttpResponse {
        let all = "observe, replace, allow, deny, ask, modify, halt, raw";
        let headers = [JSON, ("Hookbench-Accept", all), ("Hookbench-Budget", "ack=60000, hold=60000")];
        self.ask("POST", "/v1/hooks", &headers, body.to_string().as_bytes())
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Sends these bytes and returns the response.
pub fn send(socket: &Path, bytes: &[u8]) -> HttpResponse {
    let mut stream = UnixStream::connect(socket).unwrap();
    // A server that refuses early does not read the rest.
    let _ = stream.write_all(bytes);
    answer(&mut stream)
}

pub fn answer(stream: &mut UnixStream) -> HttpResponse {
    let (mut reader, mut piece) = (ResponseReader::default(), [0; 16 * 1024]);
    loop {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "the server has hung up");
        let mut progress = reader.push(&piece[..count]).unwrap();
        while progress == ResponseProgress::Processing {
            progress = reader.push(&[]).unwrap();
        }
        if let ResponseProgress::Done(response) = progress {
            return response;
        }
    }
}

/// An envelope.
pub fn envelope(event: &str, payload: &Value) -> Value {
    serde_json::json!({
        "schemaVersion": 1, "provider": "claude", "event": event, "providerRef": "s1", "projectPath": "/work",
        "receivedAt": "2026-11-20T12:00:00.000Z", "payload": payload,
    })
}
