//! The document of `replay --format json`: the result of every event before and now, and a summary.

use serde::Serialize;
use serde_json::Value;

use super::firing::{OutcomeDoc, untraced_doc};
use crate::recordings::replay::{EventAssessment, FiringHook, ReplaySummary, ReplayedEvent};
use hookbench_core::decide::{Outcome, Verdict};

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayDoc {
    /// `replay/1`.
    pub schema: &'static str,
    pub events: Vec<ReplayedDoc>,
    pub summary: SummaryDoc,
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
    pub changes: Vec<ChangeDoc>,
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
    pub runs: Vec<FiresDoc>,
    pub duration_ms: Option<u64>,
}

/// A hook that runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FiresDoc {
    pub hook: String,
    pub command: String,
    /// `file:line`.
    pub source: Option<String>,
    /// The exit of the run; null if the hook did not run.
    pub ended: Option<String>,
}

/// A difference between before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeDoc {
    /// `verdict`, `runs`, `ended`, or a key of the outcome.
    pub what: &'static str,
    pub hook: Option<String>,
    pub before: Value,
    pub after: Value,
    pub why: Option<String>,
}

/// The summary of all events. A changed event can count in several fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryDoc {
    pub events: usize,
    pub same: usize,
    pub newly_run: usize,
    pub no_longer_run: usize,
    pub verdict_changed: usize,
    /// Events that changed and whose verdict is unknown until the hooks run.
    pub unknown: usize,
    /// Events that could not be fired or have no earlier result.
    pub not_compared: usize,
    pub rules: Vec<RuleDoc>,
}

/// A hook that newly runs or no longer runs, for one subject and one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleDoc {
    pub newly: bool,
    pub hook: String,
    pub name: String,
    pub subject: Option<String>,
    pub why: String,
    pub count: usize,
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
        changes: one
            .changes
            .iter()
            .map(|change| ChangeDoc {
                what: change.what,
                hook: change.hook.clone(),
                before: change.before.clone(),
                after: change.after.clone(),
                why: change.why.clone(),
            })
            .collect(),
        flags,
    }
}

fn side(judged: &EventAssessment) -> ReplaySideDoc {
    let fires = |f: &FiringHook| FiresDoc {
        hook: f.hook.clone(),
        command: f.command.clone(),
        source: f.source.clone(),
        ended: f.ended.clone(),
    };
    let outcome = match &judged.outcome {
        Ok(outcome) => untraced_doc(outcome),
        Err(why) => untraced_doc(&Outcome::without_effect(Verdict::Unknown, why.clone())),
    };
    ReplaySideDoc { outcome, runs: judged.fires.iter().map(fires).collect(), duration_ms: judged.took_ms }
}

/// Builds the document of a summary.
pub fn summary_doc(summary: &ReplaySummary) -> SummaryDoc {
    SummaryDoc {
        events: summary.events,
        same: summary.same,
        newly_run: summary.newly_run,
        no_longer_run: summary.no_longer_run,
        verdict_changed: summary.verdict_changed,
        unknown: summary.unknown,
        not_compared: summary.not_compared,
        rules: summary
            .rules
            .iter()
            .map(|rule| RuleDoc {
                newly: rule.newly,
                hook: rule.hook.clone(),
                name: rule.event.clone(),
                subject: rule.subject.clone(),
                why: rule.why.clone(),
                count: rule.count,
            })
            .collect(),
    }
}
