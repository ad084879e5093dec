//! The document of `diff --format json`: the differences between two recorded events.

use serde::Serialize;

use super::stats::millis;
use crate::recordings::replay::ReplayChange;
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
    /// The decision and the hooks; null if a record does not tell them.
    pub changes: Option<Vec<ReplayChange>>,
    pub payload: Vec<PayloadChangeDoc>,
    pub outputs: Vec<OutputChangeDoc>,
    /// The hooks that ran in both events.
    pub times: Vec<TimeChangeDoc>,
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

/// A key of the payload with another value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PayloadChangeDoc {
    /// `tool_input.command`.
    pub path: String,
    pub before: String,
    pub after: String,
}

/// The output of a hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputChangeDoc {
    pub hook: String,
    /// `stdout` or `stderr`.
    pub stream: &'static str,
    pub before: String,
    pub after: String,
}

/// The times of a hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeChangeDoc {
    pub hook: String,
    pub before_ms: f64,
    pub after_ms: f64,
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
    DiffDoc {
        schema: "diff/1",
        before: side(before),
        after: side(after),
        same: diff.is_same(),
        changes: diff.changes,
        payload: diff
            .payload
            .into_iter()
            .map(|one| PayloadChangeDoc { path: one.path, before: one.before, after: one.after })
            .collect(),
        outputs: diff
            .outputs
            .into_iter()
            .map(|one| OutputChangeDoc { hook: one.hook, stream: one.stream, before: one.before, after: one.now })
            .collect(),
        times: diff
            .times
            .into_iter()
            .map(|one| TimeChangeDoc { hook: one.hook, before_ms: millis(one.before), after_ms: millis(one.after) })
            .collect(),
    }
}
