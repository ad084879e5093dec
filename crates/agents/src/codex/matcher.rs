//! Matches a matcher against a subject (spec §4). Names and lists of names are compared exactly; everything else
//! is an unanchored pattern of Rust's `regex`. Nothing is trimmed.

use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, branches, rust_pattern};

/// A matcher's result, with the name that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchOutcome {
    /// The event has no subject to match.
    Ignored,
    /// No matcher, or one that matches everything.
    Everything,
    /// This name is in the list.
    Name(String),
    /// The pattern matches this name.
    Pattern(String),
    Miss,
}

impl MatchOutcome {
    /// Returns whether the hook runs.
    pub fn hit(&self) -> bool {
        *self != MatchOutcome::Miss
    }
}

/// Matches a matcher against a subject. `matched` is whether the event has a subject.
pub fn matches(matched: bool, matcher: Option<&str>, subject: &Subject) -> MatchOutcome {
    if !matched {
        return MatchOutcome::Ignored;
    }
    let Some(text) = matcher.filter(|text| !is_wildcard(text)) else { return MatchOutcome::Everything };
    let mut names = subject.value.iter().chain(&subject.aliases);
    let found = match compiled(text) {
        None => names.find(|name| text.split('|').any(|part| part == *name)).cloned().map(MatchOutcome::Name),
        Some(pattern) => match rust_pattern(pattern) {
            Ok(regex) => names.find(|name| regex.is_match(name)).cloned().map(MatchOutcome::Pattern),
            Err(_) => None,
        },
    };
    found.unwrap_or(MatchOutcome::Miss)
}

/// Returns how Codex interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&str>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Some(text) = matcher.filter(|text| !is_wildcard(text)) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *");
    };
    let Some(pattern) = compiled(text) else {
        let branches = text.split('|').map(|name| MatcherBranch::name(name, true)).collect();
        let because = "it contains only letters, digits, _ and |".to_owned();
        return MatcherInterpretation { kind: MatcherKind::Names, reason: because, branches };
    };
    match rust_pattern(pattern) {
        Ok(_) => {
            let because =
                text.chars().find(|c| !in_names(*c)).map_or(String::new(), |c| format!("it contains \"{c}\""));
            MatcherInterpretation {
                kind: MatcherKind::Pattern,
                reason: because,
                branches: branches(pattern, RegexEngine::Rust, true),
            }
        }
        Err(why) => {
            let why = why.to_string();
            let last = why.lines().last().unwrap_or("").trim_start_matches("error: ");
            MatcherInterpretation::plain(MatcherKind::Invalid, last)
        }
    }
}

/// Returns the pattern of a matcher, or `None` if it matches everything or is a list of names.
pub fn compiled(text: &str) -> Option<&str> {
    (!is_wildcard(text) && !text.chars().all(in_names)).then_some(text)
}

fn in_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '|'
}

fn is_wildcard(text: &str) -> bool {
    text.is_empty() || text == "*"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn subject(value: &str) -> Subject {
        let aliases = super::super::tools::aliases(value);
        Subject { value: Some(value.to_owned()), aliases }
    }

    fn hit(matcher: &str, value: &str) -> bool {
        matches(true, Some(matcher), &subject(value)).hit()
    }

    /// Sixteen matchers on `SessionStart`, as measured.
    #[test]
    fn sixteen_matchers() {
        for (matcher, fires) in [
            ("startup", true),
            ("Startup", false),
            ("start", false),
            ("start.*", true),
            ("^startup$", true),
            ("art.p", true),
            ("resume|startup", true),
            ("resume | startup", false),
            ("resume,startup", false),
            (" startup ", false),
            ("*", true),
            ("", true),
            (".*", true),
            ("start*", true),
            ("(?!resume).*", false),
            ("(startup", false),
        ] {
            assert_eq!(hit(matcher, "startup"), fires, "{matcher:?}");
        }
    }

    #[test]
    fn aliases_count_in_patterns_too() {
        for (matcher, tool, fires) in [
            ("Edit", "apply_patch", true),
            ("Wri.e", "apply_patch", true),
            ("^apply_patch$", "apply_patch", true),
            ("MultiEdit", "apply_patch", false),
            ("Task|Agent", "spawn_agent", true),
            ("Task", "spawn_agent", false),
            ("mcp__memory", "mcp__memory__put", false),
            ("mcp__memory__.*", "mcp__memory__put", true),
            ("(?i)bash", "Bash", true),
            ("bash", "Bash", false),
            ("Edit,Write", "apply_patch", false),
            ("Write ", "apply_patch", false),
        ] {
            assert_eq!(hit(matcher, tool), fires, "{matcher:?} {tool}");
        }
        let nothing = Subject::default();
        assert!(matches(false, Some("["), &nothing).hit());
        assert!(matches(true, None, &nothing).hit());
        assert!(!matches(true, Some(".*"), &nothing).hit());
    }

    proptest! {
        #[test]
        fn never_panics(matcher in any::<String>(), value in any::<String>()) {
            let _ = hit(&matcher, &value);
        }
    }
}
