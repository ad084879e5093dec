//! Evidence for a decision: how a run answered, which key of its answer counted, and why no hook ran.

use hookbench_base::decide::{HookRun, Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::names::RuleId;
use hookbench_base::output::AnswerForm;
use hookbench_base::plan::Plan;
use hookbench_base::trace::{Evidence, TraceStep};

/// Describes how a run answered: the first step of its trace, or its exit status if it has no trace.
pub fn describe_answer(run: &HookRun) -> String {
    run.output.trace.first().map_or_else(|| run.report.exit.describe(), |step| step.message.clone())
}

/// Returns the key of a JSON answer that the event reads first. Returns `None` if the answer is not JSON or has no
/// such key.
pub fn deciding_pointer(event: &EventSpec, run: &HookRun) -> Option<Evidence> {
    let value = run.output.value.as_ref().filter(|_| run.output.form == AnswerForm::Json)?;
    let pointer = event.honoured_output.iter().find(|pointer| value.pointer(pointer).is_some())?;
    let stream = run.output.trace.iter().flat_map(|step| &step.evidence).find_map(|evidence| match evidence {
        Evidence::Output { stream, .. } => Some(*stream),
        _ => None,
    })?;
    Some(Evidence::Output { run: run.run, stream, pointer: Some((*pointer).to_owned()) })
}

/// Returns why no hook of the event ran.
pub fn why_not_run(plan: &Plan, scene: &Scene) -> String {
    let event = scene.input.event.as_str();
    match &plan.lost {
        Some(lost) => lost.why.message.clone(),
        None if plan.entries.is_empty() => scene.loaded.why_no_hooks(event),
        None => format!("no hook of {event} runs"),
    }
}

/// The outcome of an event without a running hook: the agent's usual action, and why each of the hooks does not run.
pub fn not_run(rule: RuleId, plan: &Plan, scene: &Scene, does: &str, basis: Option<&'static str>) -> Outcome {
    let step = TraceStep::new(rule, why_not_run(plan, scene));
    let step = basis.into_iter().fold(step, |step, text| step.with_evidence(Evidence::Basis { text }));
    let step = plan.entries.iter().fold(step, |step, entry| {
        let child = TraceStep::new(entry.why.rule, entry.why.message.clone());
        step.because(child.with_evidence(Evidence::Hook { hook: entry.hook.clone() }))
    });
    Outcome { trace: vec![step], ..Outcome::without_effect(Verdict::NotRun, does) }
}
