//! Matches a matcher against a subject (spec §4): an unanchored JavaScript pattern, case-sensitive and not trimmed.

use serde_json::Value;

use crate::kernel::matching::{MatcherOutcome, match_pattern};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{EcmaPattern, MatcherInterpretation, MatcherKind, RegexEngine, branches};

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
