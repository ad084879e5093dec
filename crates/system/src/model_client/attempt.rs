//! One attempt with a server that speaks Chat Completions.

use std::fs::File;
use std::io::Read as _;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use ureq::Error;
use ureq::http::Uri;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};

use super::call;
use crate::child_process::{ChildProcess, SignalPipes, ThreadEnd};
use crate::http_client;
use crate::owner_only::{create_directory, lock, open_options};
use hookbench_core::model_client::{
    AttemptFailure, BreakerState, FailureKind, MAX_RESPONSE, ModelPrompt, ModelSettings, RECURSION_VARIABLE,
    command_input, is_loopback_host, read_chat_response, retry_after,
};
use hookbench_core::run::{Exit, FinishCondition};

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
        // A thread, because name resolution and some reads cannot be interrupted. If it is late, it is left behind, and
        // ends with its own time limit or with the program.
        let failure = |kind, message: String| Err(AttemptFailure::new(kind, message));
        match signals.wait_for(limit, move || self.exchange(limit)) {
            ThreadEnd::Result(answer) => answer,
            ThreadEnd::Late => failure(FailureKind::Transient, format!("no answer within {} ms", limit.as_millis())),
            ThreadEnd::Signal => failure(FailureKind::Permanent, "a signal ended the call".to_owned()),
            ThreadEnd::NoPipes => failure(FailureKind::Permanent, "the system has no more pipes".to_owned()),
        }
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

/// The number of characters of stderr that a message repeats.
const MAX_STDERR: usize = 200;

/// The end of a command.
pub enum CommandEnd {
    Printed(String),
    Failed { kind: FailureKind, message: String },
}

/// Asks the command once.
pub fn ask(
    words: &[String],
    prompt: &ModelPrompt,
    limit: Duration,
    signals: &SignalPipes,
) -> Result<String, AttemptFailure> {
    match run_words(words, command_input(prompt).as_bytes(), limit, signals) {
        CommandEnd::Printed(text) if text.trim().is_empty() => {
            Err(AttemptFailure::new(FailureKind::Transient, "the command printed nothing"))
        }
        CommandEnd::Printed(text) => Ok(text),
        CommandEnd::Failed { kind, message } => Err(AttemptFailure::new(kind, message)),
    }
}

/// Runs a program with its arguments in a new session, and ends all its processes with it.
pub fn run_words(words: &[String], stdin: &[u8], limit: Duration, signals: &SignalPipes) -> CommandEnd {
    let failed = |kind, message: String| CommandEnd::Failed { kind, message };
    let Some((program, args)) = words.split_first() else {
        return failed(FailureKind::Configuration, "model.command is empty".to_owned());
    };
    let mut command = Command::new(program);
    command.args(args).env(RECURSION_VARIABLE, "1");
    let process = ChildProcess {
        command,
        stdin,
        keep: MAX_RESPONSE + 1,
        finish: FinishCondition::AtExit,
        limit: Some(limit),
        has_own_session: true,
    };
    let output = match process.run(signals, || {}) {
        Ok(output) => output,
        Err(why) => return failed(FailureKind::Configuration, format!("{program} did not start: {why}")),
    };
    if output.killed_by_caller.is_some() {
        return failed(FailureKind::Permanent, "a signal ended the call".to_owned());
    }
    match output.exit {
        Exit::Code(0) if output.stdout.len() > MAX_RESPONSE => {
            failed(FailureKind::Permanent, format!("{program} printed more than 1 MiB"))
        }
        Exit::Code(0) => CommandEnd::Printed(String::from_utf8_lossy(&output.stdout).into_owned()),
        Exit::TimedOut { after } => {
            failed(FailureKind::Transient, format!("{program} did not answer within {} ms", after.as_millis()))
        }
        exit => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            let text: String = last.chars().filter(|c| !c.is_control()).take(MAX_STDERR).collect();
            let says = if text.is_empty() { String::new() } else { format!(": {text}") };
            failed(FailureKind::Transient, format!("{program} ended with {}{says}", exit.describe()))
        }
    }
}

/// The time to wait for another process that changes the state.
const LOCK_WAIT: Duration = Duration::from_millis(200);
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// The size limit for the file.
const MAX_BYTES: u64 = 4096;
/// The number of digits of the identity in the file's name.
const NAME_DIGITS: usize = 16;

/// The breaker of one model.
pub struct BreakerFile<'a> {
    directory: Option<&'a Path>,
    name: String,
}

impl<'a> BreakerFile<'a> {
    /// The breaker of a model. Without a directory, the breaker is always closed.
    pub fn of(directory: Option<&'a Path>, settings: &ModelSettings) -> BreakerFile<'a> {
        let identity = settings.endpoint.identity(&settings.name, None);
        let digits = identity.get(..NAME_DIGITS).unwrap_or(&identity);
        BreakerFile { directory, name: format!("breaker-{digits}") }
    }

    /// Reads the state, changes it and stores it, while no other process does. If that is not possible, the change is
    /// made to a closed breaker and not stored: a broken state directory must not decide anything.
    pub fn update<T>(&self, change: impl FnOnce(&mut BreakerState) -> T) -> T {
        let locked = self.directory.and_then(|directory| Some((directory, self.lock(directory)?)));
        let Some((directory, _lock)) = locked else { return change(&mut BreakerState::default()) };
        let name = format!("{}.json", self.name);
        let stored = crate::disk::read_up_to(directory.join(&name), MAX_BYTES).unwrap_or_default();
        let stored = String::from_utf8_lossy(&stored);
        let mut state = BreakerState::parse(&stored);
        let result = change(&mut state);
        let text = state.text();
        let is_new = stored.is_empty() && state == BreakerState::default();
        if !is_new && text != stored {
            // Without the file, the breaker is closed.
            let _ = call::replace_file(directory, &name, &text);
        }
        result
    }

    fn lock(&self, directory: &Path) -> Option<File> {
        create_directory(directory).ok()?;
        let path = directory.join(format!("{}.lock", self.name));
        let file = open_options().write(true).create(true).truncate(false).open(path).ok()?;
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match lock(&file) {
                Ok(true) => return Some(file),
                Ok(false) | Err(_) if Instant::now() < deadline => std::thread::sleep(LOCK_PAUSE),
                Ok(false) | Err(_) => return None,
            }
        }
    }
}
