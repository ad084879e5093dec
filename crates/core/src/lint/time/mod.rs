//! HW5xx: time.

mod background_decision;
mod endless_command;
mod event_limit;
mod timeout_unit;

use super::LintRule;
use crate::diagnostic::Diagnostic;
use crate::dialects::RuleContext;
use crate::lint::run_advice::check_durations;

pub(super) const RULES: &[LintRule] = &[
    LintRule::One(timeout_unit::check),
    LintRule::One(event_limit::check),
    LintRule::One(background_decision::check),
    LintRule::One(endless_command::check),
    LintRule::One(check_recorded_durations),
];

/// HW505: recorded runs that took nearly all of their time limit.
fn check_recorded_durations(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let limit = at.definition.timeout?;
    let per_tool = at.event.subject == Some("tool_name");
    check_durations(at.times, limit, per_tool && !at.definition.detached).map(|found| found.at(at.handler_span()))
}
