//! Shows one run to the user: its vote, and the use of each key of its answer.

use super::answer::{HookAnswer, HookDecision, read_answer};
use super::{events, rules};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{AnswerForm, HookOutput, Vote};
use hookbench_base::run::{Exit, RunReport, Stream};
use hookbench_base::trace::{Evidence, TraceStep};

/// Returns the interpretation of a run.
pub fn read(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let Some(event) = events::EVENTS.by_name(&scene.input.event) else { return HookOutput::default() };
    let answer = read_answer(event, definition, report);
    let text = (answer.form == AnswerForm::Text)
        .then(|| answer.reason.clone().unwrap_or_else(|| report.stdout.text().trim().to_owned()));
    HookOutput {
        form: answer.form,
        value: answer.value.clone(),
        text,
        failure: answer.failure.clone(),
        vote: vote(event, &answer),
        fields: answer.fields.clone(),
        notes: Vec::new(),
        trace: vec![step(&answer, report)],
    }
}

fn vote(event: &EventSpec, answer: &HookAnswer) -> Vote {
    let denies = answer.decision == Some(HookDecision::Deny) || answer.fails_closed();
    match answer.decision {
        _ if denies && event.subject.is_some() => Vote::Deny,
        _ if denies && event.blockable_action.is_some() => Vote::Block,
        Some(HookDecision::Allow) => Vote::Allow,
        _ => Vote::None,
    }
}

/// Explains how the answer was read, citing its stream.
fn step(answer: &HookAnswer, report: &RunReport) -> TraceStep {
    let exit = report.exit.describe();
    let of_stderr = report.exit == Exit::Code(2);
    let stream = if of_stderr { Stream::Stderr } else { Stream::Stdout };
    let step = match (answer.form, &answer.failure) {
        (_, Some(why)) => TraceStep::new(rules::OUTPUT_FAILED, format!("it failed: {why}")),
        (AnswerForm::Json, None) => {
            TraceStep::new(rules::OUTPUT_JSON, format!("its answer is the JSON object on stdout ({exit})"))
        }
        (AnswerForm::Text, None) if of_stderr => {
            TraceStep::new(rules::OUTPUT_TEXT, "exit 2 blocks; stderr is the reason, and stdout is ignored")
        }
        (AnswerForm::Text, None) => {
            TraceStep::new(rules::OUTPUT_TEXT, format!("it printed text, which has no effect ({exit})"))
        }
        _ => TraceStep::new(rules::OUTPUT_NOTHING, format!("it gave no answer ({exit})")),
    };
    let cites = answer.failure.is_none() && matches!(answer.form, AnswerForm::Json | AnswerForm::Text);
    let step =
        if cites { step.with_evidence(Evidence::Output { run: report.run, stream, pointer: None }) } else { step };
    step.with_exit(report.run)
}
