//! Messages on stdin and stdout: reading, writing, and requests to the client.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookbench_app::write_stderr;
use lsp_server::{ErrorCode, Message, Notification, RequestId, Response, ResponseError};
use serde::Serialize;
use serde_json::Value;

use crate::request_error::RequestError;

/// The number of messages that wait for the client, and of cancellations that wait for their requests. A client that reads
/// nothing does not fill the memory.
pub const QUEUE: usize = 256;

/// The size limit for a message, in bytes.
const MAX_MESSAGE: usize = 64 << 20;

/// The ids of requests that the client has cancelled and that are not answered yet.
#[derive(Clone, Default)]
pub struct CancelledRequests(Arc<Mutex<HashSet<RequestId>>>);

impl CancelledRequests {
    /// Notes a cancellation. Those of requests that were answered before are never taken, so many are dropped at once.
    fn add(&self, id: RequestId) {
        let mut ids = lock(&self.0);
        if ids.len() >= QUEUE {
            ids.clear();
        }
        ids.insert(id);
    }

    /// Whether the client has cancelled a request. The id is forgotten.
    pub fn take(&self, id: &RequestId) -> bool {
        lock(&self.0).remove(id)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A message for the server.
pub enum Incoming {
    /// The body of a message. A client can send thousands at once, and as values they would take ten times the memory.
    Message(Vec<u8>),
    /// Files that were changed on the disk.
    FilesChanged(Vec<String>),
    /// The client has closed the connection.
    End,
}

/// Reads messages until the input ends. A cancellation takes effect at once, although the messages before it still wait.
pub fn read_messages(mut input: impl BufRead, sender: &Sender<Incoming>, cancelled: &CancelledRequests) {
    loop {
        let incoming = match read_frame(&mut input) {
            Ok(Some(body)) => match cancelled_request(&body) {
                Some(id) => {
                    cancelled.add(id);
                    continue;
                }
                None => Incoming::Message(body),
            },
            Ok(None) => Incoming::End,
            Err(why) => {
                write_stderr(format!("stdin is not a message of the Language Server Protocol: {why}"));
                Incoming::End
            }
        };
        let is_end = matches!(incoming, Incoming::End);
        // The receiver is gone only while the program ends.
        if sender.send(incoming).is_err() || is_end {
            return;
        }
    }
}

/// The request that a message cancels.
fn cancelled_request(body: &[u8]) -> Option<RequestId> {
    const METHOD: &str = "$/cancelRequest";
    let text = std::str::from_utf8(body).ok().filter(|text| text.contains(METHOD))?;
    match parse_message(text.as_bytes()).ok()? {
        Message::Notification(Notification { method, params }) if method == METHOD => {
            serde_json::from_value(params.get("id")?.clone()).ok()
        }
        _ => None,
    }
}

/// Parses the body of a message, as a value first: with exact numbers, serde cannot read an id directly.
///
/// # Errors
/// Returns the error that answers the client.
pub fn parse_message(body: &[u8]) -> Result<Message, RequestError> {
    let error = |code, what: &str, why| RequestError { code, message: format!("the message is not {what}: {why}") };
    let value: Value = serde_json::from_slice(body).map_err(|why| error(ErrorCode::ParseError, "valid JSON", why))?;
    serde_json::from_value(value).map_err(|why| error(ErrorCode::InvalidRequest, "one of JSON-RPC", why))
}

/// Reads the headers and the body of a message. `None` at the end of the input.
fn read_frame(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<usize>().ok().filter(|length| *length <= MAX_MESSAGE);
            }
            Some(_) => {}
            None => break,
        }
    }
    let length = length.ok_or_else(|| io::Error::other("Content-Length is missing, or above 64 MB"))?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(body))
}

/// Writes messages until [`Client::close`], or until the client no longer reads.
pub fn write_messages(mut output: impl Write, messages: &Receiver<Option<String>>) {
    while let Ok(Some(body)) = messages.recv() {
        let written = write!(output, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| output.flush());
        if written.is_err() {
            return;
        }
    }
}

/// A notification, or a request if it has an id.
#[derive(Serialize)]
struct OutgoingCall<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<RequestId>,
    method: &'a str,
    params: P,
}

/// The answer to a request. The id is null if the request has none that can be read.
#[derive(Serialize)]
struct OutgoingResponse {
    jsonrpc: &'static str,
    id: Option<RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ResponseError>,
}

/// The client: what the server tells it and asks it.
#[derive(Clone)]
pub struct Client {
    /// The bodies of messages; `None` ends the connection.
    messages: SyncSender<Option<String>>,
    next_id: Arc<AtomicI32>,
    /// Receivers of responses, by the id of the request.
    waiting: Arc<Mutex<HashMap<RequestId, Sender<Response>>>>,
}

impl Client {
    /// The client that receives these messages.
    pub fn new(messages: SyncSender<Option<String>>) -> Client {
        Client { messages, next_id: Arc::default(), waiting: Arc::default() }
    }

    /// Ends the connection after the messages that wait.
    pub fn close(&self) {
        let _ = self.messages.send(None);
    }

    /// Nothing is sent if the client is gone; the end of its input then ends the program.
    fn send(&self, message: &impl Serialize) {
        if let Ok(body) = serde_json::to_string(message) {
            let _ = self.messages.send(Some(body));
        }
    }

    /// Answers a request.
    pub fn respond(&self, id: Option<RequestId>, result: Result<Value, RequestError>) {
        let (result, error) = match result {
            Ok(result) => (Some(result), None),
            Err(RequestError { code, message }) => {
                (None, Some(ResponseError { code: code as i32, message, data: None }))
            }
        };
        self.send(&OutgoingResponse { jsonrpc: "2.0", id, result, error });
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: impl Serialize) {
        self.send(&OutgoingCall { jsonrpc: "2.0", id: None, method, params });
    }

    /// Sends a request, and returns the receiver of its response.
    pub fn ask(&self, method: &str, params: impl Serialize) -> Receiver<Response> {
        let id = RequestId::from(self.next_id.fetch_add(1, Ordering::SeqCst));
        let (sender, receiver) = channel();
        lock(&self.waiting).insert(id.clone(), sender);
        self.send(&OutgoingCall { jsonrpc: "2.0", id: Some(id), method, params });
        receiver
    }

    /// Forwards a response to the part that asked.
    pub fn absorb_response(&self, response: Response) {
        if let Some(asker) = lock(&self.waiting).remove(&response.id) {
            let _ = asker.send(response);
        }
    }
}
