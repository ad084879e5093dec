//! HW105: a command without a program.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::hook::Handler;
use crate::lint::handler_spans;

/// Checks for a command that is empty, or that consists of blanks or comments.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let Handler::Command(command) = &at.definition.handler else { return None };
    let lines = || command.command.lines().map(str::trim).filter(|line| !line.is_empty());
    let handler = at.handler_span();
    let inside = |note: &Diagnostic| {
        let place = note.span.filter(|span| span.source == handler.source);
        note.code == Code::HW105 && place.is_some_and(|span| (handler.start..handler.end).contains(&span.start))
    };
    if command.args.is_some() || !lines().all(|line| line.starts_with('#')) || at.agent.loaded.notes.iter().any(inside)
    {
        return None;
    }
    let what = if lines().next().is_some() { "contains only a comment" } else { "is blank" };
    let says = format!("the command {what}, so this hook does nothing");
    let found = Diagnostic::new(Code::HW105, says).at(handler_spans::value_span(at, "command"));
    Some(found.with_help("write the command of the hook, or delete the hook"))
}
