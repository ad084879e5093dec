//! Shows one run to the user: its vote, and whether the agent uses each key of its answer.

use serde_json::Value;

use super::answer::{HookAnswer, RunEnd, read_answer};
use super::spelling::camel_event;
use super::{events, rules};
use crate::shared::missing_keys::list_fields;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{AnswerForm, FieldUse, HookOutput, KeyUse, Vote};
use hookbench_base::run::RunReport;
use hookbench_base::trace::TraceStep;

/// Returns the agent's interpretation of a run.
pub fn read(definition: &HookDefinition, report: &RunReport) -> HookOutput {
    let answer = read_answer(&definition.event, report);
    let event = events::by_name(&definition.event);
    let fields = match (event, &answer.object) {
        (Some(event), Some(object)) => fields(event, &answer, &Value::Object(object.clone())),
        _ => Vec::new(),
    };
    HookOutput {
        form: answer.form,
        value: answer.object.clone().map(Value::Object),
        failure: answer.failure.clone(),
        vote: event.map_or(Vote::None, |event| vote(event, &answer)),
        fields,
        trace: vec![step(&answer, report)],
        ..HookOutput::default()
    }
}

/// Returns the hook's decision on this event.
fn vote(event: &EventSpec, answer: &HookAnswer) -> Vote {
    match (camel_event(event.name).as_str(), answer.end) {
        ("preToolUse" | "permissionRequest", RunEnd::Blocks) => Vote::Deny,
        ("preToolUse", _) => match answer.permission() {
            Some("deny") => Vote::Deny,
            Some("ask") => Vote::Ask,
            Some("allow") => Vote::Allow,
            _ => Vote::None,
        },
        ("permissionRequest", _) => match answer.text("behavior") {
            Some("deny") => Vote::Deny,
            Some("allow") => Vote::Allow,
            _ => Vote::None,
        },
        ("agentStop" | "subagentStop", _) if answer.blocks() && answer.text("reason").is_some() => Vote::Block,
        ("postToolUse" | "userPromptSubmitted", _) if answer.blocks() && answer.has_string("reason") => Vote::Block,
        _ => Vote::None,
    }
}

/// Explains how the answer was read, citing its stream.
fn step(answer: &HookAnswer, report: &RunReport) -> TraceStep {
    let exit = report.exit.describe();
    let step = match (answer.form, &answer.failure) {
        (_, Some(why)) => TraceStep::new(rules::OUTPUT_FAILED, why.clone()),
        (AnswerForm::Json, None) => {
            TraceStep::new(rules::OUTPUT_JSON, format!("its answer is the JSON on stdout ({exit})"))
                .with_stdout(report.run, "")
        }
        (AnswerForm::Text, None) => TraceStep::new(
            rules::OUTPUT_NOTHING,
            format!("stdout is not one JSON object, so it is not an answer ({exit})"),
        ),
        _ => TraceStep::new(rules::OUTPUT_NOTHING, format!("it printed no answer ({exit})")),
    };
    step.with_exit(report.run)
}

fn fields(event: &EventSpec, answer: &HookAnswer, value: &Value) -> Vec<FieldUse> {
    list_fields(
        value,
        |pointer| pointer == "/hookSpecificOutput",
        |pointer, value| use_of(event, answer, pointer, value),
    )
}

fn use_of(event: &EventSpec, answer: &HookAnswer, pointer: &str, value: &Value) -> (KeyUse, String) {
    if pointer.starts_with("/hookSpecificOutput") && !event.honoured_output.contains(&pointer) {
        let says = match (event.name, pointer) {
            (_, "/hookSpecificOutput/hookEventName") => "not checked".to_owned(),
            ("PreToolUse", _) => "not read".to_owned(),
            _ => format!("`hookSpecificOutput` counts only under PreToolUse, not under {}", event.name),
        };
        return (KeyUse::Ignored, says);
    }
    if !event.honoured_output.contains(&pointer) {
        return (KeyUse::Ignored, format!("not read on {}", event.name));
    }
    let key = pointer.rsplit('/').next().unwrap_or("");
    let word = value.as_str().unwrap_or("");
    match key {
        "permissionDecision" if !matches!(word, "allow" | "deny" | "ask") => {
            (KeyUse::Invalid, "only allow, deny and ask count".to_owned())
        }
        "behavior" if !matches!(word, "allow" | "deny") => (KeyUse::Invalid, "only allow and deny count".to_owned()),
        "decision" if word != "block" => (KeyUse::Invalid, "only block counts".to_owned()),
        "decision" if vote(event, answer) == Vote::None => (KeyUse::Ignored, "`block` needs a `reason`".to_owned()),
        "updatedInput" if value.is_null() => (KeyUse::Ignored, "null is the same as no key".to_owned()),
        "modifiedArgs" | "updatedInput" if !value.is_object() => {
            (KeyUse::Used, "the call fails, because it is not an object".to_owned())
        }
        "modifiedResult" if answer.new_result_text().is_none() => {
            (KeyUse::Invalid, "it needs the string `textResultForLlm`".to_owned())
        }
        "additionalContext" if value.as_str().is_none() && answer.printed_context().is_none() => {
            (KeyUse::Invalid, "not a string".to_owned())
        }
        _ => (KeyUse::Used, "used".to_owned()),
    }
}
