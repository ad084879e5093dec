//! The decision over all runs of a firing.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::hook::{DefinitionId, HookInput};
use crate::names::RuleId;
use crate::output::HookOutput;
use crate::run::{Launch, RunId, RunReport};
use crate::text::capitalized;
use crate::trace::TraceStep;

crate::words! {
    /// The eight verdicts. The contract defines their order of precedence.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        NotRun = "not_run" | "NO HOOK RUNS",
        Deny = "deny" | "DENY",
        FailedClosed = "failed_closed" | "FAILED CLOSED",
        Ask = "ask" | "ASK",
        Allow = "allow" | "ALLOW",
        Unknown = "unknown" | "UNKNOWN",
        FailedOpen = "failed_open" | "NOT CHECKED",
        NoObjection = "no_objection" | "NO OBJECTION",
    }
    /// The word in JSON documents.
    fn word;
    /// The word on the screen.
    fn title; const ALL; fn from_word;
}

impl Verdict {
    /// The agent's action as a sentence. If a hook failed open, the failure is its cause.
    pub fn sentence(self, action: &str) -> String {
        match self {
            Verdict::FailedOpen => format!("A hook failed, so {action}"),
            _ => capitalized(action),
        }
    }

    /// The mark that is shown together with the word, for terminals without colour.
    pub fn mark(self) -> char {
        match self {
            Verdict::NotRun => 'x',
            Verdict::Deny | Verdict::FailedClosed => '!',
            Verdict::Ask | Verdict::Unknown => '?',
            Verdict::Allow => '+',
            Verdict::FailedOpen => '~',
            Verdict::NoObjection => '.',
        }
    }
}

/// One finished run, with the agent's interpretation of its output.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRun {
    pub run: RunId,
    pub hook: DefinitionId,
    pub awaited: bool,
    /// The command, request or question that was started.
    pub launch: Launch,
    /// The input of the run. It differs between runs if hooks are chained.
    pub input: HookInput,
    pub report: RunReport,
    pub output: HookOutput,
}

impl HookRun {
    /// Whether hookbench kept less of stdout than the agent does, so that the answer is unknown.
    pub fn is_cut_short(&self) -> bool {
        let keep = match &self.launch {
            Launch::Process(spec) => spec.keep,
            Launch::Http(spec) => spec.keep,
            Launch::ByHand(_) | Launch::Canned { .. } | Launch::Refused(_) => return false,
        };
        self.report.stdout.truncated() && self.report.stdout.head.len() < keep
    }
}

/// All runs of a firing, as the input of the decision.
#[derive(Debug, Clone, Copy)]
pub struct FiringRuns<'a> {
    /// In the order in which they ended.
    pub finished: &'a [HookRun],
    /// Whether the agent's time limit for the whole firing expired before the runs ended.
    pub expired: bool,
    /// The reason if `Next::Abort` aborted the firing. Hooks that had not started are then not run.
    pub aborted: Option<&'a str>,
}

impl<'a> FiringRuns<'a> {
    /// The runs that the agent waits for, in the order in which they ended.
    pub fn awaited(&self) -> impl Iterator<Item = &'a HookRun> + use<'a> {
        self.finished.iter().filter(|r| r.awaited)
    }

    /// The runs that the agent waits for, in the order of the plan.
    pub fn in_plan_order(&self) -> Vec<&'a HookRun> {
        let mut runs: Vec<&HookRun> = self.awaited().collect();
        runs.sort_by_key(|r| r.run);
        runs
    }
}

/// The result of a firing: the agent's action and the reasons for it. The fields are those of the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub verdict: Verdict,
    pub blocked: bool,
    pub decided_by: Vec<DefinitionId>,
    pub reason: Option<String>,
    pub additional_context: Option<String>,
    pub updated_input: Option<Value>,
    pub system_message: Option<String>,
    pub continues: bool,
    pub stop_reason: Option<String>,
    pub suppress_output: bool,
    /// One sentence that describes the agent's action.
    pub agent_does: String,
    /// Recipient of the deciding text: `the model`, `the user`, `the log`, `nobody`.
    pub seen_by: Option<&'static str>,
    /// The agent's aggregated answer, if the agent builds one.
    pub merged: Option<Value>,
    /// Fields that only this agent has, under the agent's keys.
    pub extra: Map<String, Value>,
    pub trace: Vec<TraceStep>,
}

impl Outcome {
    /// An outcome in which hooks have no effect.
    pub fn without_effect(verdict: Verdict, agent_does: impl Into<String>) -> Outcome {
        Outcome {
            verdict,
            blocked: false,
            decided_by: Vec::new(),
            reason: None,
            additional_context: None,
            updated_input: None,
            system_message: None,
            continues: true,
            stop_reason: None,
            suppress_output: false,
            agent_does: agent_does.into(),
            seen_by: None,
            merged: None,
            extra: Map::new(),
            trace: Vec::new(),
        }
    }

    /// The rules that the trace cites.
    pub fn rules(&self) -> BTreeSet<RuleId> {
        fn of(steps: &[TraceStep]) -> BTreeSet<RuleId> {
            steps.iter().flat_map(|step| of(&step.children).into_iter().chain([step.rule])).collect()
        }
        of(&self.trace)
    }

    /// The agent's action as a sentence of its own, as every face prints it.
    pub fn sentence(&self) -> String {
        self.verdict.sentence(&self.agent_does)
    }

    /// A step of the trace without a beginning that repeats the agent's action.
    pub fn step_message(&self, message: &str) -> String {
        let known = self.agent_does.as_str();
        let same = message.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
        let rest = if same { message.get(known.len()..).unwrap_or("") } else { message };
        rest.trim_start_matches([':', ';', ',', '.', ' ']).to_owned()
    }

    /// The recipient of the deciding text in the words of a sentence; `None` if it is unknown.
    pub fn reader(&self) -> Option<&'static str> {
        match self.seen_by {
            Some("nobody") => Some("neither the model nor the user"),
            known => known,
        }
    }
}

/// The outcome depends on which of two hooks ends first or last, and either may.
pub const RACE: RuleId = RuleId::new("decide.race");
/// The answer is longer than hookbench keeps, so it is unknown.
pub const ANSWER_CUT: RuleId = RuleId::new("answer.cut");

/// The facts that determine the [`Verdict`].
#[derive(Debug, Clone, Copy, Default)]
pub struct VerdictParts {
    /// At least one hook ran, was answered by hand, or could not be answered.
    pub ran: bool,
    /// Blocked by a hook's answer or exit status.
    pub denied: bool,
    /// Blocked only because a hook failed.
    pub failed_closed: bool,
    /// The winning decision, if it is ask or allow.
    pub decision: Option<Verdict>,
    /// An unanswered question could change the result.
    pub unknown: bool,
    /// At least one run gave no usable answer.
    pub failed: bool,
}

/// The first verdict in the contract's order of precedence that applies.
pub fn verdict_from_parts(parts: VerdictParts) -> Verdict {
    if !parts.ran {
        Verdict::NotRun
    } else if parts.denied {
        Verdict::Deny
    } else if parts.failed_closed {
        Verdict::FailedClosed
    } else if let Some(decision) = parts.decision {
        decision
    } else if parts.unknown {
        Verdict::Unknown
    } else if parts.failed {
        Verdict::FailedOpen
    } else {
        Verdict::NoObjection
    }
}
