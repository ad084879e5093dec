//! HW314: a `|` with nothing on one side.

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::alternatives;
use crate::text::quote_literal;

/// A value that no agent has.
const UNKNOWN_VALUE: &str = "zz-nobody-zz";

/// Checks for an empty alternative that makes the matcher match everything, or nothing.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let stray = text.starts_with('|') || text.contains("||") || (text.ends_with('|') && !text.ends_with("\\|"));
    if !stray {
        return None;
    }
    let parts: Vec<&str> = alternatives(text).into_iter().filter(|part| !part.trim().is_empty()).collect();
    let clean = parts.join("|");
    let everything = matcher.matches(UNKNOWN_VALUE) == Some(true);
    let says = if clean.is_empty() {
        let what = if everything { "it matches everything" } else { "it never matches" };
        format!("\"{text}\" contains no name, so {what}")
    } else if everything && matcher.would_match(&clean, UNKNOWN_VALUE) == Some(false) {
        format!("one side of a | in \"{text}\" is empty, and an empty pattern matches everything")
    } else {
        let lost =
            |value: &&&str| matcher.matches(value) == Some(false) && matcher.would_match(&clean, value) == Some(true);
        let known = matcher.known();
        let dead = known.iter().find(lost)?;
        format!("one side of a | in \"{text}\" is empty, so it never matches {dead}")
    };
    let found = Diagnostic::new(Code::HW314, says).at(matcher.span);
    if clean.is_empty() {
        return Some(found.with_help("write the names to match, or * for everything"));
    }
    Some(found.with_help(format!("write {clean}")).with_fix(Fix::proposal(matcher.span, quote_literal(&clean))))
}
