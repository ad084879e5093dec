//! HW319: a pattern between slashes, or an expression instead of a pattern.

use super::matcher_context::{MatcherContext, is_name};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::text::quote_literal;

/// Checks for `/Bash/` and `tool == "Bash"`, where the characters around the name are part of the pattern.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let slashes = between_slashes(text).map(str::to_owned);
    let expression = || {
        let speaks = text.contains("==") || text.contains('"') || text.contains('\'') || text.contains('`');
        let names: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let known: Vec<&str> =
            names.into_iter().filter(|name| is_name(name) && matches_known_value(matcher, name)).collect();
        (speaks && !known.is_empty()).then(|| known.join("|"))
    };
    let named = |inner: String| {
        let known = matcher.known();
        let same = known.iter().find(|id| id.eq_ignore_ascii_case(&inner)).map(|id| (*id).to_owned());
        if matches_known_value(matcher, &inner) { Some(inner) } else { same }
    };
    let plain = slashes.and_then(named).or_else(expression)?;
    let so = match matcher.matches_nothing() {
        true => "it never matches",
        // In `a || b`, the empty alternative between the bars matches everything.
        false if text.contains("==") => "it means something else",
        false => return None,
    };
    let says = format!("\"{text}\" is compared literally, including everything around the name, so {so}");
    let found = Diagnostic::new(Code::HW319, says).at(matcher.span);
    Some(found.with_help(format!("write {plain}")).with_fix(Fix::proposal(matcher.span, quote_literal(&plain))))
}

/// Returns the text between the slashes of a JavaScript pattern.
fn between_slashes(text: &str) -> Option<&str> {
    let (inner, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    (!inner.is_empty() && flags.chars().all(|c| "dgimsuvy".contains(c))).then_some(inner)
}

/// Whether a text would match a known value.
fn matches_known_value(matcher: &MatcherContext<'_>, text: &str) -> bool {
    matcher.known().iter().any(|value| matcher.would_match(text, value) == Some(true))
}
