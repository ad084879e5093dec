//! Matches a matcher against a subject (spec §3).

use serde_json::Value;

use super::events::about_tools;
use crate::shared::whitespace::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{Branch, EcmaPattern, Engine, MatcherReading, ReadAs, Tested, branches};
use hookbench_base::text::truthy;

/// A matcher's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
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
    NotText,
}

impl Match {
    /// Returns whether the hook runs; `None` if unknown.
    pub fn hit(&self) -> Option<bool> {
        match self {
            Match::NoSubject | Match::Everything | Match::Name | Match::Pattern => Some(true),
            Match::Miss | Match::Invalid(_) | Match::NotText => Some(false),
            Match::TooExpensive => None,
        }
    }
}

/// Matches a matcher, as written, against a subject: tool names by an unanchored pattern, everything else as text.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> Match {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else { return Match::Everything };
    if event.subject.is_none() {
        return Match::NoSubject;
    }
    let Value::String(text) = matcher else { return Match::NotText };
    let text = trim(text);
    if text.is_empty() || text == "*" {
        return Match::Everything;
    }
    let Some(value) = subject.value.as_deref().filter(|v| !v.is_empty()) else { return Match::NoSubject };
    if !about_tools(event) {
        return if text == value { Match::Name } else { Match::Miss };
    }
    match EcmaPattern::new(text) {
        Ok(pattern) => match pattern.test(value) {
            Tested::Yes => Match::Pattern,
            Tested::No => Match::Miss,
            Tested::TooExpensive => Match::TooExpensive,
        },
        Err(_) if text == value => Match::Name,
        Err(error) => Match::Invalid(error.message),
    }
}

/// Returns how the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherReading {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else {
        return MatcherReading::plain(ReadAs::Everything, "it is empty");
    };
    if event.subject.is_none() {
        return MatcherReading::plain(ReadAs::Ignored, format!("{} has nothing to match", event.name));
    }
    let Value::String(text) = matcher else {
        return MatcherReading::plain(ReadAs::Nothing, "a matcher must be a string");
    };
    let text = trim(text);
    if text.is_empty() || text == "*" {
        return MatcherReading::plain(ReadAs::Everything, "it is empty or *");
    }
    let exactly = |read, because: String| MatcherReading { read, because, branches: vec![Branch::name(text, false)] };
    if !about_tools(event) {
        return exactly(ReadAs::Text, format!("on {} matchers are compared as text", event.name));
    }
    match EcmaPattern::new(text) {
        Ok(_) => MatcherReading {
            read: ReadAs::Pattern,
            because: "every matcher on a tool is one".to_owned(),
            branches: branches(text, Engine::Ecma, false),
        },
        // An invalid pattern is compared as text.
        Err(error) => exactly(ReadAs::Invalid, error.message),
    }
}

/// Returns the pattern of a matcher, or `None` if it is not compiled.
pub fn compiled(event: &EventSpec, text: &str) -> Option<String> {
    let text = trim(text);
    (about_tools(event) && !text.is_empty() && text != "*").then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::events::by_name;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn held(event: &str, matcher: &Value, subject: &str) -> Match {
        let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
        match matches(by_name(event).unwrap(), Some(matcher), &subject) {
            Match::Invalid(_) => Match::Invalid(String::new()),
            other => other,
        }
    }

    #[test]
    fn patterns_for_tools_and_texts_for_the_rest() {
        let invalid = || Match::Invalid(String::new());
        for (event, matcher, subject, want) in [
            ("BeforeTool", json!("write"), "write_file", Match::Pattern),
            ("BeforeTool", json!("Write_File"), "write_file", Match::Miss),
            ("BeforeTool", json!("(?i)WRITE"), "write_file", invalid()),
            ("BeforeTool", json!("["), "write_file", invalid()),
            ("BeforeTool", json!("a["), "a[", Match::Name),
            ("BeforeTool", json!("  *  "), "write_file", Match::Everything),
            ("AfterTool", json!("\u{feff}write_file\u{a0}"), "write_file", Match::Pattern),
            ("BeforeTool", json!("write_file | replace"), "replace", Match::Miss),
            ("BeforeTool", json!("Bash"), "run_shell_command", Match::Miss),
            ("BeforeTool", json!(5), "write_file", Match::NotText),
            ("BeforeTool", json!(0), "write_file", Match::Everything),
            ("BeforeTool", json!("x"), "", Match::NoSubject),
            ("SessionStart", json!("startup|resume"), "startup", Match::Miss),
            ("SessionStart", json!(" startup "), "startup", Match::Name),
            ("SessionEnd", json!(".*"), "exit", Match::Miss),
            ("BeforeAgent", json!("zzz"), "", Match::NoSubject),
            ("Notification", json!(["x"]), "", Match::NoSubject),
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
