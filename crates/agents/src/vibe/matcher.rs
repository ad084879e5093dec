//! Matches a matcher against a tool (spec §3): a shell glob, or after `re:` a Python pattern, over the whole of one of the tool's
//! names. The case never counts, and nothing is trimmed.

use serde_json::Value;

use super::events::ID;

use crate::kernel::matching::{self, MatcherOutcome, first_mistake, match_pattern};
use crate::shared::python::pattern_in_javascript;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{
    EcmaPattern, MatcherInterpretation, MatcherKind, RegexEngine, branches, glob_pattern, without_case,
};
use hookbench_base::plan::Reason;

/// The beginning of a matcher that is a pattern.
const PREFIX: &str = "re:";

/// Matches a matcher, as written, against a subject.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(pattern) = matcher.and_then(Value::as_str).and_then(compiled) else { return MatcherOutcome::Everything };
    if event.subject.is_none() {
        return MatcherOutcome::NoSubject;
    }
    let names = subject.value.iter().chain(&subject.aliases).map(|name| match_pattern(&pattern, &name.to_lowercase()));
    names.reduce(|one, other| if one.hit() == Some(true) { one } else { other }).unwrap_or(MatcherOutcome::Miss)
}

/// The pattern of a matcher, for names in lower case. `None` if it matches everything.
pub fn compiled(text: &str) -> Option<String> {
    if text == "*" {
        return None;
    }
    Some(match text.strip_prefix(PREFIX) {
        Some(pattern) => {
            format!("^(?:{})$", without_case(&pattern_in_javascript(pattern.strip_prefix("(?i)").unwrap_or(pattern))))
        }
        None => glob_pattern(&text.to_lowercase()),
    })
}

/// How the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let text = matcher.and_then(Value::as_str).unwrap_or("*");
    let Some(pattern) = compiled(text) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is absent or *");
    };
    let (kind, reason) = if text.starts_with(PREFIX) {
        (MatcherKind::WholePattern, "it begins with re:, and the case does not count")
    } else {
        (MatcherKind::Glob, "it does not begin with re:")
    };
    match EcmaPattern::new(&pattern) {
        Ok(_) => {
            let branches = branches(&pattern, RegexEngine::Ecma, true);
            MatcherInterpretation { kind, reason: reason.to_owned(), branches }
        }
        Err(error) => MatcherInterpretation::plain(MatcherKind::Invalid, error.message),
    }
}

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or_default();
    matching::explain(event, matcher, value, found, || near_miss(event, matcher, subject), || value.to_owned())
}

/// The most likely mistake, with a matcher that would match.
fn near_miss(event: &EventSpec, matcher: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let value = subject.value.as_deref()?;
    let would = |text: &str| matches(event, Some(&Value::from(text)), subject).hit() == Some(true);
    if !matcher.starts_with(PREFIX) {
        let pattern = format!("{PREFIX}{}", matcher.replace(' ', ""));
        if would(&pattern) && matcher.contains('|') {
            let says = format!("\"{matcher}\" is a glob, in which | is a character; write {pattern}");
            return Some((says, vec![pattern]));
        }
        if would(&pattern) && matcher.trim() == matcher {
            let says = format!("\"{matcher}\" is a glob over the whole name, not a pattern; write {pattern}");
            return Some((says, vec![pattern]));
        }
    }
    let agent = ID.as_str();
    let is_tool =
        |name: &str| would(name) || matching::foreign_tool(agent, name).is_some_and(|(ours, _)| ours == value);
    let says = first_mistake(
        matcher,
        &[
            &|part| matching::permission_rule(part, is_tool),
            &|part| {
                let part = part.trim_matches(['^', '$', '(', ')']);
                (part != part.trim() && would(part.trim()))
                    .then(|| format!("the spaces in \"{part}\" are part of the name"))
            },
            &|part| matching::other_agent(agent, part, value, |ours| ours == value),
        ],
    )?;
    Some((says, vec![value.to_owned()]))
}
