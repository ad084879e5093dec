//! One attempt with a server that speaks Chat Completions.

use std::io::Read as _;
use std::net::IpAddr;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::Duration;

use hookbench_core::model_client::{
    AttemptFailure, FailureKind, MAX_RESPONSE, is_loopback_host, read_chat_response, retry_after,
};
use jiff::Timestamp;
use serde_json::Value;
use ureq::Error;
use ureq::http::Uri;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};

use crate::child_process::SignalPipes;
use crate::http_client;

/// The number of characters of a server's own message that is repeated.
const MAX_SERVER_MESSAGE: usize = 200;

/// A request, ready to send.
pub struct ChatAttempt {
    pub url: String,
    pub key: Option<String>,
    pub body: Vec<u8>,
    pub asks_for_schema: bool,
}

impl ChatAttempt {
    /// Sends the request and reads the answer, within the limit whatever the server does.
    pub fn ask(self, limit: Duration, signals: &SignalPipes) -> Result<String, AttemptFailure> {
        let late = || AttemptFailure::new(FailureKind::Transient, format!("no answer within {} ms", limit.as_millis()));
        let pipes = UnixStream::pair();
        let Ok((done, waker)) = pipes else {
            return Err(AttemptFailure::new(FailureKind::Permanent, "the system has no more pipes"));
        };
        let (sender, answer) = mpsc::channel();
        // A thread, because name resolution and some reads cannot be interrupted. If it is late, it is left behind, and
        // ends with its own time limit or with the program.
        std::thread::spawn(move || {
            // The receiver may have given up.
            let _ = sender.send(self.exchange(limit));
            drop(waker);
        });
        if signals.wait(limit, Some(&done)) {
            return Err(AttemptFailure::new(FailureKind::Permanent, "a signal ended the call"));
        }
        answer.try_recv().unwrap_or_else(|_| Err(late()))
    }

    fn exchange(&self, limit: Duration) -> Result<String, AttemptFailure> {
        let failure = |error: Error| match error {
            Error::Timeout(_) => {
                AttemptFailure::new(FailureKind::Transient, format!("no answer within {} ms", limit.as_millis()))
            }
            Error::Tls(_) | Error::Rustls(_) | Error::TlsRequired => {
                AttemptFailure::new(FailureKind::Configuration, format!("the connection is not secure: {error}"))
            }
            error => AttemptFailure::new(FailureKind::Transient, error.to_string()),
        };
        let uri: Uri = self
            .url
            .parse()
            .map_err(|error| AttemptFailure::new(FailureKind::Configuration, format!("{}: {error}", self.url)))?;
        let is_plain = uri.scheme_str() == Some("http");
        if is_plain && !uri.host().is_some_and(is_loopback_host) {
            let message = "http:// is used for this machine only; use https://";
            return Err(AttemptFailure::new(FailureKind::Configuration, message));
        }
        let check = move |address: IpAddr| match address.to_canonical() {
            // A name such as localhost can lead elsewhere.
            plain if is_plain && !plain.is_loopback() => {
                Err(format!("{plain} is not this machine, so https:// is needed"))
            }
            _ => Ok(()),
        };
        let agent = http_client::agent(&uri, Some(limit), check).map_err(failure)?;
        let mut request = agent.post(&uri).header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        let mut response = request.send(&self.body[..]).map_err(failure)?;
        let status = response.status().as_u16();
        let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let after = after.and_then(|value| retry_after(value, Timestamp::now()));
        let mut body = Vec::new();
        let limit_bytes = u64::try_from(MAX_RESPONSE).unwrap_or(u64::MAX) + 1;
        let read = response.body_mut().as_reader().take(limit_bytes).read_to_end(&mut body);
        if let Some(failed) = AttemptFailure::of_status(status, self.asks_for_schema) {
            let message = format!("{}{}", failed.message, server_message(&body));
            return Err(AttemptFailure { retry_after: after, message, ..failed });
        }
        read.map_err(|error| failure(Error::from(error)))?;
        if body.len() > MAX_RESPONSE {
            return Err(AttemptFailure::new(FailureKind::Permanent, "the response is larger than 1 MiB"));
        }
        read_chat_response(&body).map_err(|why| AttemptFailure::new(FailureKind::Transient, why))
    }
}

/// The message of an error that the server explains as JSON, for the user.
fn server_message(body: &[u8]) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = value.get("error").unwrap_or(&value);
    let text = error.get("message").unwrap_or(error).as_str().unwrap_or_default();
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_SERVER_MESSAGE).collect();
    if text.trim().is_empty() { String::new() } else { format!(": {}", text.trim()) }
}
