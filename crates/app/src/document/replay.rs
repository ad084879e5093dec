//! The document of `replay --format json`: the result of every event before and now, and a summary.

use serde::Serialize;

use super::firing::{OutcomeDoc, untraced_doc};
use crate::recordings::replay::{
    EventAssessment, FiringHook, RefusalGroup, ReplayChange, ReplaySummary, ReplayedEvent,
};
use hookbench_core::decide::{Outcome, Verdict};

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayDoc {
    /// `replay/1`.
    pub schema: &'static str,
    pub events: Vec<ReplayedDoc>,
    pub summary: ReplaySummary,
    /// Refused events, by hook, rule, project and person. The most frequent group comes first.
    pub refusals: Vec<RefusalGroup>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayedDoc {
    /// The id of the new row, if the event was really run and stored; otherwise null.
    pub event: Option<String>,
    /// The id of the event that was fired again.
    pub origin: String,
    pub agent: String,
    pub name: String,
    pub subject: Option<String>,
    pub same: bool,
    /// Null if no earlier result is known.
    pub before: Option<ReplaySideDoc>,
    /// Null if the event could not be fired; `flags` then holds the reason.
    pub after: Option<ReplaySideDoc>,
    pub changes: Vec<ReplayChange>,
    /// Aspects of the original event that could not be reproduced.
    pub flags: Vec<String>,
}

/// The result of an event under one configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplaySideDoc {
    /// If the verdict is unknown until the hooks run, `agent_does` holds the reason.
    #[serde(flatten)]
    pub outcome: OutcomeDoc,
    /// In the order of the plan.
    pub runs: Vec<FiringHook>,
    pub duration_ms: Option<u64>,
}

/// Builds the document of one replayed event.
pub fn replayed_doc(one: &ReplayedEvent) -> ReplayedDoc {
    let mut flags = one.flags.clone();
    flags.extend(one.after.as_ref().err().cloned());
    ReplayedDoc {
        event: one.event.clone(),
        origin: one.origin.clone(),
        agent: one.agent.map_or_else(String::new, |agent| agent.to_string()),
        name: one.name.clone(),
        subject: one.subject.clone(),
        same: one.is_same(),
        before: one.before.as_ref().map(side),
        after: one.after.as_ref().ok().map(side),
        changes: one.changes.clone(),
        flags,
    }
}

fn side(judged: &EventAssessment) -> ReplaySideDoc {
    let outcome = match &judged.outcome {
        Ok(outcome) => untraced_doc(outcome),
        Err(why) => untraced_doc(&Outcome::without_effect(Verdict::Unknown, why.clone())),
    };
    ReplaySideDoc { outcome, runs: judged.fires.clone(), duration_ms: judged.took_ms }
}
