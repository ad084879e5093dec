//! HW301, HW302: a matcher on an event with a closed list of values that matches none of them.

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::matcher::{WrittenNames, WrittenWord, list_entries, replace_words};
use crate::text::{nearest, quote_literal};

/// Checks for a name that differs from a value in case, or that is not a value.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let values = matcher.values();
    if values.is_empty() {
        return None;
    }
    let text = matcher.text.trim();
    let inner = text.trim_start_matches('^').trim_end_matches('$').trim_start_matches('(').trim_end_matches(')');
    let written_names = WrittenNames::of(text);
    let names = || written_names.names.iter().copied();
    let written = |name: &str| values.iter().find(|value| value.eq_ignore_ascii_case(name) && **value != name);
    let case =
        names().find_map(|name| Some((name, *written(name.text)?)).filter(|(_, v)| matcher.matches(v) == Some(false)));
    if let Some((word, value)) = case {
        let name = word.text;
        let says = format!("\"{name}\" differs from \"{value}\" in case, so it never matches {value}");
        let found = Diagnostic::new(Code::HW301, says).at(matcher.span).with_help(format!("write {value}"));
        return Some(found.with_fix(Fix::safe(matcher.span, quote_literal(&replace_words(text, [(word, value)])))));
    }
    let event = matcher.at.event;
    let known = values.join(", ");
    // Test a name together with the anchors and parentheses around all names: `^session` matches the start of a
    // value.
    let around = text.split_once(inner).filter(|(before, _)| before.contains('('));
    let branch = |name: &str| match around {
        Some((before, after)) => format!("{before}{name}{after}"),
        None => list_entries(text).into_iter().find(|part| part.contains(name)).unwrap_or(name).to_owned(),
    };
    let strange = |name: &WrittenWord<'_>| {
        let branch = branch(name.text);
        values.iter().all(|value| matcher.would_match(&branch, value) == Some(false))
    };
    if matcher.matches_nothing() {
        let says = format!("\"{text}\" is not a value of {}, so this hook never runs", event.name);
        let mut found =
            Diagnostic::new(Code::HW302, says).at(matcher.span).with_help(format!("the values are {known}"));
        let begun = |name: &str| values.iter().copied().find(|value| name.len() > 2 && value.starts_with(name));
        let near = |name| nearest(name, values).or_else(|| begun(name));
        if let Some((name, near)) = names().find_map(|name| Some((name, near(name.text)?))) {
            found = found.with_fix(Fix::proposal(matcher.span, quote_literal(&replace_words(text, [(name, near)]))));
        }
        return Some(found);
    }
    let stranger = names().find(strange).filter(|_| written_names.only_names)?.text;
    let says = format!("\"{stranger}\" is not a value of {}, so it never matches", event.name);
    Some(
        Diagnostic::lowered(Code::HW302, Severity::Warning, says)
            .at(matcher.span)
            .with_help(format!("the values are {known}")),
    )
}
