//! HW5xx: time.

mod background_decision;
mod endless_command;
mod event_limit;
mod recorded_durations;
mod timeout_unit;

use super::LintRule;

pub(super) const RULES: &[LintRule] = &[
    LintRule::One(timeout_unit::check),
    LintRule::One(event_limit::check),
    LintRule::One(background_decision::check),
    LintRule::One(endless_command::check),
    LintRule::One(recorded_durations::check),
];
