//! Matches a matcher against the name of a tool (spec §3): a Python pattern over the whole name, case-sensitive, without the
//! blanks around it. One that is not a pattern, such as `*`, is compared as a text.

use serde_json::Value;

use super::events::ID;
use crate::kernel::matching::{self, MatcherOutcome, match_pattern};
use crate::shared::python::pattern_in_javascript;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{EcmaPattern, MatcherInterpretation, MatcherKind, RegexEngine, branches, without_case};
use hookbench_base::plan::Reason;

/// The beginning of a pattern for which the case does not count.
const ANY_CASE: &str = "(?i)";

/// The matcher without the blanks around it. `None` if it matches everything.
pub fn trimmed(matcher: Option<&Value>) -> Option<&str> {
    matcher.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// The pattern of a matcher, for names in lower case if the case does not count.
pub fn compiled(text: &str) -> String {
    let pattern = match text.strip_prefix(ANY_CASE) {
        Some(pattern) => without_case(&pattern_in_javascript(pattern)),
        None => pattern_in_javascript(text),
    };
    format!("^(?:{pattern})$")
}

/// Matches a matcher, as written, against a subject.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(text) = trimmed(matcher) else { return MatcherOutcome::Everything };
    let Some(value) = subject.value.as_deref().filter(|_| event.subject.is_some()) else {
        return MatcherOutcome::NoSubject;
    };
    let lower = text.starts_with(ANY_CASE).then(|| value.to_lowercase());
    // The name of a tool is always a pattern, so none is equal to a text that is not.
    match_pattern(&compiled(text), lower.as_deref().unwrap_or(value))
}

/// How the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Some(text) = trimmed(matcher) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is absent or empty");
    };
    let pattern = compiled(text);
    match EcmaPattern::new(&pattern) {
        Ok(_) => MatcherInterpretation {
            kind: MatcherKind::WholePattern,
            reason: "every matcher is a pattern".to_owned(),
            branches: branches(&pattern, RegexEngine::Ecma, true),
        },
        Err(error) => MatcherInterpretation::plain(MatcherKind::Invalid, error.message),
    }
}

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or_default();
    let near_miss = || {
        let would = |text: &str| matches(event, Some(&Value::from(text)), subject).hit() == Some(true);
        let part = format!(".*{}.*", matcher.trim());
        let is_part = !matcher.contains(['|', ' ']) && would(&part);
        let whole = || {
            is_part.then(|| {
                format!(
                    "\"{matcher}\" is a part of \"{value}\", but the pattern must match the whole name; write {part}"
                )
            })
        };
        Some((matching::pattern_mistake(ID.as_str(), matcher, value).or_else(whole)?, vec![value.to_owned()]))
    };
    matching::explain(event, matcher, value, found, near_miss, || value.to_owned())
}
