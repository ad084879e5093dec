//! The agent's action after all hooks of a firing (spec §10, §11). Each file handles one family of events and
//! combines the answers in the order in which the hooks ended.

mod after;
mod explain;
mod gate;
mod notice;
mod permission;
mod prompt;
mod rewrite;
mod stop;
mod tally;
mod tool;

use serde_json::Value;

use super::answer::{self, Answer};
use super::rules::Rules;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, Verdict};
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::hook::HookDefinition;
use hookbench_base::plan::{Plan, Selection};
use hookbench_base::trace::{Evidence, TraceStep};
pub use stop::stop_cap;
use tally::Tally;

/// A run together with its interpreted answer.
#[derive(Debug, Clone)]
pub struct Said<'a> {
    pub run: &'a HookRun,
    pub definition: &'a HookDefinition,
    pub answer: Answer,
}

impl Said<'_> {
    /// Whether the agent waits for the hook. The decision of a detached hook does not count.
    pub fn counts(&self) -> bool {
        self.run.awaited
    }
}

/// The effect of managed hooks on the other hooks, which start later: a block prevents them from starting, and a
/// rewritten tool input is passed on to them.
pub fn after_managed(runs: FiringRuns<'_>, scene: &Scene) -> NextStep {
    let said = said(runs, scene);
    let prompt = matches!(scene.input.event.as_str(), "UserPromptSubmit" | "UserPromptExpansion");
    let blocks = |s: &Said<'_>| s.counts() && (s.answer.block().is_some() || prompt && s.answer.stops());
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

fn said<'a>(runs: FiringRuns<'a>, scene: &'a Scene) -> Vec<Said<'a>> {
    let rules = Rules::of(&scene.version);
    let read = |run: &'a HookRun| {
        let definition = scene.loaded.definition(&run.hook)?;
        let answer = answer::read(definition, &run.report, &scene.input.event, rules);
        Some(Said { run, definition, answer })
    };
    runs.finished.iter().filter_map(read).collect()
}

/// Returns the outcome of a firing.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let said = said(runs, scene);
    let doubtful: Vec<&str> =
        plan.entries.iter().filter(|e| e.selection == Selection::Unknown).map(|e| e.hook.as_str()).collect();
    if said.is_empty() && doubtful.is_empty() {
        return nobody(plan, scene);
    }
    let mut outcome = fold(&said, &doubtful, scene);
    outcome.trace = explain::trace(&outcome, &said, &doubtful, scene);
    if let Some(why) = runs.aborted {
        outcome.trace.push(TraceStep::new("decide.aborted", format!("the firing was broken off: {why}")));
    }
    outcome
}

/// Returns the outcome without its trace.
fn fold(said: &[Said<'_>], doubtful: &[&str], scene: &Scene) -> Outcome {
    let mut tally = Tally::new(said, doubtful, scene);
    match scene.input.event.as_str() {
        "PreToolUse" => tool::fold(&mut tally, said, scene),
        "PermissionRequest" => permission::fold(&mut tally, said, scene),
        "UserPromptSubmit" | "UserPromptExpansion" => prompt::fold(&mut tally, said, scene),
        "Stop" | "SubagentStop" => stop::fold(&mut tally, said, scene),
        "PostToolUse" | "PostToolUseFailure" | "PostToolBatch" => after::fold(&mut tally, said, scene),
        "TaskCreated" | "TaskCompleted" | "TeammateIdle" | "PreCompact" | "PreModelSwitch" | "ConfigChange"
        | "Elicitation" | "ElicitationResult" | "WorktreeCreate" => gate::fold(&mut tally, said, scene),
        _ => notice::fold(&mut tally, said, scene),
    }
    tally.finish(said, scene)
}

/// Returns the outcome of a firing in which no hook ran.
fn nobody(plan: &Plan, scene: &Scene) -> Outcome {
    let does = notice::unhindered(scene);
    let mut outcome = Outcome::without_effect(Verdict::NotRun, does);
    let says = match (&plan.lost, plan.entries.len()) {
        (Some(loss), _) => loss.why.message.clone(),
        (None, 0) => scene.loaded.why_no_hooks(&scene.input.event),
        (None, 1) => "the one hook of this event does not run here".to_owned(),
        (None, count) => format!("none of the {count} hooks of this event runs here"),
    };
    let mut step = TraceStep::new("decide.not-run", says);
    for entry in &plan.entries {
        let child = TraceStep::new(entry.why.rule, entry.why.message.clone());
        step = step.because(child.with_evidence(Evidence::Hook { hook: entry.hook.clone() }));
    }
    outcome.trace.push(step);
    outcome
}

#[cfg(test)]
mod answers;
#[cfg(test)]
mod tests;
