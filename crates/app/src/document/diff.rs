//! The document of `diff --format json`: the differences between two recorded events.

use serde::Serialize;

use crate::recordings::run_diff::RunDiff;
use hookbench_core::recorded::{RecordedEvent, format_time};

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffDoc {
    /// `diff/1`.
    pub schema: &'static str,
    pub before: DiffSideDoc,
    pub after: DiffSideDoc,
    /// Whether both decisions are known and nothing but times differs.
    pub same: bool,
    #[serde(flatten)]
    pub diff: RunDiff,
}

/// One of the two events.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSideDoc {
    pub number: i64,
    pub id: String,
    /// UTC.
    pub at: Option<String>,
    pub agent: String,
    pub version: Option<String>,
    pub event: String,
    pub subject: Option<String>,
    pub verdict: Option<String>,
}

/// Builds the document of two events with their numbers.
pub fn diff_doc(before: (i64, &RecordedEvent), after: (i64, &RecordedEvent)) -> DiffDoc {
    let diff = RunDiff::of(before.1, after.1);
    let side = |(number, event): (i64, &RecordedEvent)| DiffSideDoc {
        number,
        id: event.id.clone(),
        at: event.at.and_then(format_time),
        agent: event.agent.clone(),
        version: event.version.clone(),
        event: event.event.clone(),
        subject: event.subject.clone(),
        verdict: event.verdict.clone(),
    };
    DiffDoc { schema: "diff/1", before: side(before), after: side(after), same: diff.is_same(), diff }
}
