//! Matches a matcher against a text (spec §3): an unanchored JavaScript pattern, case-sensitive and not trimmed. `*` is not
//! one, so it matches nothing. An event without a value has an empty text.

use serde_json::Value;

use crate::kernel::matching::{self, MatcherOutcome, match_pattern};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{MatcherInterpretation, MatcherKind};
use hookbench_base::plan::Reason;

/// Matches a matcher, as written, against a subject.
pub fn matches(matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    match compiled(matcher) {
        Some(text) => match_pattern(text, subject.value.as_deref().unwrap_or_default()),
        None => MatcherOutcome::Everything,
    }
}

/// The pattern of a matcher, or `None` if it matches everything.
pub fn compiled(matcher: Option<&Value>) -> Option<&str> {
    matcher.and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// How the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    let Some(text) = compiled(matcher) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty");
    };
    if event.subject.is_none() && matches(matcher, &Subject::default()) == MatcherOutcome::Miss {
        let reason = format!("{} has nothing to match, and the pattern does not match an empty text", event.name);
        return MatcherInterpretation::plain(MatcherKind::Nothing, reason);
    }
    matching::read_pattern(text)
}

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or_default();
    let near_miss = || Some((near_miss(event, matcher, value)?, vec![value.to_owned()]));
    matching::explain(event, matcher, value, found, near_miss, || value.to_owned())
}

/// The most likely mistake.
fn near_miss(event: &EventSpec, matcher: &str, value: &str) -> Option<String> {
    if event.subject.is_none() {
        return Some(format!("{} has nothing to match, and \"{matcher}\" does not match an empty text", event.name));
    }
    matching::pattern_mistake(super::ID.as_str(), matcher, value)
}

#[cfg(test)]
mod tests {
    use super::super::events::EVENTS;
    use super::*;

    #[test]
    fn near_misses_name_their_mistake() {
        for (event, matcher, value, says) in [
            ("PreToolUse", "bash", "Bash", "\"bash\" is not \"Bash\" (case)"),
            (
                "PreToolUse",
                "Edit | Write",
                "Write",
                "the spaces or the comma beside \"Write\" are part of the pattern; separate names only with |",
            ),
            ("PreToolUse", "ReadFile", "Read", "\"ReadFile\" is Qwen Code's name; here the tool is Read"),
            ("Stop", "x", "", "Stop has nothing to match, and \"x\" does not match an empty text"),
            ("PreToolUse", "Glob", "Bash", "\"Glob\" does not match \"Bash\""),
        ] {
            let (event, matcher_value) = (EVENTS.by_name(event).unwrap(), Value::from(matcher));
            let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
            let found = matches(Some(&matcher_value), &subject);
            assert_eq!(explain(event, matcher, &subject, &found).0.message, says, "{matcher}");
        }
        let kind = |event: &str, matcher: &str| read(EVENTS.by_name(event).unwrap(), Some(&Value::from(matcher))).kind;
        for (event, matcher, want) in [
            ("Stop", "x", MatcherKind::Nothing),
            ("Stop", ".*", MatcherKind::Pattern),
            ("Stop", "", MatcherKind::Everything),
            ("PreToolUse", "*", MatcherKind::Invalid),
        ] {
            assert_eq!(kind(event, matcher), want, "{event} {matcher}");
        }
    }
}
