//! HW3xx: matchers. Only the first finding that explains a matcher is reported, not its consequences.

mod closed_values;
mod exact_text;
mod fix_laws;
mod globs;
mod lists;
mod matcher_context;
mod mcp;
mod never_runs;
mod permission_syntax;
mod spelling;
mod unanchored;

use std::collections::HashSet;

pub(super) use self::fix_laws::keep_laws;
use self::matcher_context::MatcherContext;
use super::LintRule;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::text::Span;

pub(super) const RULES: &[LintRule] = &[LintRule::Many(check)];

/// The checks, in order. The first one with a finding ends the search.
const CHECKS: [fn(&MatcherContext<'_>) -> Option<Diagnostic>; 18] = [
    permission_syntax::check,
    lists::check_delimiters,
    lists::check_spaces,
    lists::check,
    globs::check_file_name,
    exact_text::check,
    mcp::check_server_name,
    mcp::check_hyphen,
    mcp::form,
    globs::check,
    lists::check_empty_alternative,
    unanchored::check_negation,
    closed_values::check_event_names,
    closed_values::check,
    spelling::check,
    spelling::check_foreign_tools,
    unanchored::check,
    never_runs::check,
];

/// Codes that explain a matcher as a whole …
const EXPLANATIONS: [Code; 11] = [
    Code::HW303,
    Code::HW304,
    Code::HW307,
    Code::HW311,
    Code::HW312,
    Code::HW313,
    Code::HW314,
    Code::HW317,
    Code::HW318,
    Code::HW319,
    Code::HW320,
];
/// … and codes that are only consequences of them.
const CONSEQUENCES: [Code; 7] =
    [Code::HW301, Code::HW302, Code::HW305, Code::HW306, Code::HW308, Code::HW309, Code::HW315];

fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if let Some(ignored) = closed_values::check_ignored(at) {
        return vec![ignored];
    }
    let Some(matcher) = MatcherContext::of(at) else { return Vec::new() };
    CHECKS.iter().find_map(|check| check(&matcher)).into_iter().collect()
}

/// Removes consequences of another finding about the same matcher.
pub(super) fn settle(found: &mut Vec<Diagnostic>) {
    let spans_of = |codes: &[Code]| -> HashSet<Span> {
        found.iter().filter(|d| codes.contains(&d.code)).filter_map(|d| d.span).collect()
    };
    let explained = spans_of(&EXPLANATIONS);
    // A name in another case is not unknown.
    let other_case = spans_of(&[Code::HW301]);
    found.retain(|d| {
        let is_at = |spans: &HashSet<Span>| d.span.is_some_and(|span| spans.contains(&span));
        !(CONSEQUENCES.contains(&d.code) && is_at(&explained) || d.code == Code::HW302 && is_at(&other_case))
    });
}
