//! HW620: the same hook, given the same, says something else.

use crate::decide::HookRun;
use crate::diagnostic::Diagnostic;
use crate::output::Vote;
use crate::run::{Exit, RunReport};

/// What a run before came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    /// Which run that was: `run 3`, `a recorded run`.
    pub which: String,
    pub vote: Vote,
    pub report: RunReport,
}

/// The finding, where two runs that were given the same and started the same differ in what they say to the event. Runs
/// that were broken off, or ran out of time, prove nothing.
pub fn differs(now: &HookRun, before: &Before) -> Option<Diagnostic> {
    let answered = |exit: &Exit| matches!(exit, Exit::Code(_) | Exit::Http { .. });
    if !answered(&now.report.exit) || !answered(&before.report.exit) || now.output.vote == before.vote {
        return None;
    }
    let says = format!(
        "the same input got `{}` in {} and gets `{}` now",
        before.vote.words(),
        before.which,
        now.output.vote.words()
    );
    let note = format!("then {}, now {}", before.report.exit.words(), now.report.exit.words());
    let help = "it depends on something beside its input: a file that it keeps, the time, the network";
    Some(Diagnostic::warning("HW620", says).note(note).help(help))
}
