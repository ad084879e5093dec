//! The document of `db show --format json`: one recorded event, and the files that its hooks could have read.

use serde::Serialize;
use serde_json::Value;

use super::firing::EnvironmentDoc;
use crate::recordings::moment::EventMoment;
use crate::recordings::store::EventListRow;
use hookbench_core::live::handlers::{CommandRun, Todo};
use hookbench_core::recorded::{RecordedAnswer, RecordedEvent, SourceLine, format_time};

/// One recorded event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedEventDoc {
    /// `recorded-event/1`.
    pub schema: &'static str,
    pub number: i64,
    pub id: String,
    pub agent: String,
    pub version: Option<String>,
    pub session: String,
    pub project: Option<String>,
    pub event: String,
    pub subject: Option<String>,
    /// UTC.
    pub at: Option<String>,
    /// `recorded`, `rebuilt`, `edited`, `synthetic` or `fired`.
    pub made: &'static str,
    /// The file and line from which it was read.
    pub source: Option<SourceLine>,
    pub verdict: Option<String>,
    /// The answer that hookbench gave to the agent. Absent if it let the event pass at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerDoc>,
    /// The environment of the hooks; absent unless hookbench fired the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentDoc>,
    /// The object that hooks read on stdin; a text if it is not an object.
    pub payload: Value,
    pub moment: MomentDoc,
}

/// The files that a hook could have read at the moment of the event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MomentDoc {
    /// The transcript; null if it is unknown or was not read.
    pub transcript: Option<MomentTranscriptDoc>,
    /// The reason why the transcript was not read.
    pub unread: Option<String>,
    /// The prompt that the agent works on.
    pub goal: Option<String>,
    /// The last message of the model. The payload has precedence, because transcripts are written late.
    pub last_message: Option<String>,
    pub todos: Vec<Todo>,
    /// The file with the todos, or `transcript`.
    pub todos_from: Option<String>,
    /// The last test that ran before the event, with its outcome.
    pub last_test: Option<TestRunDoc>,
    pub prompts: u32,
    pub tool_calls: u32,
    pub failed_calls: u32,
    /// Facts that limit what is known.
    pub notes: Vec<String>,
}

/// The part of a transcript that existed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MomentTranscriptDoc {
    pub file: String,
    /// Lines up to the event; messages, in a file that is one object.
    pub lines: u64,
    /// Lines after the event.
    pub later_lines: u64,
}

/// A test and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRunDoc {
    pub command: String,
    pub outcome: String,
}

/// Builds the document of an event.
pub fn recorded_event_doc(number: i64, event: &RecordedEvent, moment: &EventMoment) -> RecordedEventDoc {
    let text = || Value::from(String::from_utf8_lossy(&event.payload).into_owned());
    RecordedEventDoc {
        schema: "recorded-event/1",
        number,
        id: event.id.clone(),
        agent: event.agent.clone(),
        version: event.version.clone(),
        session: event.session.clone(),
        project: event.project.clone(),
        event: event.event.clone(),
        subject: event.subject.clone(),
        at: event.at.and_then(format_time),
        made: event.payload_source.word(),
        source: event.source.clone(),
        verdict: event.verdict.clone(),
        answer: event.answer.as_ref().map(AnswerDoc::of),
        environment: event.outcome.as_ref().and_then(|o| o.environment.as_ref()).map(EnvironmentDoc::of),
        payload: serde_json::from_slice(&event.payload).unwrap_or_else(|_| text()),
        moment: moment_doc(moment),
    }
}

fn moment_doc(moment: &EventMoment) -> MomentDoc {
    let summary = &moment.summary;
    let read = moment.transcript.as_ref().and_then(|read| read.as_ref().ok());
    let test = |run: &CommandRun| TestRunDoc {
        command: run.command.clone(),
        outcome: serde_json::to_value(run.outcome)
            .ok()
            .and_then(|word| word.as_str().map(str::to_owned))
            .unwrap_or_default(),
    };
    MomentDoc {
        transcript: read.map(|(file, lines, later)| MomentTranscriptDoc {
            file: file.clone(),
            lines: *lines,
            later_lines: *later,
        }),
        unread: moment.transcript.as_ref().and_then(|read| read.as_ref().err().cloned()),
        goal: summary.goal.clone(),
        last_message: summary.last_message.clone(),
        todos: moment.todos.clone(),
        todos_from: moment.todos_from.clone(),
        last_test: summary.last_test.as_ref().map(test),
        prompts: summary.counts.prompts,
        tool_calls: summary.counts.tool_calls,
        failed_calls: summary.counts.failed_calls,
        notes: moment.notes.clone(),
    }
}

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedDoc {
    /// `recorded/1`.
    pub schema: &'static str,
    /// The number of events that match the filter; `events` may hold fewer.
    pub count: u64,
    /// Newest first.
    pub events: Vec<RecordedRowDoc>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedRowDoc {
    pub number: i64,
    pub id: String,
    /// UTC.
    pub at: Option<String>,
    pub agent: String,
    pub session: String,
    pub project: Option<String>,
    pub event: String,
    pub subject: Option<String>,
    /// The most informative value of the payload.
    pub what: Option<String>,
    /// The number of recorded hook runs.
    pub hooks: u64,
    pub duration_ms: Option<u64>,
    pub verdict: Option<String>,
    /// The answer that hookbench gave to the agent. Absent if it let the event pass at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerDoc>,
    /// `recorded`, `rebuilt`, `edited`, `synthetic` or `fired`.
    pub made: &'static str,
    pub sub_agent: bool,
    /// The id of the event that this one replays.
    pub origin: Option<String>,
    pub marked: bool,
    pub comment: Option<String>,
    /// The size of the payload in bytes.
    pub bytes: u64,
    /// Whether a secret in it was masked.
    pub redacted: bool,
}

/// The answer of a breakpoint, a handler or the user.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerDoc {
    /// `allow`, `deny`, `ask`, `observe`, …
    pub decision: String,
    /// The source of the answer: `user`, `timeout`, `shutdown` (hookbench ended), `rule:NAME` or `handler:NAME`.
    pub by: String,
    pub reason: Option<String>,
    /// UTC.
    pub at: Option<String>,
    /// The time that the agent waited.
    pub held_ms: Option<u64>,
}

impl AnswerDoc {
    /// Converts an answer.
    pub fn of(answer: &RecordedAnswer) -> AnswerDoc {
        AnswerDoc {
            decision: answer.decision.clone(),
            by: answer.by.clone(),
            reason: answer.reason.clone(),
            at: answer.at.and_then(format_time),
            held_ms: answer.held_ms,
        }
    }
}

/// Builds the document of some rows.
pub fn recorded_doc(rows: &[EventListRow], count: u64) -> RecordedDoc {
    RecordedDoc { schema: "recorded/1", count, events: rows.iter().map(row).collect() }
}

fn row(row: &EventListRow) -> RecordedRowDoc {
    RecordedRowDoc {
        number: row.seq,
        id: row.id.clone(),
        at: row.at.and_then(format_time),
        agent: row.agent.clone(),
        session: row.session.clone(),
        project: row.project.clone(),
        event: row.event.clone(),
        subject: row.subject.clone(),
        what: row.highlight.clone(),
        hooks: row.hooks,
        duration_ms: row.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        verdict: row.verdict.clone(),
        answer: row.answer.as_ref().map(AnswerDoc::of),
        made: row.payload_source.word(),
        sub_agent: row.sub,
        origin: row.origin.clone(),
        marked: row.marked,
        comment: row.comment.clone(),
        bytes: row.size,
        redacted: row.redacted,
    }
}
