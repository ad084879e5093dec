//! HW6xx: answers and their effect.

mod asked_answers;
mod dropped_status;
mod event_payload;
mod exit_one;
mod failure_keys;
pub(super) mod hook_text;
mod lost_status;
mod payload_keys;
mod payload_shapes;
mod plain_output;
mod printed_answers;
mod read_twice;
mod refusals;
mod simulation;
mod single_json;
mod stop_loops;
mod unflushed;
mod unsent_names;
mod xargs_status;

pub(super) use hook_text::HookText;
pub(super) use refusals::refusals;
pub use refusals::{HookRefusals, Refusal};

use super::LintRule;
use crate::diagnostic::Diagnostic;
use crate::dialects::RuleContext;

pub(super) const RULES: &[LintRule] = &[
    LintRule::One(exit_one::check),
    LintRule::Many(payload_keys::check),
    LintRule::One(failure_keys::check),
    LintRule::Many(unsent_names::check),
    LintRule::Many(payload_shapes::check),
    LintRule::Many(printed_answers::check),
    LintRule::Many(plain_output::check),
    LintRule::One(asked_answers::check),
    LintRule::One(lost_status::check),
    LintRule::One(dropped_status::check),
    LintRule::One(xargs_status::check),
    LintRule::One(unflushed::check),
    LintRule::One(read_twice::check),
    LintRule::One(single_json::check),
    LintRule::One(stop_loops::check),
];

/// Checks the payload keys and names that a script expects against those that this agent sends.
pub(super) fn check_expectations(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    payload_keys::check(at).into_iter().chain(unsent_names::check(at)).collect()
}
