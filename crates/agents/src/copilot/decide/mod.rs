//! Decides what Copilot CLI does after the runs, with the reasons (spec §5.1, §5.2).

pub mod chain;
mod effects;
mod tool_arguments;
mod tool_effects;

use super::answer::{AnsweredRun, RunEnd, read_answer};
use super::spelling::camel_event;
use super::{events, rules};
use crate::kernel::decision::{deciding_pointer, describe_run, explain_effect, interpret, not_run, why_not_run};
use effects::{default_action, effect};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::HookDefinition;
use hookbench_base::plan::Plan;
use hookbench_base::trace::TraceStep;

/// Returns the number of the consecutive block that the agent overrides. Stops of subagents have no limit.
pub fn stop_cap(scene: &Scene) -> Option<u32> {
    (camel_event(&scene.input.event) == "agentStop").then_some(effects::STOP_CAP + 1)
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let event = camel_event(&scene.input.event);
    if runs.finished.is_empty() {
        let why = why_not_run(plan, scene);
        return not_run(rules::DECIDE_NOT_RUN, plan, scene, why, default_action(&event), Some("spec §2"));
    }
    let read = |definition: &HookDefinition, run: &HookRun| read_answer(&definition.event, &run.report);
    let interpreted = interpret(runs.in_plan_order(), scene, read);
    let mut effect = effect(scene, &interpreted);
    let context = effect.context.as_deref();
    if let Some(message) = context.and_then(|context| effects::context_message(&event, scene, context)) {
        effect.extra.insert("context_message".to_owned(), message.into());
    }
    let counts = |one: &AnsweredRun<'_>| deciding_pointer(events::by_name(&one.definition.event)?, one.run);
    let describe = |one: &AnsweredRun<'_>, part| describe_run(&one.label(), part, one.answer.failure.is_some());
    let aborted = runs.aborted.map(|why| TraceStep::new(rules::CHAIN_ENDED, why));
    let trace = explain_effect(&effect, "measured on 1.0.102", &interpreted, describe, counts, aborted);
    let failed = interpreted.iter().any(|one| matches!(one.answer.end, RunEnd::Failed | RunEnd::TimedOut));
    effect.into_outcome(runs.finished, failed, trace)
}

#[cfg(test)]
mod tests;
