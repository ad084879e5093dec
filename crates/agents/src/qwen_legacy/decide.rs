//! Decides what the documents say that the agent does after the runs.

use serde_json::{Map, Value};

use super::answer::{HookAnswer, HookDecision, read_answer};
use super::{events, internal_payload, rules};
use crate::kernel::decision::{InterpretedRun, deciding_pointer, interpret, not_run, why_not_run};
use crate::shared::rules::DecisionRule;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, Verdict, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::plan::Plan;
use hookbench_base::trace::{Evidence, TraceStep};

/// The effect of a run on the runs after it.
pub fn after_run(run: &HookRun, scene: &Scene) -> NextStep {
    let Some(event) = events::by_name(&scene.input.event) else { return NextStep::SameInput };
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
    let event = events::by_name(&scene.input.event);
    let Some(event) = event.filter(|_| !runs.finished.is_empty()) else {
        let does = default_action(&scene.input.event);
        return not_run(rules::DECIDE_NOT_RUN, plan, why_not_run(plan, scene), does, None);
    };
    let read = |definition: &HookDefinition, run: &HookRun| read_answer(event, definition, &run.report);
    let said = interpret(runs.in_plan_order(), scene, read);
    let effect = SequenceEffect::of(event, &said);
    let decider = effect.decider.and_then(|index| said.get(index));
    let verdict = verdict_from_parts(VerdictParts {
        ran: true,
        denied: effect.blocked && !effect.failed_closed,
        failed_closed: effect.failed_closed,
        decision: effect.allowed.then_some(Verdict::Allow),
        unknown: false,
        failed: said.iter().any(|one| one.answer.failure.is_some()),
    });
    let joined = |texts: Vec<&str>| (!texts.is_empty()).then(|| texts.join("\n"));
    let mut outcome = Outcome {
        blocked: effect.blocked,
        decided_by: decider.map(|one| one.definition.id.clone()).into_iter().collect(),
        reason: decider.and_then(|one| one.answer.reason.clone().or_else(|| one.answer.failure.clone())),
        additional_context: joined(said.iter().filter_map(|one| one.answer.context.as_deref()).collect()),
        updated_input: effect.updated_input.clone(),
        system_message: joined(said.iter().filter_map(|one| one.answer.message.as_deref()).collect()),
        continues: !effect.stopped,
        stop_reason: decider.and_then(|one| one.answer.stop_reason.clone()).filter(|_| effect.stopped),
        suppress_output: said.iter().any(|one| one.answer.suppresses),
        seen_by: effect.blocked.then_some(if event.name == "UserPromptSubmit" { "the user" } else { "the model" }),
        trace: trace(event, &effect, &said, runs),
        ..Outcome::without_effect(verdict, effect.summary.clone())
    };
    if effect.allowed || !effect.blocked {
        outcome.reason = outcome.reason.filter(|_| effect.allowed);
    }
    if outcome.additional_context.is_some() {
        outcome.seen_by = Some("the model");
    }
    outcome.extra = extra(scene, &effect);
    outcome
}

/// The keys that only this agent has: the payload in the internal format, and a new response.
fn extra(scene: &Scene, effect: &SequenceEffect) -> Map<String, Value> {
    let mut extra = Map::new();
    let internal = internal_payload::to_internal_payload(&scene.input.body);
    extra.insert("internal_payload".to_owned(), internal);
    extra.extend(effect.updated_response.clone().map(|text| ("updated_response".to_owned(), Value::from(text))));
    extra
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

/// The combined effect of the hooks.
struct SequenceEffect {
    rule: DecisionRule,
    summary: String,
    blocked: bool,
    failed_closed: bool,
    allowed: bool,
    stopped: bool,
    updated_input: Option<Value>,
    updated_response: Option<String>,
    /// The index of the run that decides.
    decider: Option<usize>,
}

impl SequenceEffect {
    fn of(event: &EventSpec, said: &[InterpretedRun<'_, HookAnswer>]) -> SequenceEffect {
        let mut effect = SequenceEffect {
            rule: rules::DECIDE_GOES_ON,
            summary: default_action(event.name).to_owned(),
            blocked: false,
            failed_closed: false,
            allowed: false,
            stopped: false,
            updated_input: None,
            updated_response: None,
            decider: None,
        };
        let end = |effect: &mut SequenceEffect, rule, index, does: &str| {
            effect.rule = rule;
            effect.decider = Some(index);
            does.clone_into(&mut effect.summary);
        };
        let can_block = event.blockable_action.is_some();
        let stops_anyway = matches!(event.name, "Stop" | "SubagentStop");
        for (index, one) in said.iter().enumerate() {
            let answer = &one.answer;
            if answer.stops {
                effect.stopped = true;
                effect.blocked = can_block && !stops_anyway;
                end(&mut effect, rules::DECIDE_STOP, index, "the agent stops everything");
                return effect;
            }
            if can_block && (answer.decision == Some(HookDecision::Deny) || answer.fails_closed()) {
                effect.blocked = true;
                effect.failed_closed = answer.failure.is_some();
                let rule = if effect.failed_closed { rules::DECIDE_CRITICAL } else { rules::DECIDE_DENY };
                end(&mut effect, rule, index, blocked_action(event.name));
                return effect;
            }
            if let Some((_, value)) = rewrite(event, answer) {
                match event.name {
                    "BeforeResponse" => effect.updated_response.clone_from(&answer.updated_response),
                    _ => effect.updated_input = Some(value),
                }
                let modified = event.name == "BeforeResponse";
                let rule = if modified { rules::DECIDE_MODIFY } else { rules::DECIDE_REWRITE };
                end(&mut effect, rule, index, rewritten_action(event.name));
            }
        }
        let allows = |one: &InterpretedRun<'_, HookAnswer>| one.answer.decision == Some(HookDecision::Allow);
        let first = said.iter().position(allows).filter(|_| can_block);
        effect.allowed = first.is_some();
        if let (Some(index), None) = (first, effect.decider) {
            let does = default_action(event.name).to_owned();
            end(&mut effect, rules::DECIDE_ALLOW, index, &does);
        }
        effect
    }
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

/// Explains the outcome: the decision, then each run once with its role in it.
fn trace(
    event: &EventSpec,
    effect: &SequenceEffect,
    said: &[InterpretedRun<'_, HookAnswer>],
    runs: FiringRuns<'_>,
) -> Vec<TraceStep> {
    let mut decision = TraceStep::new(effect.rule.id, effect.rule.sentence(said.len()));
    if let Some(why) = runs.aborted {
        let says = format!("{why}: the hooks after it are skipped");
        decision = decision.because(TraceStep::new(rules::DECIDE_SEQUENCE_ENDS, says));
    }
    let mut others = Vec::new();
    for (index, one) in said.iter().enumerate() {
        let label = one.definition.label();
        let answer = &one.answer;
        let decides = effect.decider == Some(index);
        let heard = answer.message.is_some()
            || answer.context.is_some()
            || answer.suppresses
            || rewrite(event, answer).is_some()
            || (effect.allowed && answer.decision == Some(HookDecision::Allow));
        let role = match &answer.failure {
            _ if decides => TraceStep::new(rules::RUN_CAUSE, format!("{label} decides")),
            _ if heard => TraceStep::new(rules::RUN_HEARD, format!("{label} contributes to the result")),
            Some(_) => TraceStep::new(rules::RUN_FAILED, format!("{label} failed, which does not block")),
            None => TraceStep::new(rules::RUN_IRRELEVANT, format!("{label} does not change the outcome")),
        };
        let mut role = role.with_evidence(Evidence::Hook { hook: one.definition.id.clone() }).with_exit(one.run.run);
        if decides {
            role.evidence.extend(deciding_pointer(event, one.run));
        }
        let role = role.because_all(one.run.output.trace.clone());
        if decides || heard {
            decision = decision.because(role);
        } else {
            others.push(role);
        }
    }
    std::iter::once(decision).chain(others).collect()
}
