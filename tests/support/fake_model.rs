//! A server that answers as a model, or fails in every way in which one can fail.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The reaction to one connection.
#[derive(Clone)]
pub enum FakeReply {
    /// A chat completion with this text.
    Text(String),
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// A response that says that it is longer than it is.
    Truncated,
    /// Bytes that are no HTTP.
    Garbage,
    /// Never answers.
    Silent,
    /// Begins a response and never ends it.
    HalfSent,
    /// Sends its response byte by byte, so that no wait for the next byte is long.
    Dripping,
    /// A chat completion with this text, once the test is at the barrier, too.
    After(Arc<Barrier>, &'static str),
    /// Closes the connection at once.
    Close,
}

impl FakeReply {
    pub fn text(text: &str) -> FakeReply {
        FakeReply::Text(text.to_owned())
    }

    pub fn status(status: u16) -> FakeReply {
        FakeReply::Status(status, Vec::new(), String::new())
    }
}

/// One request as the server received it.
#[derive(Clone)]
pub struct SeenRequest {
    pub at: Instant,
    pub path: String,
    pub authorization: Option<String>,
    pub body: Value,
}

/// A running server.
pub struct FakeModel {
    /// The base URL for `model.url`.
    pub url: String,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
    /// Connections that are held open.
    _open: Arc<Mutex<Vec<TcpStream>>>,
}

impl FakeModel {
    /// Starts a server that answers its requests in this order, and repeats the last answer.
    pub fn start(replies: Vec<FakeReply>) -> FakeModel {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
        let (seen, open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (log, held) = (Arc::clone(&seen), Arc::clone(&open));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = read(&stream) else { continue };
                let number = {
                    let mut log = log.lock().unwrap();
                    log.push(request);
                    log.len() - 1
                };
                let reply = replies.get(number).or(replies.last()).unwrap();
                if answer(&stream, reply) {
                    held.lock().unwrap().push(stream);
                }
            }
        });
        FakeModel { url, seen, _open: open }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<SeenRequest> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(SeenRequest { at: Instant::now(), path, authorization, body: serde_json::from_slice(&body).ok()? })
}

/// Answers, and returns whether the connection stays open.
fn answer(mut stream: &TcpStream, reply: &FakeReply) -> bool {
    let head = |status: u16, headers: &[(&str, String)], length: usize| {
        let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = headers.concat();
        format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
        )
    };
    let completion = |text: &str| {
        json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }] }).to_string()
    };
    let bytes = match reply {
        FakeReply::Text(text) => {
            let body = completion(text);
            head(200, &[], body.len()) + &body
        }
        FakeReply::After(barrier, text) => {
            barrier.wait();
            let body = completion(text);
            head(200, &[], body.len()) + &body
        }
        FakeReply::Status(status, headers, body) => head(*status, headers, body.len()) + body,
        FakeReply::Truncated => {
            let body = completion("ALLOW");
            head(200, &[], body.len() + 100) + &body
        }
        FakeReply::Garbage => "\u{1}\u{2}garbage\n\n".to_owned(),
        FakeReply::HalfSent => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"choices".to_owned(),
        FakeReply::Dripping => "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".to_owned(),
        FakeReply::Silent | FakeReply::Close => String::new(),
    };
    let _ = stream.write_all(bytes.as_bytes());
    if matches!(reply, FakeReply::Dripping)
        && let Ok(own) = stream.try_clone()
    {
        std::thread::spawn(move || drip(own));
    }
    matches!(reply, FakeReply::Silent | FakeReply::HalfSent | FakeReply::Dripping)
}

/// Sends one byte each time that the client has sent nothing for a moment, until the client closes the connection.
fn drip(mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
    while stream.read(&mut [0]).is_err() && stream.write_all(b" ").is_ok() {}
}
