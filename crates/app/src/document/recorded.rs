//! `db list --format json`: recorded events as a list, without their payloads.

use serde::Serialize;

use crate::recordings::Row;
use hookbench_core::recorded::time_text;

/// The whole document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedDoc {
    /// `recorded/1`.
    pub schema: &'static str,
    /// How many pass the filter; `events` may be fewer.
    pub count: u64,
    /// The newest first.
    pub events: Vec<RowDoc>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowDoc {
    pub number: i64,
    pub id: String,
    /// UTC.
    pub at: Option<String>,
    pub agent: String,
    pub session: String,
    pub project: Option<String>,
    pub event: String,
    pub subject: Option<String>,
    /// Its most telling value.
    pub what: Option<String>,
    /// How many runs of hooks are known.
    pub hooks: u64,
    pub duration_ms: Option<u64>,
    pub verdict: Option<String>,
    /// `recorded`, `rebuilt`, `edited` or `synthetic`.
    pub made: &'static str,
    pub sub_agent: bool,
    /// The event that it is a replay of.
    pub origin: Option<String>,
    pub marked: bool,
    pub comment: Option<String>,
    /// Bytes of the payload.
    pub bytes: u64,
    /// Something in it was masked.
    pub redacted: bool,
}

/// The document of some rows.
pub fn recorded_doc(rows: &[Row], count: u64) -> RecordedDoc {
    RecordedDoc { schema: "recorded/1", count, events: rows.iter().map(row).collect() }
}

fn row(row: &Row) -> RowDoc {
    RowDoc {
        number: row.seq,
        id: row.id.clone(),
        at: row.at.and_then(time_text),
        agent: row.agent.clone(),
        session: row.session.clone(),
        project: row.project.clone(),
        event: row.event.clone(),
        subject: row.subject.clone(),
        what: row.what.clone(),
        hooks: row.hooks,
        duration_ms: row.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        verdict: row.verdict.clone(),
        made: row.made.word(),
        sub_agent: row.sub,
        origin: row.origin.clone(),
        marked: row.marked,
        comment: row.comment.clone(),
        bytes: row.size,
        redacted: row.redacted,
    }
}
