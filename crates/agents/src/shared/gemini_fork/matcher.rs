//! The result of a matcher, its explanation, and matchers that are a pattern or a text as a whole.

use crate::kernel::matching::{self, MatcherOutcome, NearMiss, match_pattern};
use crate::shared::gemini_fork::rules;
use serde_json::Value;

use crate::shared::javascript::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{EcmaPattern, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, branches};
use hookbench_base::plan::Reason;
use hookbench_base::text::truthy;

/// Matches a whole matcher: as text if `exact`, otherwise as an unanchored pattern, and as text if it is not a valid
/// one.
pub fn match_whole(text: &str, exact: bool, subject: Option<&str>) -> MatcherOutcome {
    let text = trim(text);
    if text.is_empty() || text == "*" {
        return MatcherOutcome::Everything;
    }
    let Some(value) = subject.filter(|v| !v.is_empty()) else { return MatcherOutcome::NoSubject };
    if exact {
        return if text == value { MatcherOutcome::Name } else { MatcherOutcome::Miss };
    }
    match match_pattern(text, value) {
        MatcherOutcome::Invalid(_) if text == value => MatcherOutcome::Name,
        other => other,
    }
}

/// Returns how the agent interprets a matcher on an event. `read_text` interprets a text on an event with a subject.
pub fn read(
    event: &EventSpec,
    matcher: Option<&Value>,
    read_text: impl Fn(&str) -> MatcherInterpretation,
) -> MatcherInterpretation {
    match matcher.filter(|m| truthy(m)) {
        None => MatcherInterpretation::plain(MatcherKind::Everything, "it is empty"),
        Some(_) if event.subject.is_none() => {
            MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name))
        }
        Some(Value::String(text)) => read_text(text),
        Some(_) => MatcherInterpretation::plain(MatcherKind::Nothing, "a matcher must be a string"),
    }
}

/// Interprets a matcher as [`match_whole`] matches it. `why_pattern` explains why it is a pattern.
pub fn read_whole(event: &EventSpec, text: &str, exact: bool, why_pattern: &str) -> MatcherInterpretation {
    let text = trim(text);
    if text.is_empty() || text == "*" {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *");
    }
    let as_text =
        |kind, reason| MatcherInterpretation { kind, reason, branches: vec![MatcherBranch::name(text, false)] };
    if exact {
        return as_text(MatcherKind::Text, format!("on {} matchers are compared literally", event.name));
    }
    match EcmaPattern::new(text) {
        Ok(_) => MatcherInterpretation {
            kind: MatcherKind::Pattern,
            reason: why_pattern.to_owned(),
            branches: branches(text, RegexEngine::Ecma, false),
        },
        // An invalid pattern is compared as text.
        Err(error) => as_text(MatcherKind::Invalid, error.message),
    }
}

/// Explains the result of a matcher and suggests the nearest value that would match: that of the near miss, or
/// `name`.
pub fn explain(
    event: &EventSpec,
    matcher: &str,
    subject: &Subject,
    found: &MatcherOutcome,
    near_miss: impl Fn() -> Option<NearMiss>,
    name: impl Fn() -> String,
) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or("");
    let (rule, message) = match found {
        MatcherOutcome::Alias(alias) => (rules::MATCHER_ALIAS, format!("\"{alias}\" is an alias of {value}")),
        MatcherOutcome::ListWildcard(entry) => {
            (rules::MATCHER_LIST_WILDCARD, format!("the entry \"{entry}\" matches everything"))
        }
        MatcherOutcome::EmptyList => {
            (rules::MATCHER_EMPTY_LIST, format!("\"{matcher}\" is a list without entries, which never matches"))
        }
        MatcherOutcome::NotString => (rules::MATCHER_NOT_TEXT, "the matcher is not a string".to_owned()),
        MatcherOutcome::Invalid(error) => {
            let says =
                format!("\"{matcher}\" is not a valid pattern ({error}), so it is compared literally with \"{value}\"");
            return (Reason::new(rules::MATCHER_INVALID, says), near_miss().unwrap_or_default().1);
        }
        _ => return matching::explain(event, matcher, value, found, near_miss, name),
    };
    (Reason::new(rule, message), Vec::new())
}
