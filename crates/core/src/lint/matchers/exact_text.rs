//! HW311: a pattern or a list where the agent compares the whole text, or reads a glob.

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{EcmaPattern, TestResult};
use crate::text::quote_literal;

/// Checks for a matcher that would match values of the event as a pattern but matches none of them.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    if let Some(prefix) = matcher.at.agent.dialect.settings_format().pattern_prefix {
        return check_prefix(matcher, &format!("{prefix}{text}"));
    }
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

/// Checks for a matcher that matches nothing, but would match as the pattern `meant`.
fn check_prefix(matcher: &MatcherContext<'_>, meant: &str) -> Option<Diagnostic> {
    let would = |value: &&str| matcher.would_match(meant, value) == Some(true);
    let value = matcher.known().into_iter().find(would).filter(|_| matcher.matches_nothing())?;
    let (agent, text) = (matcher.at.agent_name(), matcher.text);
    let says = format!("{agent} reads \"{text}\" as a glob, not as a pattern, so it never matches {value}");
    let found = Diagnostic::new(Code::HW311, says).at(matcher.span).with_help(format!("write {meant}"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(meant))))
}
