//! One event as one line of JSON, for export, import, and fixtures in a project.
//!
//! A payload that is one line of JSON is included unchanged; otherwise it is stored as text or in base64.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::event::{RecordedEvent, RecordedRun};
use crate::names::RunId;
use crate::run::{CapturedStream, Exit, RunReport, Timing};

const SCHEMA: &str = "event/1";

/// The error for a line that is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventLineError {
    #[error("not an event line: {0}")]
    Malformed(String),
    #[error("written by a newer hookbench ({0}; this one reads {SCHEMA})")]
    Newer(String),
}

/// The keys of a line, in the order in which they are written.
#[derive(Serialize)]
struct EventLine<'a> {
    schema: &'static str,
    #[serde(flatten)]
    event: &'a RecordedEvent,
    #[serde(flatten)]
    rest: LineRest<'a>,
}

/// The keys whose values differ from those of the event.
#[derive(Serialize, Deserialize)]
struct LineRest<'a> {
    #[serde(skip_serializing)]
    at: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<RunLine>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    payload: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_base64: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct RunLine {
    hook: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stdin_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    exit: ExitLine,
    #[serde(default)]
    started_us: u64,
    #[serde(default)]
    ended_us: u64,
    #[serde(default)]
    stdin_read: u64,
    stdout: StreamLine,
    stderr: StreamLine,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ExitLine {
    Code { code: i32 },
    Signal { signal: i32 },
    TimedOut { after_us: u64 },
    FailedToStart { error: String },
    Cancelled,
    Http { status: u16 },
    Answered,
    Unanswered,
}

/// A stream: its text, or its bytes in base64. `total` is present if only a part was kept.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StreamLine {
    Text(String),
    Bytes {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
        total: u64,
    },
}

/// Parses a line.
///
/// # Errors
/// Returns an error if the line is not JSON, lacks a key, or was written by a newer version.
pub fn parse_event_line(text: &str) -> Result<RecordedEvent, EventLineError> {
    #[derive(Deserialize)]
    struct LineSchema {
        schema: String,
    }
    let malformed = |error: serde_json::Error| EventLineError::Malformed(error.to_string());
    let head: LineSchema = serde_json::from_str(text).map_err(malformed)?;
    if head.schema != SCHEMA {
        return Err(match head.schema.strip_prefix("event/") {
            Some(_) => EventLineError::Newer(head.schema),
            None => EventLineError::Malformed(format!("its schema is {:?}", head.schema)),
        });
    }
    let rest: LineRest = serde_json::from_str(text).map_err(malformed)?;
    let mut event: RecordedEvent = serde_json::from_str(text).map_err(malformed)?;
    event.payload = match (rest.payload, rest.payload_text, rest.payload_base64) {
        (Some(raw), None, None) => raw.get().as_bytes().to_vec(),
        (None, Some(text), None) => text.into_bytes(),
        (None, None, Some(coded)) => decode(&coded)?,
        _ => return Err(EventLineError::Malformed("it needs exactly one payload".to_owned())),
    };
    if let Some(text) = rest.at.filter(|_| event.at.is_none()) {
        return Err(EventLineError::Malformed(format!("`at` is not a time: {text:?}")));
    }
    event.runs = rest.runs.into_iter().map(run_of).collect::<Result<_, _>>()?;
    event.diagnostics = sorted(event.diagnostics);
    Ok(event)
}

/// Writes an event as a line, without the line break.
pub fn format_event_line(event: &RecordedEvent) -> String {
    let text = std::str::from_utf8(&event.payload).ok();
    let one_line = text.filter(|t| !t.contains(['\n', '\r']) && t.trim().len() == t.len());
    let payload = one_line.and_then(|t| serde_json::from_str::<&RawValue>(t).ok());
    let rest = LineRest {
        at: None,
        runs: event.runs.iter().map(line_of).collect(),
        payload_text: text.filter(|_| payload.is_none()).map(str::to_owned),
        payload_base64: text.is_none().then(|| STANDARD.encode(&event.payload)),
        payload,
    };
    // Serialization cannot fail: every key is a string, and every value is plain.
    serde_json::to_string(&EventLine { schema: SCHEMA, event, rest }).unwrap_or_default()
}

/// Sorts the codes, because a line written by hand may have them in another order.
fn sorted(mut codes: Vec<String>) -> Vec<String> {
    codes.sort();
    codes.dedup();
    codes
}

fn decode(coded: &str) -> Result<Vec<u8>, EventLineError> {
    STANDARD.decode(coded).map_err(|error| EventLineError::Malformed(error.to_string()))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn line_of(run: &RecordedRun) -> RunLine {
    let report = &run.report;
    RunLine {
        hook: run.hook.clone(),
        command: run.command.clone(),
        definition: run.definition.clone(),
        layer: run.layer.clone(),
        stdin_sha256: run.stdin.clone(),
        partial: run.partial,
        exit: match &report.exit {
            Exit::Code(code) => ExitLine::Code { code: *code },
            Exit::Signal(signal) => ExitLine::Signal { signal: *signal },
            Exit::TimedOut { after } => ExitLine::TimedOut { after_us: micros(*after) },
            Exit::FailedToStart { error } => ExitLine::FailedToStart { error: error.clone() },
            Exit::Cancelled => ExitLine::Cancelled,
            Exit::Http { status } => ExitLine::Http { status: *status },
            Exit::Answered { .. } => ExitLine::Answered,
            Exit::Unanswered => ExitLine::Unanswered,
        },
        started_us: micros(report.timing.started),
        ended_us: micros(report.timing.ended),
        stdin_read: report.stdin_read,
        stdout: stream_of(&report.stdout),
        stderr: stream_of(&report.stderr),
        content_type: report.content_type.clone(),
    }
}

fn run_of(line: RunLine) -> Result<RecordedRun, EventLineError> {
    let exit = match line.exit {
        ExitLine::Code { code } => Exit::Code(code),
        ExitLine::Signal { signal } => Exit::Signal(signal),
        ExitLine::TimedOut { after_us } => Exit::TimedOut { after: Duration::from_micros(after_us) },
        ExitLine::FailedToStart { error } => Exit::FailedToStart { error },
        ExitLine::Cancelled => Exit::Cancelled,
        ExitLine::Http { status } => Exit::Http { status },
        ExitLine::Answered => Exit::Answered { by: None },
        ExitLine::Unanswered => Exit::Unanswered,
    };
    Ok(RecordedRun {
        hook: line.hook,
        command: line.command,
        definition: line.definition,
        layer: line.layer,
        stdin: line.stdin_sha256,
        partial: line.partial,
        report: RunReport {
            timing: Timing {
                started: Duration::from_micros(line.started_us),
                ended: Duration::from_micros(line.ended_us),
            },
            stdin_read: line.stdin_read,
            content_type: line.content_type,
            stdout: captured_of(line.stdout)?,
            stderr: captured_of(line.stderr)?,
            ..RunReport::new(RunId(0), exit, Vec::new(), Vec::new())
        },
    })
}

/// The beginning of a stream, which is the part that an agent keeps. The end of a longer stream is not included.
fn stream_of(stream: &CapturedStream) -> StreamLine {
    match std::str::from_utf8(&stream.head) {
        Ok(text) if !stream.truncated() => StreamLine::Text(text.to_owned()),
        Ok(text) => StreamLine::Bytes { text: Some(text.to_owned()), base64: None, total: stream.total },
        Err(_) => StreamLine::Bytes { text: None, base64: Some(STANDARD.encode(&stream.head)), total: stream.total },
    }
}

fn captured_of(line: StreamLine) -> Result<CapturedStream, EventLineError> {
    Ok(match line {
        StreamLine::Text(text) => CapturedStream::whole(text),
        StreamLine::Bytes { text, base64, total } => {
            let head = match base64 {
                Some(coded) => decode(&coded)?,
                None => text.unwrap_or_default().into_bytes(),
            };
            CapturedStream { total: total.max(head.len() as u64), head, tail: Vec::new() }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::event::{RecordedAnswer, RecordedOutcome, SourceLine};
    use super::*;

    fn event(payload: &[u8]) -> RecordedEvent {
        RecordedEvent {
            id: "0123456789abcdef".to_owned(),
            version: Some("1.2.3".to_owned()),
            project: Some("/p".to_owned()),
            subject: Some("shell".to_owned()),
            at: Some(1_700_000_000_123),
            source: Some(SourceLine { file: "t.jsonl".to_owned(), line: 7 }),
            verdict: Some("deny".to_owned()),
            answer: Some(RecordedAnswer {
                decision: "deny".to_owned(),
                by: "user".to_owned(),
                reason: Some("not here".to_owned()),
                at: Some(1_700_000_001_123),
                held_ms: Some(1_000),
            }),
            outcome: Some(RecordedOutcome {
                blocked: true,
                decided_by: vec!["guard.sh".to_owned()],
                updated_input: Some(serde_json::json!({"command": "ls"})),
                ..RecordedOutcome::default()
            }),
            diagnostics: vec!["HW301".to_owned(), "hook/needs-agent".to_owned()],
            marked: true,
            comment: Some("why?".to_owned()),
            ..RecordedEvent::new("x", "s", "Before", payload.to_vec())
        }
    }

    fn back(event: &RecordedEvent) -> RecordedEvent {
        let line = format_event_line(event);
        assert!(!line.contains('\n'), "{line}");
        match parse_event_line(&line) {
            Ok(event) => event,
            Err(error) => panic!("{error}: {line}"),
        }
    }

    #[test]
    fn payloads_travel_byte_for_byte() {
        for payload in [
            r#"{"b":1,"a":1.0,"a":12345678901234567890,"s":"\u00e9\/"}"#.as_bytes(),
            b"{ \"spaced\" : [ 1 , 2 ] }",
            b"{\n  \"two\": \"lines\"\n}\n",
            b" {}",
            b"not json",
            b"",
            b"\xff\xfe{}",
            r#""lone \ud800""#.as_bytes(),
        ] {
            let event = event(payload);
            assert_eq!(back(&event), event, "{}", String::from_utf8_lossy(payload));
        }
        let line = format_event_line(&event(br#"{"n":1e400}"#));
        assert!(line.ends_with(r#""payload":{"n":1e400}}"#), "{line}");
    }

    #[test]
    fn runs_travel_whole() {
        let exits = [
            Exit::Code(2),
            Exit::Signal(9),
            Exit::TimedOut { after: Duration::from_millis(1500) },
            Exit::FailedToStart { error: "no such file".to_owned() },
            Exit::Cancelled,
            Exit::Http { status: 204 },
            Exit::Answered { by: None },
            Exit::Unanswered,
        ];
        let streams = [
            CapturedStream::whole("text\u{1b}[31m"),
            CapturedStream::whole(b"\xff\x00".to_vec()),
            CapturedStream { head: b"begin".to_vec(), tail: Vec::new(), total: 99 },
            CapturedStream { head: b"\xffbegin".to_vec(), tail: Vec::new(), total: 99 },
        ];
        for (index, exit) in exits.into_iter().enumerate() {
            let stream = &streams[index % streams.len()];
            let report = RunReport {
                stdout: stream.clone(),
                stderr: stream.clone(),
                timing: Timing { started: Duration::from_micros(3), ended: Duration::from_micros(1_000_004) },
                stdin_read: 12,
                content_type: Some("text/plain".to_owned()),
                ..RunReport::new(RunId(0), exit, Vec::new(), Vec::new())
            };
            let run = RecordedRun {
                hook: "guard.sh".to_owned(),
                command: Some("sh guard.sh".to_owned()),
                definition: Some("k".to_owned()),
                layer: (index % 2 == 0).then(|| "project".to_owned()),
                stdin: Some("d".to_owned()),
                report,
                partial: index % 2 == 0,
            };
            let event = RecordedEvent { runs: vec![run], ..event(b"{}") };
            assert_eq!(back(&event), event);
        }
    }

    #[test]
    fn what_is_no_line_says_why() {
        let newer = format_event_line(&event(b"{}")).replace("event/1", "event/2");
        assert_eq!(
            parse_event_line(&newer).map_err(|e| e.to_string()),
            Err("written by a newer hookbench (event/2; this one reads event/1)".to_owned())
        );
        for (text, says) in [
            ("{}", "not an event line: missing field `schema`"),
            (r#"{"schema":"list/1"}"#, "not an event line: its schema is \"list/1\""),
            (r#"{"schema":"event/1"}"#, "not an event line: missing field `id`"),
        ] {
            let error = parse_event_line(text).map_err(|e| e.to_string());
            assert!(matches!(&error, Err(e) if e.starts_with(says)), "{text}: {error:?}");
        }
        let both = format_event_line(&event(b"{}")).replace("\"payload\"", "\"payload_text\":\"x\",\"payload\"");
        assert!(
            matches!(parse_event_line(&both), Err(EventLineError::Malformed(says)) if says.contains("exactly one payload"))
        );
    }
}
