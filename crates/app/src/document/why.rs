//! The document of `why`.

use serde::Serialize;
use serde_json::Value;

use super::hook::{PlanHookDoc, hook_doc};
use crate::analysis::ladder::Ladder;
use crate::analysis::lint::Finding;
use crate::session::LogAccount;
use hookbench_core::debug_log::{AccountState, LogEnd};
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::PlanEntry;

/// The ladder of one hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhyDoc {
    /// `why/1`.
    pub schema: &'static str,
    pub hook: PlanHookDoc,
    pub event: Option<String>,
    pub rungs: Vec<RungDoc>,
    pub answer: String,
    pub nearest: Vec<String>,
    /// The statements of the agent's own debug log about the hook; absent without a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_log: Option<AgentLogDoc>,
}

/// The statements of an agent's debug log about a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentLogDoc {
    pub file: String,
    /// The time of the event, otherwise of the log, UTC.
    pub at: Option<String>,
    /// The number of events of the hook's kind in the log.
    pub firings: usize,
    /// The number of those in which the agent started the hook.
    pub started: usize,
    /// The subject of the event shown here; null if the log does not state it.
    pub subject: Option<String>,
    /// The number of groups that the agent found in the settings.
    pub found: Option<u64>,
    /// The number of hooks that matched.
    pub matched: Option<u64>,
    /// `started`, `not_started`, `no_event` or `unknown`.
    pub state: &'static str,
    /// The exit status; null if the log does not state it.
    pub exit: Option<i32>,
    pub took_ms: Option<u64>,
    /// The parts of the settings that the agent ignored, in its own words.
    pub ignored: Vec<String>,
    /// The contradiction to the prediction; null if the log agrees.
    pub contradicts: Option<String>,
    pub says: Vec<String>,
}

/// One rung.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RungDoc {
    /// `file_found`, `parsed`, `layer_active`, `event_known`, `surface`, `trusted`, `matcher`, `condition`, `command` or
    /// `started`.
    pub rung: Value,
    /// `ok`, `no`, `skipped` or `unknown`.
    pub state: Value,
    pub says: String,
    pub evidence: Vec<Value>,
    /// The lint findings about the script and its answer; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<RungFindingDoc>>,
}

/// A lint finding at a rung.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RungFindingDoc {
    /// `HW603`: see `hookbench explain`.
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    pub says: String,
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
}

/// Builds the document of a ladder.
pub fn why_doc(
    definition: &HookDefinition,
    entry: Option<&PlanEntry>,
    event: Option<&str>,
    ladder: &Ladder,
    log: Option<&LogAccount>,
) -> WhyDoc {
    let word = |value: serde_json::Result<Value>| value.unwrap_or_default();
    WhyDoc {
        schema: "why/1",
        hook: hook_doc(definition, entry),
        event: event.map(str::to_owned),
        rungs: ladder
            .rungs
            .iter()
            .map(|rung| RungDoc {
                rung: word(serde_json::to_value(rung.name)),
                state: word(serde_json::to_value(rung.state)),
                says: rung.message.clone(),
                evidence: rung.evidence.iter().map(|e| word(serde_json::to_value(e))).collect(),
                findings: Some(ladder.findings_at(rung.name).map(finding_doc).collect())
                    .filter(|all: &Vec<_>| !all.is_empty()),
            })
            .collect(),
        answer: ladder.answer.clone(),
        nearest: ladder.nearest.clone(),
        agent_log: log.map(agent_log_doc),
    }
}

fn finding_doc(found: &Finding) -> RungFindingDoc {
    RungFindingDoc {
        code: found.code.as_str(),
        severity: found.severity.word(),
        says: found.message.clone(),
        file: found.file.clone(),
        line: found.place.map(|(start, _)| start.line),
    }
}

fn agent_log_doc(log: &LogAccount) -> AgentLogDoc {
    let account = &log.account;
    let firing = account.firing.as_ref();
    let (state, run) = match &account.state {
        AccountState::Started(run) => ("started", Some(run)),
        AccountState::NotStarted => ("not_started", None),
        AccountState::NoFiring => ("no_event", None),
        AccountState::Unknown => ("unknown", None),
    };
    let exit = run.and_then(|run| match run.end {
        Some(LogEnd::Exit(code)) => Some(code),
        _ => None,
    });
    AgentLogDoc {
        file: log.file.clone(),
        at: log.at.clone(),
        firings: account.firings,
        started: account.started,
        subject: firing.and_then(|firing| firing.subject.clone()),
        found: firing.and_then(|firing| firing.found),
        matched: firing.and_then(|firing| firing.matched),
        state,
        exit,
        took_ms: run.and_then(|run| run.took_ms),
        ignored: log.ignored.clone(),
        contradicts: log.contradiction(),
        says: log.sentences(),
    }
}
