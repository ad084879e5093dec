//! Matches a matcher against a subject (spec §4): an unanchored JavaScript pattern, case-sensitive and not trimmed.

use serde_json::Value;

use crate::kernel::matching::{self, MatcherOutcome, first_mistake, match_pattern};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{EcmaPattern, MatcherInterpretation, MatcherKind, RegexEngine, branches};
use hookbench_base::plan::Reason;

/// Matches a matcher, as written, against a subject.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(value) = subject.value.as_deref().filter(|_| event.subject.is_some()) else {
        return MatcherOutcome::NoSubject;
    };
    let Some(text) = matcher.and_then(Value::as_str).filter(|text| !is_wildcard(text)) else {
        return MatcherOutcome::Everything;
    };
    match_pattern(text, value)
}

/// Returns how the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Some(text) = matcher.and_then(Value::as_str).filter(|text| !is_wildcard(text)) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *");
    };
    match EcmaPattern::new(text) {
        Ok(_) => MatcherInterpretation {
            kind: MatcherKind::Pattern,
            reason: "every matcher is a pattern".to_owned(),
            branches: branches(text, RegexEngine::Ecma, false),
        },
        Err(error) => MatcherInterpretation::plain(MatcherKind::Invalid, error.message),
    }
}

/// Returns the pattern of a matcher, or `None` if it matches everything.
pub fn compiled(event: &EventSpec, text: &str) -> Option<String> {
    (event.subject.is_some() && !is_wildcard(text)).then(|| text.to_owned())
}

fn is_wildcard(text: &str) -> bool {
    text.is_empty() || text == "*"
}

const AGENT_ID: &str = "droid";

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or("");
    let near_miss = || Some((near_miss(matcher, value)?, vec![value.to_owned()]));
    matching::explain(event, matcher, value, found, near_miss, || value.to_owned())
}

/// Finds the most likely mistake.
fn near_miss(matcher: &str, value: &str) -> Option<String> {
    let is_tool = |name: &str| matching::foreign_tool(AGENT_ID, name).map_or(name, |(ours, _)| ours) == value;
    first_mistake(
        matcher,
        &[
            &|part| matching::permission_rule(part, is_tool),
            &|part| matching::other_case(part, value),
            &|part| matching::blanks(part.trim(), value),
            &|part| matching::other_agent(AGENT_ID, part, value, |ours| ours == value),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::super::events::EVENTS;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn hit(event: &str, matcher: &Value, subject: &str) -> Option<bool> {
        let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
        matches(EVENTS.by_name(event).unwrap(), Some(matcher), &subject).hit()
    }

    /// Sixteen matchers on a tool and on `SessionStart`, and whether Droid ran the hook.
    #[test]
    fn sixteen_matchers() {
        for (matcher, fires) in [
            ("T", true),
            ("t", false),
            ("Part", true),
            ("Part.*", true),
            ("^T$", true),
            ("inner", true),
            ("zz|T", true),
            ("zz | T", false),
            ("zz,T", false),
            (" T ", false),
            ("*", true),
            ("", true),
            (".*", true),
            ("T*", true),
            ("(?!zz).*", true),
            ("(T", false),
        ] {
            for (event, name, part, inner) in
                [("PreToolUse", "Execute", "Execu", "xecut"), ("SessionStart", "startup", "start", "tart")]
            {
                let own = match matcher {
                    "t" if event == "PreToolUse" => "execute".to_owned(),
                    "t" => "Startup".to_owned(),
                    "inner" => inner.to_owned(),
                    other => other.replace("Part", part).replace('T', name),
                };
                assert_eq!(hit(event, &json!(own), name), Some(fires), "{event} {own}");
            }
        }
    }

    #[test]
    fn names_of_other_agents_and_ignored_matchers() {
        for (event, matcher, subject, fires) in [
            ("PreToolUse", "Bash", "Execute", false),
            ("PreToolUse", "Write|Edit", "Edit", true),
            ("PreToolUse", "MultiEdit", "Edit", false),
            ("Stop", "(", "", true),
            ("SessionEnd", "zzz", "", true),
        ] {
            assert_eq!(hit(event, &json!(matcher), subject), Some(fires), "{event} {matcher} {subject}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(matcher: String, subject: String) {
            let _ = hit("PreToolUse", &json!(matcher), &subject);
        }
    }
}

#[cfg(test)]
mod matcher_advice_tests {
    use super::super::events::EVENTS;
    use super::{matches, *};
    use serde_json::Value;

    #[test]
    fn near_misses_name_their_mistake() {
        for (matcher, value, says) in [
            ("execute", "Execute", "\"execute\" is not \"Execute\" (case)"),
            ("Bash", "Execute", "\"Bash\" is Claude Code's name; here the tool is Execute"),
            ("^Write$|Bash", "Create", "\"Write\" is Claude Code's name; here the tool is Create"),
            (
                "Bash(git *)",
                "Execute",
                "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
            ),
            (
                "Edit | Create",
                "Create",
                "the spaces or the comma beside \"Create\" are part of the pattern; separate names only with |",
            ),
            ("Glob", "Execute", "\"Glob\" does not match \"Execute\""),
        ] {
            let event = EVENTS.by_name("PreToolUse").unwrap();
            let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
            let found = matches(event, Some(&Value::from(matcher)), &subject);
            assert_eq!(explain(event, matcher, &subject, &found).0.message, says, "{matcher}");
        }
    }
}
