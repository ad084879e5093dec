//! Decides what Codex does after the runs, with the reasons (spec §5.7).

mod effects;

use super::answer::{AnsweredRun, HookRunStatus, read_answer};
use super::events;
use crate::codex::rules;
use crate::kernel::decision::{broken_off, explain_effect, interpret, not_run, why_not_run};
use crate::kernel::effect::RunPart;
use effects::{default_action, effect};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::HookDefinition;
use hookbench_base::names::RuleId;
use hookbench_base::plan::Plan;
use hookbench_base::run::{RunId, Stream};
use hookbench_base::trace::Evidence;

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let event = scene.input.event.as_str();
    if runs.finished.is_empty() {
        let why = why_not_run(plan, scene);
        return not_run(rules::DECIDE_NOT_RUN, plan, scene, why, default_action(event), Some("spec §2"));
    }
    let read = |_: &HookDefinition, run: &HookRun| read_answer(event, &run.report);
    let awaited = interpret(runs.in_plan_order(), scene, read);
    let late = interpret(runs.finished.iter().filter(|run| !run.awaited), scene, read);
    let ended: Vec<RunId> = runs.awaited().map(|run| run.run).collect();
    let mut effect = effect(scene, &awaited, &ended, &late);
    let can_block = events::EVENTS.by_name(event).is_some_and(|event| event.blockable_action.is_some());
    let is_open = can_block && awaited.iter().any(|one| one.answer.status == HookRunStatus::Unknown);
    // Another hook can still override a blocked stop; every other block is final.
    let is_final = effect.blocked && !matches!(event, "Stop" | "SubagentStop");
    effect.unknown |= is_open && !is_final;
    if is_open && effect.unknown {
        effect.summary.push_str(", unless a hook that only Codex can run decides otherwise");
    }
    let trace = explain_effect(
        &effect,
        "spec §5.7",
        awaited.iter().chain(&late),
        describe,
        |one| deciding_pointer(one, event),
        runs.aborted.map(broken_off),
    );
    let failed = awaited.iter().any(|one| one.answer.status == HookRunStatus::Failed);
    effect.into_outcome(runs.finished, failed, trace)
}

fn describe(one: &AnsweredRun<'_>, part: RunPart) -> (RuleId, String) {
    let label = one.label();
    match (part, one.answer.status) {
        (RunPart::Decides, _) => (rules::RUN_CAUSE, format!("{label} decides")),
        (RunPart::Contributes, _) => (rules::RUN_HEARD, format!("{label} contributes to the result")),
        _ if !one.is_awaited() => {
            (rules::RUN_ASYNC, format!("the agent does not wait for {label}, and its output has no effect"))
        }
        (_, HookRunStatus::Unknown) => (rules::RUN_UNANSWERED, format!("only Codex can run {label}")),
        (_, HookRunStatus::Failed) => (rules::RUN_FAILED, format!("{label} failed, which does not block")),
        (_, HookRunStatus::Blocked | HookRunStatus::Stopped) => {
            (rules::RUN_ALSO, format!("{label} would also block, but is not needed"))
        }
        (_, HookRunStatus::Completed) => (rules::RUN_IRRELEVANT, format!("{label} does not change the outcome")),
    }
}

/// The deciding key of a JSON answer.
fn deciding_pointer(one: &AnsweredRun<'_>, event: &str) -> Option<Evidence> {
    let value = one.answer.value.as_ref()?;
    let read =
        events::EVENTS.by_name(event)?.honoured_output.iter().filter(|pointer| !pointer.ends_with("/hookEventName"));
    let pointer = read.copied().find(|pointer| value.pointer(pointer).is_some_and(|value| !value.is_null()))?;
    Some(Evidence::Output { run: one.run.run, stream: Stream::Stdout, pointer: Some(pointer.to_owned()) })
}

#[cfg(test)]
mod tests;
