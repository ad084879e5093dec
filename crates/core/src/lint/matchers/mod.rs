//! HW3xx: matchers. Only the first finding that explains a matcher is reported, not its consequences.

mod closed;
mod delimiters;
mod event_name;
mod exact_text;
mod globs;
mod ignored_matcher;
mod lists;
mod mcp;
mod negation;
mod permission_syntax;
mod spaces;
mod spelling;
mod stray;
mod subject;
mod unanchored;

use std::collections::HashSet;

use self::subject::Matcher;
use super::Rule;
use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;

pub(super) const RULES: &[Rule] = &[Rule::Many(look)];

/// The checks, in order. The first one with a finding ends the search.
const CHECKS: [fn(&Matcher<'_>) -> Option<Diagnostic>; 17] = [
    permission_syntax::look,
    delimiters::look,
    spaces::look,
    lists::look,
    globs::file,
    exact_text::look,
    mcp::server,
    mcp::hyphen,
    mcp::form,
    globs::look,
    stray::look,
    negation::look,
    event_name::look,
    closed::look,
    spelling::look,
    spelling::nobody,
    unanchored::look,
];

/// Codes that explain a matcher as a whole …
const WHOLE: [&str; 11] =
    ["HW303", "HW304", "HW307", "HW311", "HW312", "HW313", "HW314", "HW317", "HW318", "HW319", "HW320"];
/// … and codes that are only consequences of them.
const FOLLOW: [&str; 7] = ["HW301", "HW302", "HW305", "HW306", "HW308", "HW309", "HW315"];

fn look(at: &Looked<'_>) -> Vec<Diagnostic> {
    if let Some(ignored) = ignored_matcher::look(at) {
        return vec![ignored];
    }
    let Some(matcher) = Matcher::of(at) else { return Vec::new() };
    CHECKS.iter().find_map(|check| check(&matcher)).into_iter().collect()
}

/// Removes consequences of another finding about the same matcher.
pub(super) fn settle(found: &mut Vec<Diagnostic>) {
    let explained: HashSet<_> = found.iter().filter(|d| WHOLE.contains(&d.code)).filter_map(|d| d.span).collect();
    found.retain(|d| !(FOLLOW.contains(&d.code) && d.span.is_some_and(|span| explained.contains(&span))));
}
