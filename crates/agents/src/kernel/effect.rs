//! The combined effect of the hooks of a firing.

use serde_json::{Map, Value};

use super::decision::InterpretedRun;
use crate::shared::rules::DecisionRule;
use hookbench_base::decide::{HookRun, Outcome, Verdict, VerdictParts, verdict_from_parts};
use hookbench_base::run::RunId;
use hookbench_base::trace::{Evidence, TraceStep};

/// The combined effect of the hooks on the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    pub rule: DecisionRule,
    /// One sentence that describes it.
    pub summary: String,
    pub blocked: bool,
    /// Whether it is blocked only because a hook failed or the agent cannot use an answer.
    pub failed_closed: bool,
    /// Whether the result is unknown.
    pub unknown: bool,
    /// The winning decision, if it is ask or allow.
    pub decision: Option<Verdict>,
    pub reason: Option<String>,
    pub context: Option<String>,
    pub updated_input: Option<Value>,
    pub message: Option<String>,
    pub ends_turn: bool,
    pub stop_reason: Option<String>,
    pub seen_by: Option<&'static str>,
    /// Fields that only this agent has.
    pub extra: Map<String, Value>,
    /// The runs that decide.
    pub deciders: Vec<RunId>,
    /// The runs that contribute to the result without deciding it.
    pub contributors: Vec<RunId>,
}

/// The part of a run in an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPart {
    Decides,
    Contributes,
    None,
}

impl Effect {
    /// An effect that blocks nothing.
    pub fn quiet(rule: DecisionRule, summary: impl Into<String>) -> Effect {
        Effect {
            rule,
            summary: summary.into(),
            blocked: false,
            failed_closed: false,
            unknown: false,
            decision: None,
            reason: None,
            context: None,
            updated_input: None,
            message: None,
            ends_turn: false,
            stop_reason: None,
            seen_by: None,
            extra: Map::new(),
            deciders: Vec::new(),
            contributors: Vec::new(),
        }
    }

    /// A block by an answer.
    pub fn block(rule: DecisionRule, reason: String, seen_by: &'static str, summary: impl Into<String>) -> Effect {
        Effect { blocked: true, reason: Some(reason), seen_by: Some(seen_by), ..Effect::quiet(rule, summary) }
    }

    /// Adds the context, which the model sees.
    #[must_use]
    pub fn with_context(mut self, context: Option<String>) -> Effect {
        if context.is_some() {
            self.seen_by.get_or_insert("the model");
        }
        self.context = context;
        self
    }

    /// Adds the message, which the user sees.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Effect {
        if message.is_some() {
            self.seen_by.get_or_insert("the user");
        }
        self.message = message;
        self
    }

    /// Adds an extra field, if there is a value.
    #[must_use]
    pub fn with(mut self, key: &str, value: Option<Value>) -> Effect {
        if let Some(value) = value {
            self.extra.insert(key.to_owned(), value);
        }
        self
    }

    /// Records a run that decides, the rule and the agent's action.
    pub fn decide<A>(
        &mut self,
        rule: DecisionRule,
        by: &InterpretedRun<'_, A>,
        does: impl Into<String>,
        seen_by: Option<&'static str>,
    ) {
        self.rule = rule;
        self.deciders.push(by.run.run);
        self.summary = does.into();
        self.seen_by = seen_by;
    }

    /// Records a run that contributes, unless it decides.
    pub fn contribute<A>(&mut self, by: &InterpretedRun<'_, A>) {
        if self.part_of(by.run.run) == RunPart::None {
            self.contributors.push(by.run.run);
        }
    }

    /// The part of a run in this effect.
    pub fn part_of(&self, run: RunId) -> RunPart {
        if self.deciders.contains(&run) {
            RunPart::Decides
        } else if self.contributors.contains(&run) {
            RunPart::Contributes
        } else {
            RunPart::None
        }
    }

    /// The first step of the explanation: the rule, and the source of the rule.
    pub fn decision_step(&self, answers: usize, basis: &'static str) -> TraceStep {
        TraceStep::new(self.rule.id, self.rule.sentence(answers)).with_evidence(Evidence::Basis { text: basis })
    }

    /// The outcome of a firing with these runs. `failed`: a run gave no usable answer.
    pub fn into_outcome(self, runs: &[HookRun], failed: bool, trace: Vec<TraceStep>) -> Outcome {
        let known = !self.unknown;
        let asks = self.decision == Some(Verdict::Ask);
        let verdict = verdict_from_parts(VerdictParts {
            ran: true,
            denied: self.blocked && !self.failed_closed && !asks && known,
            failed_closed: self.blocked && self.failed_closed && known,
            decision: self.decision.filter(|_| known),
            unknown: self.unknown,
            failed,
        });
        let hook_of = |run: &RunId| runs.iter().find(|one| one.run == *run).map(|one| one.hook.clone());
        Outcome {
            blocked: self.blocked,
            decided_by: self.deciders.iter().filter_map(hook_of).collect(),
            reason: self.reason,
            additional_context: self.context,
            updated_input: self.updated_input,
            system_message: self.message,
            continues: !self.ends_turn,
            stop_reason: self.stop_reason,
            seen_by: self.seen_by,
            extra: self.extra,
            trace,
            ..Outcome::without_effect(verdict, self.summary)
        }
    }
}
