//! HW311: a pattern or a list where the agent compares the whole text.

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{EcmaPattern, TestResult};
use crate::text::quote_literal;

/// Checks for a matcher that would match values of the event as a pattern but matches none of them.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let values = matcher.values();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if values.is_empty() || plain || !matcher.matches_nothing() {
        return None;
    }
    let pattern = EcmaPattern::new(text).ok()?;
    let meant: Vec<&str> = values.iter().copied().filter(|value| pattern.test(value) == TestResult::Yes).collect();
    let each = meant.first()?;
    // If an anchored pattern matches here, the agent does not compare whole texts.
    if values.iter().any(|value| matcher.would_match(&format!("^{value}$"), value) != Some(false)) {
        return None;
    }
    let event = matcher.at.event.name;
    let says =
        format!("{} compares matchers of {event} literally, so \"{text}\" never matches", matcher.at.agent_name());
    let found = Diagnostic::new(Code::HW311, says).at(matcher.span);
    Some(match meant.len() {
        1 => found.with_help(format!("write {each}")).with_fix(Fix::proposal(matcher.span, quote_literal(each))),
        n if n == values.len() => found
            .with_help("write *, which matches every value")
            .with_fix(Fix::proposal(matcher.span, quote_literal("*"))),
        _ => found.with_help(format!("write a group for each of {}", meant.join(", "))),
    })
}
