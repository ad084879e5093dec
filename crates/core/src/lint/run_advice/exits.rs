//! HW601, HW623: exit statuses that were meant to block and do not.

use super::FiringContext;
use crate::decide::HookRun;
use crate::diagnostic::{Code, Diagnostic};
use crate::lint::commands::consequence::status_blocks_in;
use crate::output::Vote;
use crate::run::{Exit, RunId};

pub(super) fn check(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    if at.event.blockable_action.is_none() {
        return Vec::new();
    }
    at.runs.iter().filter_map(|run| Some((run.run, one(at, run)?))).collect()
}

fn one(at: &FiringContext<'_>, run: &HookRun) -> Option<Diagnostic> {
    let Exit::Code(code) = run.report.exit else { return None };
    let output = &run.output;
    // A status from a failing program was not chosen by the author.
    let chosen = !output.notes.iter().any(|note| note.code == Code::HW422);
    let vain = output.vote == Vote::None && output.failure.is_some() && !at.outcome.decided_by.contains(&run.hook);
    if !run.awaited || !chosen || !vain {
        return None;
    }
    // On an event that status 2 does not block, the author did not confuse it with status 1.
    let definition = at.scene.loaded.definition(&run.hook)?;
    if !status_blocks_in(at.dialect, at.event, definition, at.scene, 2) {
        return None;
    }
    let event = at.event.name;
    match code {
        0 => None,
        2 if run.report.stderr.text().trim().is_empty() => {
            let says = format!("exit 2 with an empty stderr does not block {event}");
            let blank = run.report.stdout.text().trim().is_empty();
            let help = if blank { "print the reason on stderr" } else { "print the reason on stderr, not on stdout" };
            Some(Diagnostic::new(Code::HW623, says).with_help(help))
        }
        2 => None,
        code => {
            let says = format!("exit {code} does not block {event}; use exit 2");
            let help = "exit with 2 and the reason on stderr, or print a JSON answer and exit with 0";
            Some(Diagnostic::new(Code::HW601, says).with_help(help))
        }
    }
}
