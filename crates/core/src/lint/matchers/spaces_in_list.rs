//! HW313: spaces around `|` that are part of the names.

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{WrittenNames, server_tools_in};
use crate::text::quote_literal;

/// Checks for a list that would match more without its spaces.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text;
    let clean = without_outer_spaces(text);
    if clean == text {
        return None;
    }
    let lost = |value: &str| matcher.matches(value) == Some(false) && matcher.would_match(&clean, value) == Some(true);
    let own = WrittenNames::of(&clean).names.into_iter().map(|name| matcher.resolve_name(name.text));
    let servers = matcher.tools().map(|tools| server_tools_in(&clean, tools)).unwrap_or_default();
    let known = matcher.known().into_iter().map(str::to_owned);
    let dead = own.chain(known).chain(servers).find(|value| lost(value))?;
    let says = format!("the spaces in \"{text}\" are part of the names, so it never matches {dead}");
    let found = Diagnostic::new(Code::HW313, says).at(matcher.span).with_help(format!("write {clean}"));
    Some(found.with_fix(Fix::safe(matcher.span, quote_literal(&clean))))
}

/// The matcher without the spaces at its ends and beside bars, brackets and anchors. No name of a list begins or ends
/// with a space.
fn without_outer_spaces(text: &str) -> String {
    // In a class, a space is a character like any other.
    if text.contains('[') {
        return text.trim().to_owned();
    }
    let beside = |c: char| matches!(c, '|' | '(' | ')' | '^' | '$');
    let mut clean = String::with_capacity(text.len());
    let mut spaces = String::new();
    for c in text.trim().chars() {
        if c == ' ' {
            spaces.push(c);
            continue;
        }
        if !beside(c) && !clean.ends_with(beside) {
            clean.push_str(&spaces);
        }
        spaces.clear();
        clean.push(c);
    }
    clean
}
