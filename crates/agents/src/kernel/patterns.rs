//! Matchers that are unanchored JavaScript patterns, case-sensitive and not trimmed. Absent, empty and `*` match everything, and
//! so do all matchers of an event without a value.

use serde_json::Value;

use super::events::EventTable;
use super::matching::{self, MatcherOutcome, match_pattern};
use crate::shared::assessment::HookAssessment;
use crate::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::matcher::{MatcherInterpretation, MatcherKind};
use hookbench_base::names::AgentId;
use hookbench_base::plan::Reason;
use hookbench_base::text::{to_js_string, truthy};

/// Matches a matcher, as written, against a subject.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(value) = subject.value.as_deref().filter(|_| event.subject.is_some()) else {
        return MatcherOutcome::NoSubject;
    };
    match compiled(event, matcher) {
        Some(text) => match_pattern(&text, value),
        None => MatcherOutcome::Everything,
    }
}

/// The pattern of a matcher, or `None` if it matches everything. A number is a pattern of its digits.
pub fn compiled(event: &EventSpec, matcher: Option<&Value>) -> Option<String> {
    let text = matcher.filter(|matcher| event.subject.is_some() && truthy(matcher)).map(to_js_string);
    text.filter(|text| !text.is_empty() && text != "*")
}

/// How the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    match compiled(event, matcher) {
        Some(text) => matching::read_pattern(&text),
        None => MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *"),
    }
}

/// Whether a hook fires by its matcher, with the nearest value that would match.
pub fn assess<'a>(
    agent: AgentId,
    definition: &'a HookDefinition,
    event: &EventSpec,
    subject: &Subject,
) -> HookAssessment<'a> {
    let found = matches(event, definition.matcher.as_ref(), subject);
    let why = explain(agent, event, &definition.matcher_text(), subject, &found);
    HookAssessment::matched(definition, found.hit(), why)
}

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(
    agent: AgentId,
    event: &EventSpec,
    matcher: &str,
    subject: &Subject,
    found: &MatcherOutcome,
) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or_default();
    let near_miss = || Some((matching::pattern_mistake(agent.as_str(), matcher, value)?, vec![value.to_owned()]));
    matching::explain(event, matcher, value, found, near_miss, || value.to_owned())
}

/// Reports matchers that are not texts or not valid patterns, and names of tools that they do not match.
pub fn check(loaded: &mut LoadedConfig, agent: AgentId, events: &EventTable) {
    let odd = loaded.definitions.iter().filter(|one| one.rejection.is_none()).filter_map(|one| {
        let text = one.matcher.as_ref().filter(|matcher| !matcher.is_string() && truthy(matcher)).map(to_js_string)?;
        let message = format!("the matcher is not a string, so it is the pattern \"{text}\"");
        let note = Diagnostic::new(Code::HW102, message).with_help("write a string, or delete the key");
        one.matcher_span.map(|span| note.at(span))
    });
    loaded.notes.extend(odd.collect::<Vec<_>>());
    check_patterns(
        loaded,
        |_| "it matches nothing",
        |definition, _| compiled(events.by_name(&definition.event)?, definition.matcher.as_ref()),
    );
    check_tool_names(loaded, agent.as_str(), |definition, tool| {
        let event = events.by_name(&definition.event).filter(|event| event.subject == Some("tool_name"))?;
        let subject = Subject { value: Some(tool.to_owned()), aliases: Vec::new() };
        matches(event, definition.matcher.as_ref(), &subject).hit()
    });
}
