//! Decides what Copilot CLI does after the runs, with the reasons (spec §5.1, §5.2).

pub mod chain;
mod effects;
mod messages;
mod tool_arguments;
mod tool_effects;

use super::answer::{RunEnd, read_answer};
use super::spelling::camel_event;
use super::{events, rules};
use crate::shared::answer_evidence::{self, deciding_pointer};
use effects::{Effect, InterpretedRun, default_action, effect};
use hookbench_base::decide::{FiringRuns, Outcome, Verdict, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::Scene;
use hookbench_base::plan::Plan;
use hookbench_base::run::RunId;
use hookbench_base::trace::{Evidence, TraceStep};

/// Returns the number of the consecutive block that the agent overrides. Stops of subagents have no limit.
pub fn stop_cap(scene: &Scene) -> Option<u32> {
    (camel_event(&scene.input.event) == "agentStop").then_some(effects::STOP_CAP + 1)
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    if runs.finished.is_empty() {
        return answer_evidence::not_run(
            rules::DECIDE_NOT_RUN,
            plan,
            scene,
            default_action(&camel_event(&scene.input.event)),
            Some("spec §2"),
        );
    }
    let awaited = runs.in_plan_order();
    let said: Vec<InterpretedRun<'_>> = awaited
        .iter()
        .filter_map(|run| {
            let definition = scene.loaded.definition(&run.hook)?;
            Some(InterpretedRun { run, definition, answer: read_answer(&definition.event, &run.report) })
        })
        .collect();
    let mut effect = effect(scene, &said);
    let context = effect.context.as_deref();
    if let Some(message) =
        context.and_then(|context| messages::context_message(&camel_event(&scene.input.event), scene, context))
    {
        effect.extra.insert("context_message".to_owned(), message.into());
    }
    let verdict = verdict_from_parts(VerdictParts {
        ran: true,
        denied: effect.blocked && !effect.hook_failed && effect.decision != Some(Verdict::Ask),
        failed_closed: effect.blocked && effect.hook_failed,
        decision: effect.decision,
        unknown: false,
        failed: said.iter().any(|one| matches!(one.answer.end, RunEnd::Failed | RunEnd::TimedOut)),
    });
    let trace = trace(&effect, &said, runs);
    let hook_of = |run: &RunId| said.iter().find(|one| one.run.run == *run).map(|one| one.definition.id.clone());
    Outcome {
        blocked: effect.blocked,
        decided_by: effect.deciders.iter().filter_map(hook_of).collect(),
        reason: effect.reason,
        additional_context: effect.context,
        updated_input: effect.updated_input,
        continues: !effect.ends_turn,
        seen_by: effect.seen_by,
        extra: effect.extra,
        trace,
        ..Outcome::without_effect(verdict, effect.summary)
    }
}

/// Explains the outcome: the decision, then each run once with its role in it.
fn trace(effect: &Effect, said: &[InterpretedRun<'_>], runs: FiringRuns<'_>) -> Vec<TraceStep> {
    let answers = effect.deciders.len() + effect.contributors.len();
    let mut decision = TraceStep::new(effect.rule.id, effect.rule.sentence(answers))
        .with_evidence(Evidence::Basis { text: "measured on 1.0.102" });
    let mut others = Vec::new();
    for one in said {
        let label = one.definition.label();
        let run = one.run.run;
        let decides = effect.deciders.contains(&run);
        let heard = effect.contributors.contains(&run);
        let role = if decides || heard {
            let says = if decides { "decides" } else { "contributes to the result" };
            TraceStep::new(rules::RUN_CAUSE, format!("{label} {says}"))
        } else if one.answer.failure.is_some() {
            TraceStep::new(rules::RUN_FAILED, format!("{label} failed, which does not block"))
        } else {
            TraceStep::new(rules::RUN_IRRELEVANT, format!("{label} does not change the outcome"))
        };
        let mut role = role.with_evidence(Evidence::Hook { hook: one.definition.id.clone() }).with_exit(run);
        let pointer = events::by_name(&one.definition.event).and_then(|event| deciding_pointer(event, one.run));
        if let Some(evidence) = pointer.filter(|_| decides) {
            role = role.with_evidence(evidence);
        }
        let role = role.because_all(one.run.output.trace.clone());
        if decides || heard { decision = decision.because(role) } else { others.push(role) }
    }
    if let Some(why) = runs.aborted {
        decision = decision.because(TraceStep::new(rules::CHAIN_ENDED, why));
    }
    std::iter::once(decision).chain(others).collect()
}

#[cfg(test)]
mod tests;
