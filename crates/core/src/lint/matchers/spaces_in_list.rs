//! HW313: spaces around `|` that are part of the names.

use super::matcher_context::{MatcherContext, is_name};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::text::quote_literal;

/// Checks for a list that would match more without its spaces.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text;
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    let clean = parts.join("|");
    if clean == text {
        return None;
    }
    let lost = |value: &str| matcher.matches(value) == Some(false) && matcher.would_match(&clean, value) == Some(true);
    let own = parts.iter().filter(|part| is_name(part)).map(|part| matcher.resolve_name(part));
    let dead = own.chain(matcher.known().into_iter().map(str::to_owned)).find(|value| lost(value))?;
    let says = format!("the spaces in \"{text}\" are part of the names, so it never matches {dead}");
    let found = Diagnostic::new(Code::HW313, says).at(matcher.span).with_help(format!("write {clean}"));
    Some(found.with_fix(Fix::safe(matcher.span, quote_literal(&clean))))
}
