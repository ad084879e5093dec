//! `forward.log`: one line of JSON for every irregularity, and none for a normal event. Errors while writing it are
//! ignored.

use std::io::Write as _;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::environment::ForwardEnvironment;
use super::outcome::ForwardOutcome;
use crate::state_log;

/// The length limit for the detail of a line, which describes the problem and not the payload.
const MAX_DETAIL_CHARS: usize = 500;

#[derive(Serialize)]
struct ForwardLogLine<'a> {
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    problem: &'a str,
    detail: String,
    ms: u128,
}

/// The current time, also as text for the envelope and the log.
pub fn now() -> (Timestamp, String) {
    let now = Timestamp::now();
    (now, format!("{now:.3}"))
}

/// Logs the irregularities, if there are any.
pub fn write(here: &ForwardEnvironment, agent: Option<&str>, ended: &ForwardOutcome, took: Duration) {
    if ended.notes.is_empty() {
        return;
    }
    let (_, at) = now();
    let mut text = String::new();
    for note in &ended.notes {
        let detail = note.detail.chars().take(MAX_DETAIL_CHARS).collect();
        let event = ended.event.as_deref();
        let line = ForwardLogLine { at: at.clone(), agent, event, problem: note.problem, detail, ms: took.as_millis() };
        text += &serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
    }
    if here.debug {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    if let Some(directory) = here.state_directory() {
        let _ = state_log::append(&directory, "forward.log", &text);
    }
}
