//! The document of `db list --format json`: recorded events as a list, without their payloads.

use serde::Serialize;

use crate::recordings::store::EventListRow;
use hookbench_core::recorded::{RecordedAnswer, format_time};

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
