//! Findings after a firing: rules for a single run and rules for all runs together. They do not change how an
//! agent interprets a run.

mod answer_keys;
mod answers;
mod context;
mod exits;
mod run_comparison;
mod stdin;
mod stop_blocks;
mod streams;
mod timing;
mod tool_failures;
mod verdicts;

use crate::diagnostic::{Code, Diagnostic};
use crate::run::{Exit, RunId};

pub use context::{FiringContext, RunContext};
pub use run_comparison::{EarlierRun, compare_runs};
pub use timing::check_durations;

/// A rule that checks one run.
type RunRule = fn(&RunContext<'_>) -> Vec<Diagnostic>;

const RULES: &[RunRule] = &[
    tool_failures::check,
    answers::check,
    streams::check,
    answer_keys::check,
    stdin::check,
    timing::check,
    stop_blocks::check,
    stop_blocks::check_stop_cap,
    verdicts::check_background,
];

/// Returns the findings about one run, without those that the agent's reader has already reported.
pub fn check_run(at: &RunContext<'_>) -> Vec<Diagnostic> {
    if matches!(at.run.report.exit, Exit::Unanswered | Exit::Cancelled) || at.run.is_cut_short() {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> = RULES.iter().flat_map(|rule| rule(at)).collect();
    // If a program failed, it is unknown whether the hook would have used its input.
    if found.iter().any(|d| d.code == Code::HW422) {
        found.retain(|d| !matches!(d.code, Code::HW420 | Code::HW421));
    }
    found.retain(|d| !at.run.output.notes.iter().any(|known| known.code == d.code));
    for one in &mut found {
        one.span = one.span.or(Some(at.definition.provenance.span));
    }
    found
}

/// Returns the findings about an answer alone, without the run that printed it.
pub(in crate::lint) fn check_answer(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = answers::check(at).into_iter().chain(answer_keys::check(at)).collect();
    found.retain(|d| !at.run.output.notes.iter().any(|known| known.code == d.code));
    found.extend(at.run.output.notes.iter().cloned());
    found
}

/// Returns the findings about the streams of a run alone.
pub(in crate::lint) fn check_output(at: &RunContext<'_>) -> Vec<Diagnostic> {
    streams::check(at)
}

/// Returns the findings about a firing as a whole, each with the run that it is about.
pub fn check_firing(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    let mut found = verdicts::check_verdicts(at);
    found.extend(exits::check(at));
    found.extend(timing::check_timeouts(at));
    for (run, one) in &mut found {
        let hook = at.runs.iter().find(|r| r.run == *run).map(|r| &r.hook);
        let definition = hook.and_then(|hook| at.scene.loaded.definition(hook));
        one.span = one.span.or(definition.map(|d| d.provenance.span));
    }
    found
}
