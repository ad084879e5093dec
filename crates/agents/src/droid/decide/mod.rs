//! Decides what Droid does after the runs, with the reasons (spec §5.1, §5.2).

mod effects;
mod rewrite;

use super::answer::read_answer;
use super::{events, rules};
use crate::shared::answer_evidence::{self, deciding_pointer};
use effects::{Effect, InterpretedRun, default_action, effect};
use hookbench_base::decide::{FiringRuns, Outcome, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::Scene;
use hookbench_base::plan::Plan;
use hookbench_base::run::RunId;
use hookbench_base::trace::{Evidence, TraceStep};

pub use effects::stop_reason;
pub use rewrite::merged_input;

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    if runs.finished.is_empty() {
        return answer_evidence::not_run(
            rules::DECIDE_NOT_RUN,
            plan,
            scene,
            default_action(&scene.input.event),
            Some("spec §2"),
        );
    }
    let awaited = runs.in_plan_order();
    let said: Vec<InterpretedRun<'_>> = awaited
        .iter()
        .filter_map(|run| {
            let definition = scene.loaded.definition(&run.hook)?;
            Some(InterpretedRun { run, definition, answer: read_answer(&run.report) })
        })
        .collect();
    let effect = effect(scene, &said);
    let verdict = verdict_from_parts(VerdictParts {
        ran: true,
        denied: effect.blocked && !effect.unusable_answer,
        failed_closed: effect.unusable_answer,
        decision: effect.decision,
        unknown: effect.unknown,
        failed: effect.spoiled || said.iter().any(|one| one.answer.failure.is_some()),
    });
    let trace = trace(&effect, &said, runs, scene);
    let hook_of = |run: &RunId| said.iter().find(|one| one.run.run == *run).map(|one| one.definition.id.clone());
    Outcome {
        blocked: effect.blocked,
        decided_by: effect.deciders.iter().filter_map(hook_of).collect(),
        reason: effect.reason,
        additional_context: effect.context,
        updated_input: effect.updated_input,
        continues: !effect.ends_run,
        seen_by: effect.seen_by,
        extra: effect.extra,
        trace,
        ..Outcome::without_effect(verdict, effect.summary)
    }
}

/// Explains the outcome: the decision, then each run once with its role in it.
fn trace(effect: &Effect, said: &[InterpretedRun<'_>], runs: FiringRuns<'_>, scene: &Scene) -> Vec<TraceStep> {
    let answers = effect.deciders.len() + effect.contributors.len();
    let basis =
        if events::is_unobserved(&scene.input.event) { "documented, not observed" } else { "measured on 0.225.2" };
    let mut decision =
        TraceStep::new(effect.rule.id, effect.rule.sentence(answers)).with_evidence(Evidence::Basis { text: basis });
    let mut others = Vec::new();
    for one in said {
        let label = one.definition.label();
        let run = one.run.run;
        let decides = effect.deciders.contains(&run);
        let heard = effect.contributors.contains(&run);
        let role = if decides || heard {
            let says = if decides { "decides" } else { "contributes to the result" };
            TraceStep::new(rules::RUN_CAUSE, format!("{label} {says}"))
        } else if effect.spoiled && !one.is_empty_command() {
            TraceStep::new(
                rules::OUTPUT_SPOILED,
                format!("{label} is ignored, because a hook of this event has an empty command"),
            )
        } else if one.answer.failure.is_some() {
            TraceStep::new(rules::RUN_FAILED, format!("{label} failed, which does not block"))
        } else {
            TraceStep::new(rules::RUN_IRRELEVANT, format!("{label} does not change the outcome"))
        };
        let mut role = role.with_evidence(Evidence::Hook { hook: one.definition.id.clone() }).with_exit(run);
        let pointer = events::by_name(&scene.input.event).and_then(|event| deciding_pointer(event, one.run));
        if let Some(evidence) = pointer.filter(|_| decides) {
            role = role.with_evidence(evidence);
        }
        let role = role.because_all(one.run.output.trace.clone());
        if decides || heard { decision = decision.because(role) } else { others.push(role) }
    }
    if let Some(why) = runs.aborted {
        decision =
            decision.because(TraceStep::new(rules::DECIDE_BROKEN_OFF, format!("the firing was cancelled: {why}")));
    }
    std::iter::once(decision).chain(others).collect()
}

#[cfg(test)]
mod tests;
