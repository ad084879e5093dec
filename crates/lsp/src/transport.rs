//! Messages on stdin and stdout: reading, writing, and requests to the client.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::Value;

use hookbench_app::write_stderr;

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

/// Reads messages until the input ends or the receiver is gone. A cancellation takes effect at once, although the messages
/// before it still wait.
pub fn read_messages(mut input: impl BufRead, sender: &Sender<Message>, cancelled: &CancelledRequests) {
    loop {
        let text = match read_frame(&mut input) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(why) => return write_stderr(format!("stdin is not a message of the Language Server Protocol: {why}")),
        };
        // Parsed as a value first: with exact numbers, serde cannot read an id directly.
        let message = serde_json::from_slice::<Value>(&text).and_then(serde_json::from_value::<Message>);
        let Ok(message) = message else { continue };
        if let Message::Notification(Notification { method, params }) = &message
            && method == "$/cancelRequest"
            && let Some(Ok(id)) = params.get("id").cloned().map(serde_json::from_value)
        {
            cancelled.add(id);
            continue;
        }
        if sender.send(message).is_err() {
            return;
        }
    }
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
pub fn write_messages(mut output: impl Write, messages: &Receiver<Option<Message>>) {
    while let Ok(Some(message)) = messages.recv() {
        if message.write(&mut output).is_err() {
            return;
        }
    }
}

/// The client: what the server tells it and asks it.
#[derive(Clone)]
pub struct Client {
    /// `None` ends the connection.
    messages: SyncSender<Option<Message>>,
    next_id: Arc<AtomicI32>,
    /// Receivers of responses, by the id of the request.
    waiting: Arc<Mutex<HashMap<RequestId, Sender<Response>>>>,
}

impl Client {
    /// The client that receives these messages.
    pub fn new(messages: SyncSender<Option<Message>>) -> Client {
        Client { messages, next_id: Arc::default(), waiting: Arc::default() }
    }

    /// Ends the connection after the messages that wait.
    pub fn close(&self) {
        let _ = self.messages.send(None);
    }

    /// Answers a request. Nothing is sent if the client is gone; the end of its input then ends the program.
    pub fn respond(&self, response: Response) {
        let _ = self.messages.send(Some(response.into()));
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: impl Serialize) {
        let params = serde_json::to_value(params).unwrap_or_default();
        let _ = self.messages.send(Some(Notification { method: method.to_owned(), params }.into()));
    }

    /// Sends a request, and returns the receiver of its response.
    pub fn ask(&self, method: &str, params: impl Serialize) -> Receiver<Response> {
        let id = RequestId::from(self.next_id.fetch_add(1, Ordering::SeqCst));
        let (sender, receiver) = channel();
        lock(&self.waiting).insert(id.clone(), sender);
        let params = serde_json::to_value(params).unwrap_or_default();
        let _ = self.messages.send(Some(Request { id, method: method.to_owned(), params }.into()));
        receiver
    }

    /// Forwards a response to the part that asked.
    pub fn absorb_response(&self, response: Response) {
        if let Some(asker) = lock(&self.waiting).remove(&response.id) {
            let _ = asker.send(response);
        }
    }
}
