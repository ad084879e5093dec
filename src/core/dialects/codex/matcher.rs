//! One matcher against one subject (spec §4): names and lists of names are compared exactly, everything else is a pattern
//! of Rust's `regex`, looked for anywhere. Nothing is trimmed.

use regex::Regex;

use crate::core::hook::Subject;

/// How a matcher stands to a subject, with the name that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The event has nothing to match.
    Ignored,
    /// No matcher, or one that stands for everything.
    Everything,
    /// One name of the list is this one.
    Name(String),
    /// The pattern was found in this name.
    Pattern(String),
    Miss,
}

impl Match {
    /// Whether the hook fires.
    pub fn hit(&self) -> bool {
        *self != Match::Miss
    }
}

/// Holds a matcher against a subject. `matched` says whether the event has something to match.
pub fn matches(matched: bool, matcher: Option<&str>, subject: &Subject) -> Match {
    if !matched {
        return Match::Ignored;
    }
    let Some(text) = matcher.filter(|text| !is_wildcard(text)) else { return Match::Everything };
    let mut names = subject.value.iter().chain(&subject.aliases);
    let found = match compiled(text) {
        None => names.find(|name| text.split('|').any(|part| part == *name)).cloned().map(Match::Name),
        Some(pattern) => match Regex::new(pattern) {
            Ok(regex) => names.find(|name| regex.is_match(name)).cloned().map(Match::Pattern),
            Err(_) => None,
        },
    };
    found.unwrap_or(Match::Miss)
}

/// What is compiled of a matcher; none when it stands for everything or is a list of names.
pub fn compiled(text: &str) -> Option<&str> {
    let names = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '|');
    (!is_wildcard(text) && !names).then_some(text)
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

    /// Sixteen matchers on a session's start, as measured.
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
