//! Decides what Droid does after the runs, with the reasons (spec §5.1, §5.2).

mod effects;

use super::answer::{AnsweredRun, read_answer};
use super::{events, rules};
use crate::kernel::decision::{
    broken_off, deciding_pointer, default_action, describe_run, explain_effect, interpret, not_run, why_not_run,
};
use crate::kernel::effect::RunPart;
use effects::{effect, is_empty_command};
use hookbench_base::decide::{FiringRuns, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::names::RuleId;
use hookbench_base::plan::Plan;

pub use effects::{merged_input, stop_reason};

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let event = scene.input.event.as_str();
    if runs.finished.is_empty() {
        let why = why_not_run(plan, scene);
        return not_run(rules::DECIDE_NOT_RUN, plan, scene, why, default_action(event), Some("spec §2"));
    }
    let interpreted = interpret(runs.in_plan_order(), scene, |_, run| read_answer(&run.report));
    let effect = effect(scene, &interpreted);
    let is_spoiled = interpreted.iter().any(is_empty_command);
    let basis = if events::is_unobserved(event) { "documented, not observed" } else { "measured on 0.225.2" };
    let counts = |one: &AnsweredRun<'_>| deciding_pointer(events::EVENTS.by_name(event)?, one.run);
    let trace = explain_effect(
        &effect,
        basis,
        &interpreted,
        |one, part| describe(one, part, is_spoiled),
        counts,
        runs.aborted.map(broken_off),
    );
    let failed = is_spoiled || interpreted.iter().any(|one| one.answer.failure.is_some());
    effect.into_outcome(runs.finished, failed, trace)
}

fn describe(one: &AnsweredRun<'_>, part: RunPart, is_spoiled: bool) -> (RuleId, String) {
    let label = one.label();
    if part == RunPart::None && is_spoiled && !is_empty_command(one) {
        let message = format!("{label} is ignored, because a hook of this event has an empty command");
        return (rules::OUTPUT_SPOILED, message);
    }
    describe_run(&label, part, one.answer.failure.is_some())
}

#[cfg(test)]
mod tests;
