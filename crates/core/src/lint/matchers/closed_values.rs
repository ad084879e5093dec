//! HW301, HW302, HW310, HW321: matchers that do not suit the values of their event.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialects::{ALL, RuleContext, default_version};
use crate::hook::Subject;
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

/// The names of the events of all agents.
static EVENTS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let events = ALL.iter().flat_map(|dialect| dialect.events(&default_version(dialect)));
    events.map(|event| event.name).collect()
});

/// HW321: an event name where a tool name is expected.
/// Checks for a matcher on tool names that contains only event names.
pub(super) fn check_event_names(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    matcher.tools()?;
    let text = matcher.text.trim();
    let written = WrittenNames::of(text);
    let is_event = |name: &str| EVENTS.contains(name);
    let events =
        written.only_names && !written.names.is_empty() && written.names.iter().all(|name| is_event(name.text));
    if !events || !matcher.matches_nothing() {
        return None;
    }
    let what = if written.names.len() > 1 { "are event names" } else { "is an event name" };
    let says = format!("\"{text}\" {what}, but matchers here are compared with tool names, so this hook never runs");
    let help =
        format!("write tool names, such as \"{}\", or delete the matcher to run for every tool", example(matcher));
    Some(Diagnostic::new(Code::HW321, says).at(matcher.span).with_help(help))
}

/// Returns a tool of the agent as an example.
fn example(matcher: &MatcherContext<'_>) -> String {
    matcher.ids().next().unwrap_or_default().to_owned()
}

/// HW310: a matcher on an event that ignores matchers.
/// Checks for a matcher other than `*` and the empty text, which mean everything.
pub(super) fn check_ignored(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let (text, span) = at.matcher()?;
    if at.event.subject.is_some() || matches!(text.trim(), "" | "*" | ".*" | "^.*$" | ".+") {
        return None;
    }
    let (event, agent) = (at.event.name, at.agent_name());
    // Some agents match such an event as an empty text.
    let matcher = at.definition.matcher.as_ref();
    let says = match at.agent.dialect.matches(at.event, matcher, &Subject::default(), at.agent.version) {
        Some(false) => {
            format!("{event} has nothing to match, so in {agent} \"{text}\" never matches: this hook never runs")
        }
        _ => format!("{event} has nothing to match, so {agent} ignores \"{text}\": this hook always runs"),
    };
    Some(Diagnostic::new(Code::HW310, says).at(span).with_help("remove the matcher, or test for it in the script"))
}
