//! Decides what the documents say that the agent does after the runs.

use serde_json::Value;

use super::answer::{HookAnswer, HookDecision, read_answer};
use super::{events, internal_payload, rules};
use crate::kernel::decision::{
    InterpretedRun, RunStep, deciding_pointer, describe_run, explain, interpret, not_run, why_not_run,
};
use crate::kernel::effect::{Effect, RunPart};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, Verdict};
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::plan::Plan;
use hookbench_base::trace::TraceStep;

/// The effect of a run on the runs after it.
pub fn after_run(run: &HookRun, scene: &Scene) -> NextStep {
    let Some(event) = events::EVENTS.by_name(&scene.input.event) else { return NextStep::SameInput };
    let Some(definition) = scene.loaded.definition(&run.hook) else { return NextStep::SameInput };
    let answer = read_answer(event, definition, &run.report);
    if answer.ends_sequence(event) {
        return NextStep::Abort(format!("{} ends the sequence", definition.label()));
    }
    let Some((key, value)) = rewrite(event, &answer) else { return NextStep::SameInput };
    let mut body = scene.input.body.clone();
    if let Some(body) = body.as_object_mut() {
        body.insert(key.to_owned(), value);
    }
    NextStep::NewInput(body)
}

/// The key of the payload that an answer replaces, with the new value.
fn rewrite(event: &EventSpec, answer: &HookAnswer) -> Option<(&'static str, Value)> {
    let input = || answer.updated_input.clone();
    match event.name {
        "PreToolUse" => Some(("tool_input", input()?)),
        "UserPromptSubmit" => Some(("prompt", input()?)),
        "BeforeResponse" => Some(("response", Value::from(answer.updated_response.clone()?))),
        _ => None,
    }
}

/// Combines the finished runs into the outcome.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let event = events::EVENTS.by_name(&scene.input.event);
    let Some(event) = event.filter(|_| !runs.finished.is_empty()) else {
        let does = default_action(&scene.input.event);
        return not_run(rules::DECIDE_NOT_RUN, plan, scene, why_not_run(plan, scene), does, None);
    };
    let read = |definition: &HookDefinition, run: &HookRun| read_answer(event, definition, &run.report);
    let said = interpret(runs.in_plan_order(), scene, read);
    let mut effect = effect(event, scene, &said);
    let decider = said.iter().find(|one| effect.part_of(one.run.run) == RunPart::Decides);
    let joined = |texts: Vec<&str>| (!texts.is_empty()).then(|| texts.join("\n"));
    let reason = decider.and_then(|one| one.answer.reason.clone().or_else(|| one.answer.failure.clone()));
    effect.reason = reason.filter(|_| effect.blocked || effect.decision.is_some());
    effect.context = joined(said.iter().filter_map(|one| one.answer.context.as_deref()).collect());
    effect.message = joined(said.iter().filter_map(|one| one.answer.message.as_deref()).collect());
    effect.stop_reason = decider.and_then(|one| one.answer.stop_reason.clone()).filter(|_| effect.ends_turn);
    effect.seen_by = match (&effect.context, effect.blocked) {
        (None, true) if event.name == "UserPromptSubmit" => Some("the user"),
        (None, false) => None,
        _ => Some("the model"),
    };
    let trace = trace(event, &effect, &said, runs);
    let failed = said.iter().any(|one| one.answer.failure.is_some());
    let suppress_output = said.iter().any(|one| one.answer.suppresses);
    Outcome { suppress_output, ..effect.into_outcome(runs.finished, failed, trace) }
}

/// The action of the agent if no hook decides anything.
fn default_action(event: &str) -> &'static str {
    match event {
        "PreToolUse" => "the tool runs, if the user's settings allow it",
        "PostToolUse" => "the model gets the unchanged tool result",
        "UserPromptSubmit" => "the prompt is processed",
        "BeforeResponse" => "the response is shown",
        "Stop" => "the agent stops",
        "SubagentStop" => "the subagent stops",
        "SessionStart" => "the session begins",
        "AppStartup" => "the program starts",
        _ => "the agent continues; on this event, hooks only observe",
    }
}

/// Combines the answers of the runs, which are in the configured order.
fn effect(event: &EventSpec, scene: &Scene, said: &[InterpretedRun<'_, HookAnswer>]) -> Effect {
    let internal = internal_payload::to_internal_payload(&scene.input.body);
    let mut effect =
        Effect::quiet(rules::DECIDE_GOES_ON, default_action(event.name)).with("internal_payload", Some(internal));
    let end = |effect: &mut Effect, rule, by, does| {
        effect.deciders.clear();
        effect.decide(rule, by, does, None);
    };
    let can_block = event.blockable_action.is_some();
    let stops_anyway = matches!(event.name, "Stop" | "SubagentStop");
    for one in said {
        let answer = &one.answer;
        if answer.stops {
            effect.ends_turn = true;
            effect.blocked = can_block && !stops_anyway;
            end(&mut effect, rules::DECIDE_STOP, one, "the agent stops everything");
            return effect;
        }
        if can_block && (answer.decision == Some(HookDecision::Deny) || answer.fails_closed()) {
            effect.blocked = true;
            effect.failed_closed = answer.failure.is_some();
            let rule = if effect.failed_closed { rules::DECIDE_CRITICAL } else { rules::DECIDE_DENY };
            end(&mut effect, rule, one, blocked_action(event.name));
            return effect;
        }
        if let Some((_, value)) = rewrite(event, answer) {
            let rule = if event.name == "BeforeResponse" {
                effect.extra.insert("updated_response".to_owned(), value);
                rules::DECIDE_MODIFY
            } else {
                effect.updated_input = Some(value);
                rules::DECIDE_REWRITE
            };
            end(&mut effect, rule, one, rewritten_action(event.name));
        }
    }
    let allows = |one: &&InterpretedRun<'_, HookAnswer>| one.answer.decision == Some(HookDecision::Allow);
    if let Some(first) = said.iter().find(allows).filter(|_| can_block) {
        effect.decision = Some(Verdict::Allow);
        if effect.deciders.is_empty() {
            end(&mut effect, rules::DECIDE_ALLOW, first, default_action(event.name));
        }
    }
    effect
}

fn blocked_action(event: &str) -> &'static str {
    match event {
        "PreToolUse" => "the tool does not run; the model gets the reason",
        "UserPromptSubmit" => "the prompt is dropped",
        "BeforeResponse" => "the response is withheld",
        _ => "the agent continues with the reason",
    }
}

fn rewritten_action(event: &str) -> &'static str {
    match event {
        "UserPromptSubmit" => "the new text replaces the prompt",
        "BeforeResponse" => "the new text replaces the response",
        _ => "the tool runs with the new input, if the user's settings allow it",
    }
}

/// Explains the outcome: the decision, then each run once with its part in it.
fn trace(
    event: &EventSpec,
    effect: &Effect,
    said: &[InterpretedRun<'_, HookAnswer>],
    runs: FiringRuns<'_>,
) -> Vec<TraceStep> {
    let ends = |why| TraceStep::new(rules::DECIDE_SEQUENCE_ENDS, format!("{why}: the hooks after it are skipped"));
    let decision = TraceStep::new(effect.rule.id, effect.rule.sentence(said.len())).because_all(runs.aborted.map(ends));
    let steps = said.iter().map(|one| {
        let (label, answer) = (one.label(), &one.answer);
        let decides = effect.part_of(one.run.run) == RunPart::Decides;
        let contributes = answer.message.is_some()
            || answer.context.is_some()
            || answer.suppresses
            || rewrite(event, answer).is_some()
            || (effect.decision.is_some() && answer.decision == Some(HookDecision::Allow));
        let described = if contributes && !decides {
            (rules::RUN_HEARD, format!("{label} contributes to the result"))
        } else {
            let part = if decides { RunPart::Decides } else { RunPart::None };
            describe_run(&label, part, answer.failure.is_some())
        };
        let counts = if decides { deciding_pointer(event, one.run) } else { None };
        RunStep::new(one.run, described, counts, decides || contributes)
    });
    explain(decision, steps, None)
}
