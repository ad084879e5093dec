//! The parts of a decision that the agents share: its minimal causes, and its explanation.

use crate::kernel::decision::{NO_SESSION, RunStep, broken_off, deciding_pointer, explain, why_not_run};
use crate::kernel::effect::Effect;
use crate::shared::gemini_fork::rules;
use hookbench_base::decide::{HookRun, Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::Vote;
use hookbench_base::plan::{Plan, Selection};
use hookbench_base::run::Exit;
use hookbench_base::trace::{Evidence, TraceStep};

/// Returns the outcome if no hook ran. `default_action` is what the agent does then.
pub fn not_run(plan: &Plan, scene: &Scene, default_action: &str, basis: &'static str) -> Outcome {
    let maybe = plan.entries.iter().any(|e| e.selection == Selection::Unknown);
    let verdict = if maybe { Verdict::Unknown } else { Verdict::NotRun };
    let refuses = scene.loaded.refusal.is_some();
    let does = if refuses { NO_SESSION } else { default_action };
    let step = TraceStep::new(rules::DECIDE_NOT_RUN, why_not_run(plan, scene));
    let trace = vec![step.with_evidence(Evidence::Basis { text: basis })];
    Outcome { trace, ..Outcome::without_effect(verdict, does) }
}

/// Returns a minimal set of these runs whose outputs alone have the same effect.
pub fn causes(mut kept: Vec<usize>, effect: &Effect, effect_of: impl Fn(&[usize]) -> Effect) -> Vec<usize> {
    for index in kept.clone().into_iter().rev() {
        let without: Vec<usize> = kept.iter().copied().filter(|i| *i != index).collect();
        if effect_of(&without) == *effect {
            kept = without;
        }
    }
    kept
}

/// The parts that some runs have in an outcome.
pub struct RunRoles<'a> {
    pub causes: &'a [usize],
    /// The causes that decide; the others only contribute text.
    pub deciders: &'a [usize],
    /// The run that made the agent throw, and why.
    pub culprit: Option<(usize, String)>,
}

/// Explains the runs beside the step of the decision: each once as a cause, as irrelevant or as failed.
pub fn explain_runs<'a>(
    scene: &Scene,
    event: Option<&EventSpec>,
    decision: TraceStep,
    runs: impl Iterator<Item = (usize, &'a HookRun)>,
    roles: &RunRoles<'_>,
    aborted: Option<&str>,
) -> Vec<TraceStep> {
    let steps = runs.map(|(index, run)| {
        let label = scene.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), HookDefinition::label);
        let culprit = roles.culprit.as_ref().filter(|(culprit, _)| *culprit == index);
        let is_cause = roles.causes.contains(&index);
        let described = if let Some((_, why)) = culprit {
            (rules::RUN_CULPRIT, format!("{label}: {why}"))
        } else if roles.deciders.contains(&index) && run.output.vote != Vote::None {
            (rules::RUN_CAUSE, format!("{label}: {}", describe_answer(run)))
        } else if is_cause {
            (rules::RUN_CAUSE, format!("{label} contributes to the result"))
        } else if run.report.exit == Exit::Unanswered {
            (rules::RUN_UNANSWERED, format!("only the agent's model can answer for {label}"))
        } else if run.output.failure.is_some() {
            (rules::RUN_FAILED, format!("{label} failed and does not change the outcome"))
        } else {
            (rules::RUN_IRRELEVANT, format!("{label} does not change the outcome"))
        };
        let counts = event.filter(|_| is_cause).and_then(|event| deciding_pointer(event, run));
        RunStep::new(run, described, counts, is_cause || culprit.is_some())
    });
    explain(decision, steps, aborted.map(broken_off))
}

/// Describes how a run answered: the first step of its trace, or its exit status if it has no trace.
fn describe_answer(run: &HookRun) -> String {
    run.output.trace.first().map_or_else(|| run.report.exit.describe(), |step| step.message.clone())
}
