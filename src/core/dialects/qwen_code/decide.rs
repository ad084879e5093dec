//! Runs → what the agent does, with the reasons (spec §13, §15).

use serde_json::{Value, json};

use super::aggregate::{Thrown, aggregate, odd};
use super::chain::breaks_off;
use super::effects::{self, Effect, Force};
use super::read::unanswered;
use super::{behaviour, events};
use crate::core::decide::{HookRun, Outcome, Runs, Verdict, VerdictParts, verdict_of};
use crate::core::dialects::Scene;
use crate::core::hook::{DefinitionId, Handler, HookDefinition};
use crate::core::plan::{Plan, Schedule, Selection};
use crate::core::text::truthy;
use crate::core::trace::{Evidence, TraceStep};

/// What one hook of the plan hands to the aggregator.
struct Said<'a> {
    hook: DefinitionId,
    run: Option<&'a HookRun>,
    value: Option<Value>,
    /// Why the agent throws after this run, whatever it said.
    throws: Option<String>,
    unanswered: bool,
}

/// What the agent does.
pub fn decide(plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Outcome {
    let event = scene.input.event.as_str();
    let said = collect(plan, runs, scene);
    let ran = !runs.finished.is_empty() || (runs.expired && plan.firing().next().is_some());
    if !ran && said.iter().all(|s| s.value.is_none()) {
        return not_run(plan, event);
    }
    let all: Vec<usize> = (0..said.len()).collect();
    let (effect, merged, culprit) = judge(scene, &said, &all, runs.expired, None);
    let causes = causes(scene, &said, &effect, runs.expired);
    let unknown = unknown(plan, runs, scene, &said, &effect);
    let failed =
        said.iter().any(|s| s.run.is_some_and(|r| r.output.failure.is_some())) || culprit.is_some() || runs.expired;
    let verdict = verdict_of(VerdictParts {
        ran: true,
        denied: effect.force == Force::Answer && !unknown,
        failed_closed: effect.force == Force::Failure && !unknown,
        decision: effect.decision.filter(|_| !unknown),
        unknown: unknown || effect.force == Force::Unknown,
        failed,
    });
    let decided = effect.blocked || effect.decision.is_some();
    let decided_by = causes.iter().filter(|_| decided).filter_map(|i| said.get(*i)).map(|s| s.hook.clone()).collect();
    let trace = trace(scene, plan, runs, &said, &causes, culprit, &effect);
    let agent_does = if unknown {
        let says = "What the agent does depends on a hook that was not answered or may not be there";
        format!("{says}; without it: {}", effect.does)
    } else {
        effect.does
    };
    Outcome {
        blocked: effect.blocked,
        decided_by,
        reason: effect.reason,
        additional_context: effect.context,
        updated_input: effect.updated_input,
        system_message: effect.system_message,
        seen_by: effect.seen_by,
        merged,
        extra: effect.extra,
        trace,
        ..Outcome::quiet(verdict, agent_does)
    }
}

fn not_run(plan: &Plan, event: &str) -> Outcome {
    let says = match (&plan.lost, plan.entries.len()) {
        (Some(lost), _) => lost.why.says.clone(),
        (None, 0) => format!("no hook is configured for {event}"),
        (None, _) => format!("no hook of {event} fires"),
    };
    let maybe = plan.entries.iter().any(|e| e.selection == Selection::Unknown);
    let verdict = if maybe { Verdict::Unknown } else { Verdict::NotRun };
    let mut outcome = Outcome::quiet(verdict, effects::goes_on(event));
    outcome.trace = vec![TraceStep::new("decide.not-run", says).on(Evidence::Basis { text: "spec §3" })];
    outcome
}

/// The outputs in the order of the plan. Async hooks have theirs at once; what a hook did not get to say is missing.
fn collect<'a>(plan: &Plan, runs: Runs<'a>, scene: &Scene) -> Vec<Said<'a>> {
    let awaited = runs.in_plan_order();
    let mut out = Vec::new();
    for entry in plan.firing() {
        let Some(definition) = scene.loaded.definition(&entry.hook) else { continue };
        let run = awaited.iter().copied().find(|r| r.hook == entry.hook);
        let detached = runs.finished.iter().find(|r| r.hook == entry.hook && !r.awaited);
        let throws =
            run.filter(|_| behaviour::of(&scene.version).new_fields).and_then(|r| throws(definition, plan, r, scene));
        let value = match run {
            Some(run) => run.output.value.clone(),
            None if definition.detached => Some(json!({"continue": true})),
            None => None,
        };
        let unanswered = run.is_some_and(|r| unanswered(&r.report));
        out.push(Said { hook: entry.hook.clone(), run: run.or(detached), value, throws, unanswered });
    }
    out
}

/// What makes the agent throw after this run: a name that is no text, or an answer that it cannot look into.
fn throws(definition: &HookDefinition, plan: &Plan, run: &HookRun, scene: &Scene) -> Option<String> {
    let main = match definition.handler {
        Handler::Http(_) => "url",
        Handler::Command(_) => "command",
        _ => return None,
    };
    let named = definition.raw.get("name").filter(|n| truthy(n)).or_else(|| definition.raw.get(main));
    if named.is_some_and(|n| !n.is_string()) {
        return Some(format!("its {main} is no text, and the agent throws when it notes the run in its log"));
    }
    let event = scene.input.event.as_str();
    let sequential = plan.schedule == Schedule::Sequential;
    if run.output.value.as_ref().is_some_and(odd) && breaks_off(event, &run.report.exit, sequential) {
        return Some("its hookSpecificOutput is no object, and the agent throws on it".to_owned());
    }
    None
}

/// The effect of some of the outputs, the merged output, and who made the agent throw. `instead` stands in for one.
fn judge(
    scene: &Scene,
    said: &[Said<'_>],
    which: &[usize],
    expired: bool,
    instead: Option<(usize, &Value)>,
) -> (Effect, Option<Value>, Option<usize>) {
    if expired {
        return (effects::expired(scene), None, None);
    }
    if events::output_goes_nowhere(&scene.input.event) {
        return (effects::effect(scene, None), None, None);
    }
    let of = |index: &usize| said.get(*index).map(|s| (*index, s));
    if let Some((index, why)) = which.iter().filter_map(of).find_map(|(i, s)| Some((i, s.throws.clone()?))) {
        let thrown = Thrown { culprit: index, says: why };
        return (effects::thrown(scene, &thrown), None, Some(index));
    }
    let value = |(index, said): (usize, &'_ Said<'_>)| match instead {
        Some((i, value)) if i == index => Some((index, value.clone())),
        _ => said.value.clone().map(|v| (index, v)),
    };
    let values: Vec<(usize, Value)> = which.iter().filter_map(of).filter_map(value).collect();
    let outputs: Vec<&Value> = values.iter().map(|(_, v)| v).collect();
    match aggregate(&scene.input.event, &outputs) {
        Ok(merged) => (effects::effect(scene, merged.as_ref()), merged, None),
        Err(thrown) => {
            let culprit = values.get(thrown.culprit).map(|(index, _)| *index);
            (effects::thrown(scene, &thrown), None, culprit)
        }
    }
}

/// A smallest set of hooks whose outputs alone have the same effect; taking the others away changes nothing.
fn causes(scene: &Scene, said: &[Said<'_>], effect: &Effect, expired: bool) -> Vec<usize> {
    let mut kept: Vec<usize> =
        (0..said.len()).filter(|i| said.get(*i).is_some_and(|s| s.value.is_some() || s.throws.is_some())).collect();
    for index in (0..said.len()).rev() {
        let without: Vec<usize> = kept.iter().copied().filter(|i| *i != index).collect();
        if without.len() < kept.len() && judge(scene, said, &without, expired, None).0 == *effect {
            kept = without;
        }
    }
    kept
}

/// Whether something that is not known could give another verdict: an unanswered question, or a hook that may be there.
fn unknown(plan: &Plan, runs: Runs<'_>, scene: &Scene, said: &[Said<'_>], effect: &Effect) -> bool {
    let can_block = events::by_name(&scene.input.event).is_some_and(|e| e.blocks.is_some());
    let sealed = effect.force == Force::Failure;
    if !can_block || sealed || runs.expired {
        return false;
    }
    if plan.entries.iter().any(|e| e.selection == Selection::Unknown)
        || runs.aborted.is_some_and(|_| effect.rule != "decide.thrown")
    {
        return true;
    }
    let all: Vec<usize> = (0..said.len()).collect();
    let possible = [
        json!({"continue": true, "decision": "allow"}),
        json!({"continue": false, "stopReason": "no", "decision": "block", "reason": "no"}),
    ];
    said.iter().enumerate().filter(|(_, s)| s.unanswered).any(|(index, _)| {
        possible.iter().any(|value| {
            let (other, _, _) = judge(scene, said, &all, false, Some((index, value)));
            (other.force, other.blocked, other.decision) != (effect.force, effect.blocked, effect.decision)
        })
    })
}

/// The explanation: what was done, and under it every executed hook once, as cause, as irrelevant or as failed.
fn trace(
    scene: &Scene,
    plan: &Plan,
    runs: Runs<'_>,
    said: &[Said<'_>],
    causes: &[usize],
    culprit: Option<usize>,
    effect: &Effect,
) -> Vec<TraceStep> {
    let mut decision = TraceStep::new(effect.rule, effect.does.clone()).on(Evidence::Basis { text: "spec §13, §15" });
    let mut others = Vec::new();
    for (index, one) in said.iter().enumerate() {
        let Some(run) = one.run else { continue };
        let label = scene.loaded.definition(&one.hook).map_or_else(|| one.hook.clone(), HookDefinition::label);
        let role = if culprit == Some(index) {
            let why = one.throws.clone().unwrap_or_else(|| "its answer makes the agent throw".to_owned());
            TraceStep::new("run.culprit", format!("{label}: {why}"))
        } else if causes.contains(&index) {
            TraceStep::new("run.cause", format!("{label} brought this about"))
        } else if let Some(failure) = &run.output.failure {
            TraceStep::new("run.failed", format!("{label} failed: {failure}"))
        } else {
            TraceStep::new("run.irrelevant", format!("{label} changes nothing here"))
        };
        let cited = pointer(scene, run);
        let role = role.on(Evidence::Hook { hook: one.hook.clone() }).on_exit(run.run);
        let role = match cited {
            Some(pointer) if causes.contains(&index) => role.on_stdout(run.run, pointer),
            _ => role,
        };
        let role = role.because_all(run.output.trace.iter().cloned());
        if causes.contains(&index) || culprit == Some(index) {
            decision = decision.because(role);
        } else {
            others.push(role);
        }
    }
    if let Some(why) = runs.aborted {
        decision = decision.because(TraceStep::new("decide.broken-off", format!("the firing was broken off: {why}")));
    }
    if runs.expired {
        let seconds = plan.budget.unwrap_or_default().as_secs();
        decision = decision.because(
            TraceStep::new("decide.budget", format!("the agent waits {seconds} s for all hooks together"))
                .on(Evidence::Basis { text: "spec §6.5" }),
        );
    }
    std::iter::once(decision).chain(others).collect()
}

/// The key of a JSON answer that the event looks at first.
fn pointer(scene: &Scene, run: &HookRun) -> Option<&'static str> {
    let event = events::by_name(&scene.input.event)?;
    let value = run.output.value.as_ref().filter(|_| run.output.form == crate::core::output::Form::Json)?;
    event.honours.iter().copied().find(|pointer| value.pointer(pointer).is_some())
}
