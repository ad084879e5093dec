//! HW620: the same hook answers differently to the same input.

use crate::decide::HookRun;
use crate::diagnostic::{Code, Diagnostic};
use crate::output::Vote;
use crate::run::{Exit, RunReport};

/// The result of an earlier run.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierRun {
    /// Names the run: `run 3`, `a recorded run`.
    pub label: String,
    pub vote: Vote,
    pub report: RunReport,
}

/// Returns a finding if two runs of the same hook with the same input voted differently. Runs that were cancelled
/// or timed out do not count.
pub fn compare_runs(now: &HookRun, before: &EarlierRun) -> Option<Diagnostic> {
    let answered = |exit: &Exit| matches!(exit, Exit::Code(_) | Exit::Http { .. });
    if !answered(&now.report.exit) || !answered(&before.report.exit) || now.output.vote == before.vote {
        return None;
    }
    let says = format!(
        "the same input gave `{}` in {} and gives `{}` now",
        before.vote.words(),
        before.label,
        now.output.vote.words()
    );
    let note = format!("then {}, now {}", before.report.exit.describe(), now.report.exit.describe());
    let help = "the hook depends on more than its input: a file, the time or the network";
    Some(Diagnostic::new(Code::HW620, says).with_note(note).with_help(help))
}
