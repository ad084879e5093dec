//! The trace of an outcome. Every run appears once: as a cause, as a failure, or as a run without influence.
//!
//! The causes are found by experiment: a run is not a cause if the outcome stays the same without its answer and
//! without the answers already removed. The answers that remain always produce the outcome by themselves.

use super::super::answer::{self, BlockCause, ForcedBlock, HookAnswer};
use super::super::{events, hook_output};
use super::{AnsweredRun, fold};
use crate::claude_code::rules;
use hookbench_base::decide::{Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::names::RuleId;
use hookbench_base::output::AnswerForm;
use hookbench_base::run::Exit;
use hookbench_base::text::capitalized;
use hookbench_base::trace::{Evidence, TraceStep};

/// Returns the trace steps of an outcome.
pub fn trace(outcome: &Outcome, said: &[AnsweredRun<'_>], doubtful: &[&str], scene: &Scene) -> Vec<TraceStep> {
    let causes = causes(outcome, said, doubtful, scene);
    let basis = Evidence::Basis { text: "spec §10 and §11, measured on 2.1.329" };
    let mut main =
        TraceStep::new(rule(outcome), outcome_sentence(outcome, said, &scene.input.event)).with_evidence(basis);
    for pair in order_matters(said, scene).windows(2) {
        if let [before, after] = pair {
            main = main.with_evidence(Evidence::Order { before: before.run.run, after: after.run.run });
        }
    }
    let mut others = Vec::new();
    for (one, is_cause) in said.iter().zip(causes) {
        if is_cause {
            main = main.because(cause_step(one, scene));
        } else {
            others.push(no_influence_step(one, &scene.input.event));
        }
    }
    for hook in doubtful {
        let says = "it is unknown whether this hook runs, so it could change the outcome";
        others.push(
            TraceStep::new(rules::DECIDE_NOT_KNOWN, says).with_evidence(Evidence::Hook { hook: (*hook).to_owned() }),
        );
    }
    std::iter::once(main).chain(others).collect()
}

/// Removes answers one by one, and restores those that make a difference. Returns for each run whether it is a
/// cause.
fn causes(outcome: &Outcome, said: &[AnsweredRun<'_>], doubtful: &[&str], scene: &Scene) -> Vec<bool> {
    let mut rest: Vec<AnsweredRun<'_>> = said.to_vec();
    let mut causes = vec![false; said.len()];
    for index in 0..said.len() {
        let (Some(one), Some(flag)) = (rest.get_mut(index), causes.get_mut(index)) else { continue };
        let silent = answer::empty_answer(&one.answer.command);
        let before = std::mem::replace(&mut one.answer, silent);
        *flag = fold(&rest, doubtful, scene) != *outcome;
        if *flag && let Some(one) = rest.get_mut(index) {
            one.answer = before;
        }
    }
    causes
}

fn rule(outcome: &Outcome) -> RuleId {
    match outcome.verdict {
        Verdict::Deny => rules::DECIDE_BLOCKED,
        Verdict::FailedClosed => rules::DECIDE_FAILED_CLOSED,
        Verdict::Ask => rules::DECIDE_ASK,
        Verdict::Allow => rules::DECIDE_ALLOW,
        Verdict::Unknown => rules::DECIDE_UNKNOWN,
        Verdict::FailedOpen => rules::DECIDE_FAILED_OPEN,
        Verdict::NoObjection | Verdict::NotRun => rules::DECIDE_NO_OBJECTION,
    }
}

/// Describes the agent's action and the rule behind it.
fn outcome_sentence(outcome: &Outcome, said: &[AnsweredRun<'_>], event: &str) -> String {
    let asks =
        |one: &AnsweredRun<'_>| one.answer.specific_output("permissionDecision").is_some_and(|word| word == "ask");
    let text = capitalized(&outcome.agent_does);
    let rule = match (outcome.verdict, event) {
        (Verdict::Allow | Verdict::Deny, "PermissionRequest") => "the first decision wins",
        (_, "Stop" | "SubagentStop") if !outcome.continues => "one hook with `continue: false` is enough",
        (Verdict::Deny, _) => "one hook that denies is enough",
        (Verdict::FailedClosed, _) => "a failed hook blocks here",
        (Verdict::Ask, "PreToolUse") if !said.iter().any(asks) => "a hook allows, and the user's rules come first",
        (Verdict::Ask, _) => "no hook denies, and one asks the user",
        (Verdict::Allow, _) => "a hook allows, and no hook denies or asks",
        (Verdict::Unknown, _) => "a hook that has not answered could deny",
        (Verdict::FailedOpen, _) => "no hook decided, and a failed hook does not block",
        (Verdict::NoObjection, _) if !outcome.continues => "one hook with `continue: false` is enough",
        (Verdict::NoObjection | Verdict::NotRun, _) if outcome.decided_by.is_empty() => "no hook decides anything",
        (Verdict::NoObjection | Verdict::NotRun, _) => "hooks cannot block here; the agent uses their output",
    };
    format!("{text}: {rule}")
}

/// Returns the blocking runs, on events where their order decides whose text is used.
fn order_matters<'a, 'b>(said: &'a [AnsweredRun<'b>], scene: &Scene) -> Vec<&'a AnsweredRun<'b>> {
    let matters = matches!(scene.input.event.as_str(), "PreToolUse" | "UserPromptSubmit" | "UserPromptExpansion");
    said.iter().filter(|s| matters && s.is_awaited() && s.answer.block().is_some()).collect()
}

fn hook_label(one: &AnsweredRun<'_>) -> String {
    one.definition.label()
}

fn event_spec(scene: &Scene) -> Option<&'static EventSpec> {
    events::find(&scene.input.event)
}

/// Describes the effect of exit status 2 on this event.
fn exit_2_sentence(one: &AnsweredRun<'_>, scene: &Scene) -> String {
    let silent = one.run.report.stderr.head.is_empty();
    match event_spec(scene).filter(|spec| !hook_output::blocks_by_exit_2(spec)) {
        Some(spec) if spec.honoured_output.contains(&"/decision") && silent => {
            "exit 2 does not block here; stderr is empty".to_owned()
        }
        Some(spec) if spec.honoured_output.contains(&"/decision") => "exit 2: the model receives its stderr".to_owned(),
        Some(_) => "exit 2 does not block here".to_owned(),
        None if silent => "exit 2 blocks; stderr contains no reason".to_owned(),
        None => "exit 2 blocks; its stderr is the reason".to_owned(),
    }
}

/// Describes a run that is a cause of the outcome.
fn cause_step(one: &AnsweredRun<'_>, scene: &Scene) -> TraceStep {
    let run = one.run.run;
    let name = hook_label(one);
    let answer = &one.answer;
    if answer.unanswered {
        let says = format!("{name} has no answer: only the agent itself can run it");
        return TraceStep::new(rules::ANSWER_UNANSWERED, says).with_exit(run);
    }
    if let Some(block) = answer.block() {
        let text = block.text.trim_end();
        return match block.cause {
            BlockCause::Exit2 => TraceStep::new(rules::EXIT_2, format!("{name}: {}", exit_2_sentence(one, scene)))
                .with_exit(run)
                .with_stderr(run),
            BlockCause::OnFailure => {
                let says = format!("{name} failed, and its `onFailure` is \"block\": {text}");
                TraceStep::new(rules::FAILURE_BLOCKS, says).with_exit(run).with_stderr(run)
            }
            BlockCause::Unsupported => {
                TraceStep::new(rules::EVENT_HANDLER_TYPE, format!("{name}: {text}")).with_exit(run)
            }
            BlockCause::Answer => {
                let pointer = if answer.objection.is_some() {
                    "/ok"
                } else if answer.refused_command.is_some() {
                    refusing_pointer(answer)
                } else if answer.specific_output("permissionDecision").is_some_and(|d| d == "deny") {
                    "/hookSpecificOutput/permissionDecision"
                } else {
                    "/decision"
                };
                let blocks = event_spec(scene).is_none_or(|spec| spec.blockable_action.is_some());
                let says = if blocks { "its JSON answer denies" } else { "its JSON answer is feedback for the model" };
                TraceStep::new(rules::ANSWER_BLOCKS, format!("{name}: {says}")).with_exit(run).with_stdout(run, pointer)
            }
        };
    }
    if let Some(failure) = &answer.failure {
        return TraceStep::new(rules::ANSWER_FAILED, format!("{name} gave no usable answer: {failure}"))
            .with_exit(run)
            .with_stdout(run, answer.refusal.as_ref().map_or("", |r| r.pointer.as_str()));
    }
    if matches!(answer.forced_block, Some(ForcedBlock::Exit2(_))) && answer.json.is_none() {
        return TraceStep::new(rules::EXIT_2, format!("{name} exited with 2")).with_exit(run).with_stderr(run);
    }
    if answer.form == AnswerForm::Text {
        let says = format!("{name} printed text, which the model receives on {}", scene.input.event);
        return TraceStep::new(rules::ANSWER_TEXT, says).with_exit(run).with_stdout(run, "");
    }
    let fields = answer.json.as_ref().map(used_pointers).unwrap_or_default();
    let decision = answer.specific_output("permissionDecision").and_then(serde_json::Value::as_str);
    let says = match decision {
        Some(decision) => format!("{name} answers with `permissionDecision`: \"{decision}\""),
        None => format!("{name} answers with {}", names(&fields)),
    };
    let mut step = TraceStep::new(rules::ANSWER_FIELDS, says).with_exit(run);
    for pointer in &fields {
        step = step.with_stdout(run, pointer);
    }
    step
}

/// Returns the field with which an answer refuses a command of a skill.
fn refusing_pointer(answer: &HookAnswer) -> &'static str {
    let decision = answer.specific_output("permissionDecision");
    if decision.is_some_and(|decision| decision != "allow") {
        "/hookSpecificOutput/permissionDecision"
    } else if answer.top_text("decision") == Some("block") {
        "/decision"
    } else if answer.specific_output("updatedInput").is_some() {
        "/hookSpecificOutput/updatedInput"
    } else {
        "/hookSpecificOutput/decision"
    }
}

/// Returns pointers to the fields of an answer, without `hookEventName`.
fn used_pointers(json: &serde_json::Map<String, serde_json::Value>) -> Vec<String> {
    let mut out = Vec::new();
    for (key, value) in json {
        match value.as_object().filter(|_| key == "hookSpecificOutput") {
            Some(own) => {
                let inner = own.keys().filter(|k| *k != "hookEventName").map(|k| format!("/{key}/{k}"));
                out.extend(inner);
            }
            None => out.push(format!("/{key}")),
        }
    }
    out
}

fn names(pointers: &[String]) -> String {
    let last = |p: &String| format!("`{}`", p.rsplit('/').next().unwrap_or(p));
    if pointers.is_empty() {
        "an empty object".to_owned()
    } else {
        pointers.iter().map(last).collect::<Vec<_>>().join(", ")
    }
}

/// Describes a run without which the outcome would be the same.
fn no_influence_step(one: &AnsweredRun<'_>, event: &str) -> TraceStep {
    let run = one.run.run;
    let name = hook_label(one);
    let hook = Evidence::Hook { hook: one.run.hook.clone() };
    if !one.is_awaited() {
        let says = format!("{name} runs in the background; the agent does not wait for its decision");
        return TraceStep::new(rules::RUN_DETACHED, says).with_evidence(hook);
    }
    if let Some(failure) = &one.answer.failure {
        let says = format!("{name} gave no usable answer: {failure}");
        return TraceStep::new(rules::ANSWER_FAILED, says).with_evidence(hook).with_exit(run);
    }
    if one.answer.unanswered {
        let says = format!("{name} has no answer, but it could not change the outcome");
        return TraceStep::new(rules::ANSWER_UNANSWERED, says).with_evidence(hook).with_exit(run);
    }
    let says = match (&one.answer.form, &one.run.report.exit) {
        (AnswerForm::Nothing, Exit::Code(0)) if event == "WorktreeCreate" => {
            format!("{name} printed no directory, and {event} needs one")
        }
        (AnswerForm::Nothing, Exit::Code(0)) => format!("{name} has no objection"),
        (AnswerForm::Text, _) => format!("{name} printed text, which is discarded"),
        _ => format!("{name} does not change the outcome"),
    };
    TraceStep::new(rules::ANSWER_IRRELEVANT, says).with_evidence(hook)
}
