//! HW505: recorded runs that took nearly all of their time limit.

use crate::diagnostic::Diagnostic;
use crate::dialects::RuleContext;
use crate::lint::run_advice::check_durations;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let limit = at.definition.timeout?;
    let per_tool = at.event.subject == Some("tool_name");
    check_durations(at.times, limit, per_tool && !at.definition.detached).map(|found| found.at(at.handler_span()))
}
