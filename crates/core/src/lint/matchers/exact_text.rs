//! HW311: a pattern or a list where the agent compares the whole text.

use super::subject::Matcher;
use crate::diagnostic::{Diagnostic, Fix};
use crate::matcher::{EcmaPattern, Tested};
use crate::text::quoted;

/// Checks for a matcher that would match values of the event as a pattern but matches none of them.
pub(super) fn look(matcher: &Matcher<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let values = matcher.values();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if values.is_empty() || plain || !matcher.lets_none() {
        return None;
    }
    let pattern = EcmaPattern::new(text).ok()?;
    let meant: Vec<&str> = values.iter().copied().filter(|value| pattern.test(value) == Tested::Yes).collect();
    let each = meant.first()?;
    // If an anchored pattern matches here, the agent does not compare whole texts.
    if values.iter().any(|value| matcher.would(&format!("^{value}$"), value) != Some(false)) {
        return None;
    }
    let event = matcher.at.event.name;
    let says =
        format!("{} compares matchers of {event} as whole texts, so \"{text}\" never matches", matcher.at.agent());
    let found = Diagnostic::error("HW311", says).at(matcher.span);
    Some(match meant.len() {
        1 => found.help(format!("write {each}")).fix(Fix::proposal(matcher.span, quoted(each))),
        n if n == values.len() => {
            found.help("write *, which is every value").fix(Fix::proposal(matcher.span, quoted("*")))
        }
        _ => found.help(format!("write a group for each of {}", meant.join(", "))),
    })
}
