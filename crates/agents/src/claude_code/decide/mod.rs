//! The agent's action after all hooks of a firing (spec §10, §11). Each file handles one family of events and
//! combines the answers in the order in which the hooks ended.

mod blockable_events;
mod explain;
mod outcome_builder;
pub mod skill_command;
mod stop;
mod tool_call;
mod tool_results;
mod tool_schema;
mod unblockable_events;

use crate::claude_code::rules;
use serde_json::Value;

use super::answer::{self, AnsweredRun};
use super::version_behaviour::VersionBehaviour;
use crate::kernel::decision::{interpret, not_run, why_not_run};
use hookbench_base::decide::{FiringRuns, Outcome};
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::plan::{Plan, Selection};
use hookbench_base::trace::TraceStep;
use outcome_builder::OutcomeBuilder;
pub use stop::stop_cap;

/// The effect of managed hooks on the other hooks, which start later: a block prevents them from starting, and a
/// rewritten tool input is passed on to them.
pub fn after_managed(runs: FiringRuns<'_>, scene: &Scene) -> NextStep {
    let said = interpret_runs(runs, scene);
    let prompt = matches!(scene.input.event.as_str(), "UserPromptSubmit" | "UserPromptExpansion");
    let blocks = |s: &AnsweredRun<'_>| s.is_awaited() && (s.answer.block().is_some() || prompt && s.answer.ends_turn());
    if said.iter().any(blocks) {
        return NextStep::Abort("a managed hook blocks, so the other hooks do not start".to_owned());
    }
    let rewritten = fold(&said, &[], scene).updated_input.filter(|_| scene.input.event == "PreToolUse");
    match (rewritten, scene.input.body.clone()) {
        (Some(input), Value::Object(mut body)) => {
            body.insert("tool_input".to_owned(), input);
            NextStep::NewInput(Value::Object(body))
        }
        _ => NextStep::SameInput,
    }
}

fn interpret_runs<'a>(runs: FiringRuns<'a>, scene: &'a Scene) -> Vec<AnsweredRun<'a>> {
    let rules = VersionBehaviour::for_version(&scene.version);
    interpret(runs.finished, scene, |definition, run| answer::read(definition, &run.report, &scene.input.event, rules))
}

/// Returns the outcome of a firing.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let said = interpret_runs(runs, scene);
    let doubtful: Vec<&str> =
        plan.entries.iter().filter(|e| e.selection == Selection::Unknown).map(|e| e.hook.as_str()).collect();
    if said.is_empty() && doubtful.is_empty() {
        let why = match (&plan.lost, plan.entries.len()) {
            (None, 1) => "the only hook of this event does not run here".to_owned(),
            (None, count @ 2..) => format!("none of the {count} hooks of this event runs here"),
            _ => why_not_run(plan, scene),
        };
        return not_run(rules::DECIDE_NOT_RUN, plan, scene, why, unblockable_events::default_action(scene), None);
    }
    let mut outcome = fold(&said, &doubtful, scene);
    outcome.trace = explain::trace(&outcome, &said, &doubtful, scene);
    if let Some(why) = runs.aborted {
        outcome.trace.push(TraceStep::new(rules::DECIDE_ABORTED, format!("the firing was cancelled: {why}")));
    }
    outcome
}

/// Returns the outcome without its trace.
fn fold(said: &[AnsweredRun<'_>], doubtful: &[&str], scene: &Scene) -> Outcome {
    let mut tally = OutcomeBuilder::new(said, doubtful, scene);
    match scene.input.event.as_str() {
        "PreToolUse" => tool_call::fold(&mut tally, said, scene),
        "PreSkillShellCommand" => skill_command::fold(&mut tally, said, scene),
        "PermissionRequest" => tool_call::fold_permission_request(&mut tally, said, scene),
        "UserPromptSubmit" | "UserPromptExpansion" => unblockable_events::fold_prompt(&mut tally, said, scene),
        "Stop" | "SubagentStop" => stop::fold(&mut tally, said, scene),
        "PostToolUse" | "PostToolUseFailure" | "PostToolBatch" => tool_results::fold(&mut tally, said, scene),
        "TaskCreated" | "TaskCompleted" | "TeammateIdle" | "PreCompact" | "PreModelSwitch" | "ConfigChange"
        | "Elicitation" | "ElicitationResult" | "WorktreeCreate" => blockable_events::fold(&mut tally, said, scene),
        _ => unblockable_events::fold(&mut tally, said, scene),
    }
    tally.finish(said, scene)
}

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod tests;
