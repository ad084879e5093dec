//! An editor for tests: starts `hookbench server`, sends messages, and waits for what it answers.
#![allow(clippy::needless_pass_by_value, reason = "parameters are written where they are sent")]

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// The time after which a missing message fails the test.
const LIMIT: Duration = Duration::from_secs(120);

/// A running server and what it has sent.
pub struct LanguageClient {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that were received while another one was waited for.
    kept: VecDeque<Value>,
    next_id: i64,
    version: i64,
}

impl LanguageClient {
    /// Starts a server.
    pub fn start(mut command: Command) -> LanguageClient {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = channel();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if stdout.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    match line.trim().split_once(": ") {
                        Some((_, value)) => length = value.parse().unwrap(),
                        None => break,
                    }
                }
                let mut body = vec![0; length];
                stdout.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        LanguageClient { child, stdin, messages, kept: VecDeque::new(), next_id: 0, version: 0 }
    }

    /// Starts a server for folders, with these capabilities of the client. Returns the answer, too.
    pub fn open(command: Command, folders: &[&Path], capabilities: Value) -> (LanguageClient, Value) {
        let mut client = LanguageClient::start(command);
        let folder = |path: &&Path| json!({"uri": uri(path), "name": "project"});
        let folders: Vec<Value> = folders.iter().map(folder).collect();
        let params =
            json!({"processId": null, "rootUri": null, "workspaceFolders": folders, "capabilities": capabilities});
        let answer = client.request("initialize", params);
        client.notify("initialized", json!({}));
        (client, answer)
    }

    /// The id of the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes to the server's stdin.
    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    pub fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"method": method, "params": params}));
    }

    /// Sends a request, and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(json!({"id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    /// Sends a request, and returns its result or its error.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.response(id)
    }

    /// The result or the error of a request.
    pub fn response(&mut self, id: i64) -> Value {
        let answer = self.wait_for(&|message| message["id"] == id && message.get("method").is_none());
        answer.get("result").unwrap_or(&answer["error"]).clone()
    }

    /// The first message that fits, also one that was received before.
    pub fn wait_for(&mut self, fits: &dyn Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.kept.iter().position(fits) {
            return self.kept.remove(index).unwrap();
        }
        loop {
            let message = self.messages.recv_timeout(LIMIT).expect("the server sends the message in time");
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// Opens a document, and returns its diagnostics.
    pub fn open_document(&mut self, path: &Path, text: &str) -> Vec<Value> {
        self.version += 1;
        let document = json!({"uri": uri(path), "languageId": "json", "version": self.version, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.diagnostics(path)
    }

    /// Sends a change without waiting for what it leads to.
    pub fn change(&mut self, path: &Path, change: Value) {
        self.version += 1;
        let document = json!({"uri": uri(path), "version": self.version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
    }

    /// Changes a document, and returns its diagnostics.
    pub fn edit(&mut self, path: &Path, change: Value) -> Vec<Value> {
        self.change(path, change);
        self.diagnostics(path)
    }

    /// The diagnostics of the last text of a document.
    fn diagnostics(&mut self, path: &Path) -> Vec<Value> {
        let (uri, version) = (uri(path), self.version);
        let published = self.wait_for(&|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        published["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Sends a request about a document.
    pub fn at(&mut self, method: &str, path: &Path, more: Value) -> Value {
        let mut params = json!({"textDocument": {"uri": uri(path)}});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.request(method, params)
    }

    /// Closes stdin, and returns the exit status.
    pub fn end(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Ends the connection as the protocol wants it, and returns the exit status.
    pub fn shut_down(mut self) -> i32 {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.end()
    }
}

/// The address of a path without special characters.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The position of the first occurrence of a text, in UTF-16, moved by some characters.
pub fn position_of(text: &str, part: &str, moved: usize) -> Value {
    let offset = text.find(part).unwrap_or_else(|| panic!("{part} is in the text")) + moved;
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap();
    json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
}
