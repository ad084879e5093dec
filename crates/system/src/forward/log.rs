//! `forward.log`: one line of JSON for every irregularity, and none for a normal event. Errors while writing it are
//! ignored.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::environment::ForwardEnvironment;
use super::outcome::ForwardOutcome;

/// The size at which the log is rotated. Rotation replaces the previous old log.
const MAX_LOG_BYTES: u64 = 1024 * 1024;
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
    if let Some(folder) = here.state_folder() {
        let _ = append(&folder, &text);
    }
}

fn append(folder: &Path, text: &str) -> std::io::Result<()> {
    let path = folder.join("forward.log");
    let file = match open(&path) {
        Ok(file) => file,
        Err(_) => {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            open(&path)?
        }
    };
    let mut file = if file.metadata()?.len() >= MAX_LOG_BYTES {
        std::fs::rename(&path, folder.join("forward.log.1"))?;
        open(&path)?
    } else {
        file
    };
    // A single write, so that lines of processes that end at the same time do not mix.
    file.write_all(text.as_bytes())
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_put_aside_once() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("state/forward.log");
        let aside = folder.path().join("state/forward.log.1");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        append(&folder.path().join("state"), "a\n").unwrap();
        append(&folder.path().join("state"), "b\n").unwrap();
        assert_eq!((read(&log).as_str(), read(&aside).as_str()), ("a\nb\n", ""));
        let long = "x".repeat(usize::try_from(MAX_LOG_BYTES).unwrap());
        for (text, kept) in [(long.as_str(), 4 + long.len()), ("c\n", 4 + long.len()), ("d\n", 4 + long.len())] {
            append(&folder.path().join("state"), text).unwrap();
            assert_eq!(read(&log).len() + read(&aside).len() - if text == long { 0 } else { read(&log).len() }, kept);
        }
        assert_eq!(read(&log), "c\nd\n");
    }
}
