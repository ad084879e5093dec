//! The documents of `guard list` and `guard try`.

use serde::Serialize;

use crate::guards::{GuardOverview, GuardTrial, JudgedHit, TrialHit};

/// The guards, and what they found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardListDoc {
    /// `guard-list/1`.
    pub schema: &'static str,
    pub guards: Vec<GuardDoc>,
    /// The recorded findings, the newest first.
    pub hits: Vec<GuardHitDoc>,
}

/// One guard.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardDoc {
    pub guard: &'static str,
    pub about: &'static str,
    /// `off`, `shadow`, `warn` or `deny`.
    pub mode: &'static str,
    /// The time since which it has this mode; null if it always had it.
    pub since: Option<String>,
    pub installed: Vec<InstalledGuardDoc>,
    /// The number of findings, and those that were judged.
    pub hits: usize,
    pub right: usize,
    pub wrong: usize,
}

/// A hook that runs a guard.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstalledGuardDoc {
    pub agent: &'static str,
    pub event: String,
    /// The settings file with the line.
    pub place: String,
    /// The mode on its command line; null if the configuration decides.
    pub mode: Option<&'static str>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardHitDoc {
    pub id: String,
    pub at: String,
    pub guard: String,
    pub rule: String,
    pub mode: String,
    /// The answer that the agent received: `pass`, `warn` or `deny`.
    pub answer: String,
    pub agent: String,
    pub event: String,
    pub tool: String,
    pub session: String,
    pub project: String,
    pub place: String,
    pub says: String,
    pub evidence: String,
    /// The reason of the allowance; null if the user does not allow the finding.
    pub allowed: Option<String>,
    /// `right` or `wrong`; null if the user has not judged it.
    pub judged: Option<&'static str>,
    /// The number of times that it was recorded.
    pub times: usize,
}

/// The result of `guard try`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardTryDoc {
    /// `guard-try/1`.
    pub schema: &'static str,
    /// The number of recorded events that a guard checks.
    pub events: u64,
    pub hits: Vec<GuardTryHitDoc>,
}

/// A finding about a recorded event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardTryHitDoc {
    pub id: String,
    pub rule: String,
    /// The id of the recorded event.
    pub event: String,
    /// The answer with the mode `deny`: `deny` or `warn`; `pass` if the finding is allowed.
    pub would: String,
    pub says: String,
    /// The texts that show it: a command with its result, a place, a line of the transcript.
    pub evidence: Vec<String>,
    /// `right` or `wrong`; null if the user has not judged it.
    pub judged: Option<&'static str>,
    pub at: String,
    pub agent: String,
    pub session: String,
    pub project: String,
    /// The reason of the allowance; null if the user does not allow the finding.
    pub allowed: Option<String>,
}

/// Builds the document of `guard list`.
pub fn guard_list_doc(guards: &[GuardOverview], hits: &[JudgedHit]) -> GuardListDoc {
    GuardListDoc {
        schema: "guard-list/1",
        guards: guards.iter().map(guard_doc).collect(),
        hits: hits.iter().map(hit_doc).collect(),
    }
}

fn guard_doc(overview: &GuardOverview) -> GuardDoc {
    let installed = overview.installed.iter().map(|command| InstalledGuardDoc {
        agent: command.agent.as_str(),
        event: command.event.clone(),
        place: command.place.clone(),
        mode: command.mode.map(hookbench_core::guard::GuardMode::word),
    });
    GuardDoc {
        guard: overview.guard.word(),
        about: overview.guard.about(),
        mode: overview.mode.word(),
        since: overview.since.clone(),
        installed: installed.collect(),
        hits: overview.hits,
        right: overview.right,
        wrong: overview.wrong,
    }
}

fn hit_doc(one: &JudgedHit) -> GuardHitDoc {
    let hit = one.hit.clone();
    GuardHitDoc {
        id: hit.id,
        at: hit.at,
        guard: hit.guard,
        rule: hit.rule,
        mode: hit.mode,
        answer: hit.answer,
        agent: hit.agent,
        event: hit.event,
        tool: hit.tool,
        session: hit.session,
        project: hit.project,
        place: hit.place,
        says: hit.what,
        evidence: hit.evidence,
        allowed: hit.allowed,
        judged: one.judged.map(crate::guards::Judgement::word),
        times: one.times,
    }
}

/// Builds the document of `guard try`.
pub fn guard_try_doc(trial: &GuardTrial) -> GuardTryDoc {
    GuardTryDoc { schema: "guard-try/1", events: trial.events, hits: trial.hits.iter().map(try_hit).collect() }
}

fn try_hit(one: &TrialHit) -> GuardTryHitDoc {
    let hit = one.hit.hit.clone();
    let evidence = [Some(hit.evidence), Some(hit.place), one.source.clone()].into_iter().flatten();
    GuardTryHitDoc {
        id: hit.id,
        rule: hit.rule,
        event: one.event.clone(),
        would: hit.answer,
        says: hit.what,
        evidence: evidence.filter(|text| !text.is_empty()).collect(),
        judged: one.hit.judged.map(crate::guards::Judgement::word),
        at: hit.at,
        agent: hit.agent,
        session: hit.session,
        project: hit.project,
        allowed: hit.allowed,
    }
}
