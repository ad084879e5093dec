//! HW6xx: answers and their effect.

mod dropped_status;
mod exit_one;
mod hook_text;
mod lost_status;
mod not_one_json;
mod payload_keys;
mod printed;
mod read_twice;
mod sent_names;
mod stops;
mod unflushed;

use super::Rule;
use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;

pub(super) const RULES: &[Rule] = &[
    Rule::One(exit_one::look),
    Rule::Many(payload_keys::look),
    Rule::Many(sent_names::look),
    Rule::Many(printed::look),
    Rule::One(lost_status::look),
    Rule::One(dropped_status::look),
    Rule::One(unflushed::look),
    Rule::One(read_twice::look),
    Rule::One(not_one_json::look),
    Rule::One(stops::look),
];

/// Checks the payload keys and names that a script expects against those that this agent sends.
pub(super) fn misread(at: &Looked<'_>) -> Vec<Diagnostic> {
    payload_keys::look(at).into_iter().chain(sent_names::look(at)).collect()
}
