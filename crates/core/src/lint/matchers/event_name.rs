//! HW321: an event name where a tool name is expected.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{ALL, default_version};
use crate::matcher::WrittenNames;

/// The names of the events of all agents.
static EVENTS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let events = ALL.iter().flat_map(|dialect| dialect.events(&default_version(dialect)));
    events.map(|event| event.name).collect()
});

/// Checks for a matcher on tool names that contains only event names.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
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
