//! HW601, HW623: exit statuses that were meant to block and do not.

use super::Ran;
use crate::core::diagnostic::Diagnostic;
use crate::core::output::Vote;
use crate::core::run::Exit;

pub(super) fn look(at: &Ran<'_>) -> Vec<Diagnostic> {
    let Exit::Code(code) = at.run.report.exit else { return Vec::new() };
    let output = &at.run.output;
    if !at.awaited() || at.event.blocks.is_none() || output.vote != Vote::None || output.failure.is_none() {
        return Vec::new();
    }
    let event = at.event.name;
    match code {
        0 => Vec::new(),
        2 if at.run.report.stderr.text().trim().is_empty() && at.event.exit_2.contains("stderr") => {
            let says = format!("exit status 2 with nothing on stderr does not block {event}");
            let blank = at.run.report.stdout.text().trim().is_empty();
            let help = if blank { "print the reason on stderr" } else { "print the reason on stderr, not on stdout" };
            vec![Diagnostic::error("HW623", says).help(help)]
        }
        2 => Vec::new(),
        code => {
            let says = format!("exit status {code} does not block {event}; status 2 with the reason on stderr does");
            let help = "exit with 2, or print a JSON answer and exit with 0";
            vec![Diagnostic::warning("HW601", says).help(help)]
        }
    }
}
