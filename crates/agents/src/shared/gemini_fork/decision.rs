//! The outcome of a firing: its verdict, its minimal causes and its explanation.

use super::effects::{BlockCause, Effect};
use crate::shared::answer_evidence::{deciding_pointer, describe_answer, why_not_run};
use crate::shared::gemini_fork::rules;
use hookbench_base::decide::{HookRun, Outcome, Verdict, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::Vote;
use hookbench_base::plan::{Plan, Selection};
use hookbench_base::run::Exit;
use hookbench_base::trace::{Evidence, TraceStep};
use serde_json::Value;

/// Returns the outcome if no hook ran. `default_action` is what the agent does then.
pub fn not_run(plan: &Plan, scene: &Scene, default_action: &str, basis: &'static str) -> Outcome {
    let maybe = plan.entries.iter().any(|e| e.selection == Selection::Unknown);
    let verdict = if maybe { Verdict::Unknown } else { Verdict::NotRun };
    let refuses = scene.loaded.refusal.is_some();
    let does = if refuses { "there is no session: the agent does not start" } else { default_action };
    let step = TraceStep::new(rules::DECIDE_NOT_RUN, why_not_run(plan, scene));
    let trace = vec![step.with_evidence(Evidence::Basis { text: basis })];
    Outcome { trace, ..Outcome::without_effect(verdict, does) }
}

/// Returns the outcome of an effect. `unknown` is why the verdict is unknown, `failed` is whether a run or the agent
/// failed.
pub fn outcome(
    effect: Effect,
    merged: Option<Value>,
    unknown: Option<&str>,
    failed: bool,
    decided_by: Vec<String>,
    trace: Vec<TraceStep>,
) -> Outcome {
    let known = unknown.is_none();
    let verdict = verdict_from_parts(VerdictParts {
        ran: true,
        denied: effect.block_cause == BlockCause::Answer && known,
        failed_closed: effect.block_cause == BlockCause::Failure && known,
        decision: effect.decision.filter(|_| known),
        unknown: !known || effect.block_cause == BlockCause::Unknown,
        failed,
    });
    let agent_does = match unknown {
        Some(why) => format!("{why}; without it: {}", effect.summary),
        None => effect.summary,
    };
    Outcome {
        blocked: effect.blocked,
        decided_by,
        stop_reason: effect.reason.clone().filter(|_| effect.stops_turn),
        reason: effect.reason,
        additional_context: effect.context,
        updated_input: effect.updated_input,
        system_message: effect.system_message,
        continues: !effect.stops_turn,
        seen_by: effect.seen_by,
        merged,
        extra: effect.extra,
        trace,
        ..Outcome::without_effect(verdict, agent_does)
    }
}

/// Returns a minimal set of these runs whose outputs alone have the same effect.
pub fn causes(mut kept: Vec<usize>, effect: &Effect, effect_of: impl Fn(&[usize]) -> Effect) -> Vec<usize> {
    for index in kept.clone().into_iter().rev() {
        let without: Vec<usize> = kept.iter().copied().filter(|i| *i != index).collect();
        if effect_of(&without) == *effect {
            kept = without;
        }
    }
    kept
}

/// The parts that some runs have in an outcome.
pub struct RunRoles<'a> {
    pub causes: &'a [usize],
    /// The causes that decide; the others only contribute text.
    pub deciders: &'a [usize],
    /// The run that made the agent throw, and why.
    pub culprit: Option<(usize, String)>,
}

/// Adds the runs to the step of the decision: each once as a cause, as irrelevant or as failed.
pub fn explain<'a>(
    scene: &Scene,
    event: Option<&EventSpec>,
    mut decision: TraceStep,
    runs: impl Iterator<Item = (usize, &'a HookRun)>,
    roles: &RunRoles<'_>,
    aborted: Option<&str>,
) -> Vec<TraceStep> {
    let mut others = Vec::new();
    for (index, run) in runs {
        let label = scene.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), HookDefinition::label);
        let culprit = roles.culprit.as_ref().filter(|(culprit, _)| *culprit == index);
        let is_cause = roles.causes.contains(&index);
        let (rule, says) = if let Some((_, why)) = culprit {
            (rules::RUN_CULPRIT, format!("{label}: {why}"))
        } else if roles.deciders.contains(&index) && run.output.vote != Vote::None {
            (rules::RUN_CAUSE, format!("{label}: {}", describe_answer(run)))
        } else if is_cause {
            (rules::RUN_CAUSE, format!("{label} contributes to the result"))
        } else if run.report.exit == Exit::Unanswered {
            (rules::RUN_UNANSWERED, format!("only the agent's model can answer for {label}"))
        } else if run.output.failure.is_some() {
            (rules::RUN_FAILED, format!("{label} failed and does not change the outcome"))
        } else {
            (rules::RUN_IRRELEVANT, format!("{label} does not change the outcome"))
        };
        let mut step =
            TraceStep::new(rule, says).with_evidence(Evidence::Hook { hook: run.hook.clone() }).with_exit(run.run);
        if let Some(evidence) = event.and_then(|event| deciding_pointer(event, run)).filter(|_| is_cause) {
            step = step.with_evidence(evidence);
        }
        let step = step.because_all(run.output.trace.iter().cloned());
        if is_cause || culprit.is_some() {
            decision = decision.because(step);
        } else {
            others.push(step);
        }
    }
    if let Some(why) = aborted {
        decision =
            decision.because(TraceStep::new(rules::DECIDE_BROKEN_OFF, format!("the firing was cancelled: {why}")));
    }
    std::iter::once(decision).chain(others).collect()
}
