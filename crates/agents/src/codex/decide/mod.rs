//! Decides what Codex does after the runs, with the reasons (spec §5.7).

mod effects;

use super::answer::{HookRunStatus, read_answer};
use super::events;
use crate::codex::rules;
use crate::shared::answer_evidence;
use effects::{Effect, InterpretedRun, default_action, effect};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::Scene;
use hookbench_base::plan::Plan;
use hookbench_base::run::RunId;
use hookbench_base::trace::{Evidence, TraceStep};

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let event = scene.input.event.as_str();
    if runs.finished.is_empty() {
        return not_run(plan, scene);
    }
    let awaited = runs.in_plan_order();
    let said = interpret_runs(&awaited, scene);
    let detached: Vec<&HookRun> = runs.finished.iter().filter(|r| !r.awaited).collect();
    let late = interpret_runs(&detached, scene);
    let ended: Vec<RunId> = runs.awaited().map(|r| r.run).collect();
    let effect = effect(scene, &said, &ended, &late);
    let can_block = events::by_name(event).is_some_and(|e| e.blockable_action.is_some());
    let open = can_block && said.iter().any(|s| s.answer.status == HookRunStatus::Unknown);
    // Another hook can still override a blocked stop; every other block is final.
    let sealed = effect.blocked && !matches!(event, "Stop" | "SubagentStop");
    let unknown = effect.unknown || (open && !sealed);
    let verdict = verdict_from_parts(VerdictParts {
        ran: true,
        denied: effect.blocked && !effect.unusable_answer && !unknown,
        failed_closed: effect.unusable_answer && !unknown,
        decision: effect.decision().filter(|_| !unknown),
        unknown,
        failed: said.iter().any(|s| s.answer.status == HookRunStatus::Failed),
    });
    let trace = trace(&effect, &said, &late, runs, scene);
    let hook_of = |run: &RunId| said.iter().find(|s| s.run == *run).map(|s| s.definition.id.clone());
    let decided_by = effect.deciders.iter().filter_map(hook_of).collect();
    let agent_does = if open && unknown {
        format!("{}, unless a hook that only Codex can run decides otherwise", effect.summary)
    } else {
        effect.summary
    };
    Outcome {
        blocked: effect.blocked,
        decided_by,
        reason: effect.reason,
        additional_context: effect.context,
        updated_input: effect.updated_input,
        system_message: effect.message,
        continues: !effect.ends_turn,
        stop_reason: effect.stop_reason,
        seen_by: effect.seen_by,
        extra: effect.extra,
        trace,
        ..Outcome::without_effect(verdict, agent_does)
    }
}

fn not_run(plan: &Plan, scene: &Scene) -> Outcome {
    let does = if plan.lost.is_some() {
        "there is no session: Codex does not start"
    } else {
        default_action(&scene.input.event)
    };
    answer_evidence::not_run(rules::DECIDE_NOT_RUN, plan, scene, does, Some("spec §2"))
}

fn interpret_runs<'a>(runs: &[&HookRun], scene: &'a Scene) -> Vec<InterpretedRun<'a>> {
    runs.iter()
        .filter_map(|run| {
            let definition = scene.loaded.definition(&run.hook)?;
            Some(InterpretedRun { run: run.run, definition, answer: read_answer(&scene.input.event, &run.report) })
        })
        .collect()
}

/// Explains the outcome: the decision, then each run once with its role in it.
fn trace(
    effect: &Effect,
    said: &[InterpretedRun<'_>],
    late: &[InterpretedRun<'_>],
    runs: FiringRuns<'_>,
    scene: &Scene,
) -> Vec<TraceStep> {
    let mut decision =
        TraceStep::new(effect.rule.id, effect.rule.one).with_evidence(Evidence::Basis { text: "spec §5.7" });
    let mut others = Vec::new();
    for (one, awaited) in said.iter().map(|s| (s, true)).chain(late.iter().map(|s| (s, false))) {
        let label = one.definition.label();
        let decides = effect.deciders.contains(&one.run);
        let heard = effect.contributors.contains(&one.run);
        let role = match one.answer.status {
            _ if decides => TraceStep::new(rules::RUN_CAUSE, format!("{label} decides")),
            _ if heard => TraceStep::new(rules::RUN_HEARD, format!("{label} contributes to the result")),
            _ if !awaited => TraceStep::new(
                rules::RUN_ASYNC,
                format!("the agent does not wait for {label}, and its output has no effect"),
            ),
            HookRunStatus::Unknown => TraceStep::new(rules::RUN_UNANSWERED, format!("only Codex can run {label}")),
            HookRunStatus::Failed => TraceStep::new(rules::RUN_FAILED, format!("{label} failed, which does not block")),
            HookRunStatus::Blocked | HookRunStatus::Stopped => {
                TraceStep::new(rules::RUN_ALSO, format!("{label} would also block, but is not needed"))
            }
            HookRunStatus::Completed => {
                TraceStep::new(rules::RUN_IRRELEVANT, format!("{label} does not change the outcome"))
            }
        };
        let read = runs.finished.iter().find(|r| r.run == one.run).map(|r| r.output.trace.clone()).unwrap_or_default();
        let mut role = role.with_evidence(Evidence::Hook { hook: one.definition.id.clone() }).with_exit(one.run);
        if let Some(pointer) = deciding_pointer(one, scene).filter(|_| decides) {
            role = role.with_stdout(one.run, pointer);
        }
        let role = role.because_all(read);
        if decides || heard {
            decision = decision.because(role);
        } else {
            others.push(role);
        }
    }
    if let Some(why) = runs.aborted {
        decision =
            decision.because(TraceStep::new(rules::DECIDE_BROKEN_OFF, format!("the firing was cancelled: {why}")));
    }
    std::iter::once(decision).chain(others).collect()
}

/// Returns the pointer of the deciding key in a JSON answer.
fn deciding_pointer(said: &InterpretedRun<'_>, scene: &Scene) -> Option<&'static str> {
    let value = said.answer.value.as_ref()?;
    let event = events::by_name(&scene.input.event)?;
    let naming = |pointer: &&&str| pointer.ends_with("/hookEventName");
    event
        .honoured_output
        .iter()
        .filter(|p| !naming(p))
        .find(|p| value.pointer(p).is_some_and(|v| !v.is_null()))
        .copied()
}

#[cfg(test)]
mod tests;
