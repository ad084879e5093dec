//! Matches a matcher against a subject (spec §3).

use serde_json::Value;

use super::events::has_tool_subject;
use crate::shared::js_whitespace::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{
    EcmaPattern, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, TestResult, branches,
};
use hookbench_base::text::truthy;

/// A matcher's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchOutcome {
    /// The event has no subject, or the payload has no value for it.
    NoSubject,
    /// No matcher, or one that matches everything.
    Everything,
    /// The matcher equals the subject.
    Name,
    /// The pattern matches the tool's name.
    Pattern,
    Miss,
    /// Not a valid pattern, and different from the subject as text. Holds the parser's message.
    Invalid(String),
    /// The pattern could take too long to try.
    TooExpensive,
    /// Neither missing nor a string: the agent throws.
    NotString,
}

impl MatchOutcome {
    /// Returns whether the hook runs; `None` if unknown.
    pub fn hit(&self) -> Option<bool> {
        match self {
            MatchOutcome::NoSubject | MatchOutcome::Everything | MatchOutcome::Name | MatchOutcome::Pattern => {
                Some(true)
            }
            MatchOutcome::Miss | MatchOutcome::Invalid(_) | MatchOutcome::NotString => Some(false),
            MatchOutcome::TooExpensive => None,
        }
    }
}

/// Matches a matcher, as written, against a subject: tool names by an unanchored pattern, everything else as text.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatchOutcome {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else { return MatchOutcome::Everything };
    if event.subject.is_none() {
        return MatchOutcome::NoSubject;
    }
    let Value::String(text) = matcher else { return MatchOutcome::NotString };
    let text = trim(text);
    if text.is_empty() || text == "*" {
        return MatchOutcome::Everything;
    }
    let Some(value) = subject.value.as_deref().filter(|v| !v.is_empty()) else { return MatchOutcome::NoSubject };
    if !has_tool_subject(event) {
        return if text == value { MatchOutcome::Name } else { MatchOutcome::Miss };
    }
    match EcmaPattern::new(text) {
        Ok(pattern) => match pattern.test(value) {
            TestResult::Yes => MatchOutcome::Pattern,
            TestResult::No => MatchOutcome::Miss,
            TestResult::TooExpensive => MatchOutcome::TooExpensive,
        },
        Err(_) if text == value => MatchOutcome::Name,
        Err(error) => MatchOutcome::Invalid(error.message),
    }
}

/// Returns how the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty");
    };
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Value::String(text) = matcher else {
        return MatcherInterpretation::plain(MatcherKind::Nothing, "a matcher must be a string");
    };
    let text = trim(text);
    if text.is_empty() || text == "*" {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *");
    }
    let exactly = |read, because: String| MatcherInterpretation {
        kind: read,
        reason: because,
        branches: vec![MatcherBranch::name(text, false)],
    };
    if !has_tool_subject(event) {
        return exactly(MatcherKind::Text, format!("on {} matchers are compared as text", event.name));
    }
    match EcmaPattern::new(text) {
        Ok(_) => MatcherInterpretation {
            kind: MatcherKind::Pattern,
            reason: "every matcher on a tool is one".to_owned(),
            branches: branches(text, RegexEngine::Ecma, false),
        },
        // An invalid pattern is compared as text.
        Err(error) => exactly(MatcherKind::Invalid, error.message),
    }
}

/// Returns the pattern of a matcher, or `None` if it is not compiled.
pub fn compiled(event: &EventSpec, text: &str) -> Option<String> {
    let text = trim(text);
    (has_tool_subject(event) && !text.is_empty() && text != "*").then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::events::by_name;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn held(event: &str, matcher: &Value, subject: &str) -> MatchOutcome {
        let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
        match matches(by_name(event).unwrap(), Some(matcher), &subject) {
            MatchOutcome::Invalid(_) => MatchOutcome::Invalid(String::new()),
            other => other,
        }
    }

    #[test]
    fn patterns_for_tools_and_texts_for_the_rest() {
        let invalid = || MatchOutcome::Invalid(String::new());
        for (event, matcher, subject, want) in [
            ("BeforeTool", json!("write"), "write_file", MatchOutcome::Pattern),
            ("BeforeTool", json!("Write_File"), "write_file", MatchOutcome::Miss),
            ("BeforeTool", json!("(?i)WRITE"), "write_file", invalid()),
            ("BeforeTool", json!("["), "write_file", invalid()),
            ("BeforeTool", json!("a["), "a[", MatchOutcome::Name),
            ("BeforeTool", json!("  *  "), "write_file", MatchOutcome::Everything),
            ("AfterTool", json!("\u{feff}write_file\u{a0}"), "write_file", MatchOutcome::Pattern),
            ("BeforeTool", json!("write_file | replace"), "replace", MatchOutcome::Miss),
            ("BeforeTool", json!("Bash"), "run_shell_command", MatchOutcome::Miss),
            ("BeforeTool", json!(5), "write_file", MatchOutcome::NotString),
            ("BeforeTool", json!(0), "write_file", MatchOutcome::Everything),
            ("BeforeTool", json!("x"), "", MatchOutcome::NoSubject),
            ("SessionStart", json!("startup|resume"), "startup", MatchOutcome::Miss),
            ("SessionStart", json!(" startup "), "startup", MatchOutcome::Name),
            ("SessionEnd", json!(".*"), "exit", MatchOutcome::Miss),
            ("BeforeAgent", json!("zzz"), "", MatchOutcome::NoSubject),
            ("Notification", json!(["x"]), "", MatchOutcome::NoSubject),
        ] {
            assert_eq!(held(event, &matcher, subject), want, "{event} {matcher} {subject}");
        }
    }

    /// Sixteen matchers on `SessionStart`, and which of them Gemini CLI itself ran.
    #[test]
    fn sixteen_matchers_on_startup() {
        for (matcher, fires) in [
            ("startup", true),
            ("Startup", false),
            ("start", false),
            ("start.*", false),
            ("^startup$", false),
            ("art.p", false),
            ("resume|startup", false),
            ("resume | startup", false),
            ("resume,startup", false),
            (" startup ", true),
            ("*", true),
            ("", true),
            (".*", false),
            ("start*", false),
            ("(?!resume).*", false),
            ("(startup", false),
        ] {
            assert_eq!(held("SessionStart", &json!(matcher), "startup").hit(), Some(fires), "{matcher}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(matcher: String, subject: String) {
            let _ = held("BeforeTool", &json!(matcher), &subject);
        }
    }
}
