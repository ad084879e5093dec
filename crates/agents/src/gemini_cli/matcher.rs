//! One matcher against one subject (spec §3).

use serde_json::Value;

use super::events::about_tools;
use crate::shared::whitespace::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{Branch, EcmaPattern, Engine, MatcherReading, ReadAs, Tested, branches};
use hookbench_base::text::truthy;

/// How a matcher stands to a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The event has no subject, or there is nothing to compare with.
    NoSubject,
    /// No matcher, or one that stands for everything.
    Everything,
    /// The matcher is the subject.
    Name,
    /// The pattern was found in the tool's name.
    Pattern,
    Miss,
    /// Not a pattern: the parser's words. Then it is compared as text, and is another one.
    Invalid(String),
    /// The pattern could run for longer than anybody waits.
    TooExpensive,
    /// Neither absent nor text: the agent throws.
    NotText,
}

impl Match {
    /// Whether the hook fires; none when that is not known.
    pub fn hit(&self) -> Option<bool> {
        match self {
            Match::NoSubject | Match::Everything | Match::Name | Match::Pattern => Some(true),
            Match::Miss | Match::Invalid(_) | Match::NotText => Some(false),
            Match::TooExpensive => None,
        }
    }
}

/// Holds a matcher, as written, against a subject: tools by an unanchored pattern, everything else as text.
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

/// How a matcher is read on an event.
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
        // Then it is compared as text.
        Err(error) => exactly(ReadAs::Invalid, error.message),
    }
}

/// What would be compiled of a matcher; none when nothing would.
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

    /// Sixteen matchers on a session's start, and which of them the program itself ran.
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
