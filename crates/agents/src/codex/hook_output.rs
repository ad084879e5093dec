//! Shows one run to the user: its vote, and whether Codex uses each key of its answer.

use crate::codex::rules;
use serde_json::Value;

use super::answer::{HookAnswer, HookRunStatus, read_answer};
use super::answer_lints::check_answer;
use super::events;
use crate::shared::missing_keys::list_fields;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{AnswerForm, FieldUse, HookOutput, KeyUse, Vote};
use hookbench_base::run::{RunReport, Stream};
use hookbench_base::trace::{Evidence, TraceStep};

/// Returns Codex's interpretation of a run.
pub fn read(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = read_answer(&scene.input.event, report);
    let event = events::EVENTS.by_name(&scene.input.event);
    let vote = if definition.detached { Vote::None } else { vote(&scene.input.event, &answer) };
    let fields = match (event, &answer.value) {
        (Some(event), Some(value)) => fields(event, &answer, value, definition.detached),
        _ => Vec::new(),
    };
    let text = match (answer.form, answer.stream) {
        (AnswerForm::Text, Some(Stream::Stderr)) => answer.reason.clone(),
        (AnswerForm::Text, _) => Some(report.stdout.text().trim().to_owned()),
        _ => None,
    };
    HookOutput {
        form: answer.form,
        value: answer.value.clone().filter(|_| answer.form == AnswerForm::Json),
        text,
        // Codex does not report the failure of an async hook.
        failure: answer.failure.clone().filter(|_| !definition.detached),
        vote,
        fields,
        notes: event
            .filter(|_| !definition.detached)
            .map(|event| check_answer(event, &answer, report))
            .unwrap_or_default()
            .into_iter()
            .map(|note| note.at(definition.provenance.span))
            .collect(),
        trace: vec![step(&answer, report, definition.detached)],
    }
}

fn vote(event: &str, answer: &HookAnswer) -> Vote {
    match answer.status {
        HookRunStatus::Blocked if matches!(event, "PreToolUse" | "PermissionRequest") => Vote::Deny,
        HookRunStatus::Blocked => Vote::Block,
        HookRunStatus::Stopped if event != "PostCompact" => Vote::Block,
        _ if answer.approves => Vote::Allow,
        _ => Vote::None,
    }
}

/// Explains how the answer was read, citing its stream.
fn step(answer: &HookAnswer, report: &RunReport, detached: bool) -> TraceStep {
    let exit = report.exit.describe();
    let stream = if answer.stream == Some(Stream::Stderr) { "stderr" } else { "stdout" };
    let step = match (answer.form, &answer.failure) {
        (AnswerForm::Rejected, Some(why)) => {
            TraceStep::new(rules::OUTPUT_VOID, format!("its answer is invalid: {why}"))
        }
        (AnswerForm::Json, Some(why)) => TraceStep::new(rules::OUTPUT_VOID, format!("its answer is invalid: {why}")),
        (_, Some(why)) => TraceStep::new(rules::OUTPUT_FAILED, format!("it failed: {why}")),
        (AnswerForm::Json, None) => {
            TraceStep::new(rules::OUTPUT_JSON, format!("its answer is the JSON object on {stream} ({exit})"))
        }
        (AnswerForm::Text, None) => {
            TraceStep::new(rules::OUTPUT_TEXT, format!("its answer is the text on {stream} ({exit})"))
        }
        (AnswerForm::Nothing, None) => TraceStep::new(rules::OUTPUT_NOTHING, format!("it gave no answer ({exit})")),
        (_, None) => TraceStep::new(rules::OUTPUT_UNANSWERED, format!("it has no answer ({exit})")),
    };
    let step = if detached {
        step.because(TraceStep::new(
            rules::OUTPUT_ASYNC,
            "the agent does not wait for it: only its context and its warning count",
        ))
    } else {
        step
    };
    match answer.stream {
        Some(stream) => {
            step.with_evidence(Evidence::Output { run: report.run, stream, pointer: None }).with_exit(report.run)
        }
        None => step.with_exit(report.run),
    }
}

/// Returns every key with its use.
fn fields(event: &EventSpec, answer: &HookAnswer, value: &Value, detached: bool) -> Vec<FieldUse> {
    let descends = |pointer: &str| matches!(pointer, "/hookSpecificOutput" | "/hookSpecificOutput/decision");
    list_fields(value, descends, |pointer, _| field_use(event, answer, pointer, detached))
}

fn field_use(event: &EventSpec, answer: &HookAnswer, pointer: &str, detached: bool) -> (KeyUse, String) {
    let ignored = |says: &str| (KeyUse::Ignored, says.to_owned());
    if let Some(fault) = &answer.fault {
        let within = fault.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        return if within {
            (KeyUse::Invalid, format!("{}; the whole answer is invalid", fault.message))
        } else {
            ignored("lost, because the answer is invalid")
        };
    }
    if pointer == "/systemMessage" && event.honoured_output.contains(&pointer) {
        return (KeyUse::Used, String::new());
    }
    if answer.failure.is_some() {
        return if is_blamed(answer, pointer) {
            (KeyUse::Invalid, answer.failure.clone().unwrap_or_default())
        } else {
            ignored("lost, because the answer is invalid")
        };
    }
    if detached && !pointer.ends_with("/additionalContext") {
        return ignored("the agent does not wait for this hook");
    }
    if event.honoured_output.contains(&pointer) {
        return (KeyUse::Used, String::new());
    }
    match pointer {
        "/continue" | "/suppressOutput" => ignored("the default, or without effect here"),
        _ => (KeyUse::Ignored, format!("not read on {}", event.name)),
    }
}

/// Returns whether the failure names this key.
fn is_blamed(answer: &HookAnswer, pointer: &str) -> bool {
    let name = pointer.rsplit('/').next().unwrap_or("");
    let why = answer.failure.as_deref().unwrap_or("");
    why.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name)
}
