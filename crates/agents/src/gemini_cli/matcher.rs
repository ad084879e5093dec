//! Matches a matcher against a subject (spec §3).

use serde_json::Value;

use super::events::has_tool_subject;
use crate::kernel::matching::MatcherOutcome;
use crate::shared::gemini_fork::matcher::{self, match_whole, read_whole};
use crate::shared::javascript::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::text::truthy;

/// Matches a matcher, as written, against a subject: tool names by an unanchored pattern, everything else as text.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else { return MatcherOutcome::Everything };
    if event.subject.is_none() {
        return MatcherOutcome::NoSubject;
    }
    let Value::String(text) = matcher else { return MatcherOutcome::NotString };
    match_whole(text, !has_tool_subject(event), subject.value.as_deref())
}

/// Returns how the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    let exact = !has_tool_subject(event);
    matcher::read(event, matcher, |text| read_whole(event, text, exact, "every matcher on a tool is a pattern"))
}

/// Returns the pattern of a matcher, or `None` if it is not compiled.
pub fn compiled(event: &EventSpec, text: &str) -> Option<String> {
    let text = trim(text);
    (has_tool_subject(event) && !text.is_empty() && text != "*").then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::events::EVENTS;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn held(event: &str, matcher: &Value, subject: &str) -> MatcherOutcome {
        let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
        match matches(EVENTS.by_name(event).unwrap(), Some(matcher), &subject) {
            MatcherOutcome::Invalid(_) => MatcherOutcome::Invalid(String::new()),
            other => other,
        }
    }

    #[test]
    fn patterns_for_tools_and_texts_for_the_rest() {
        let invalid = || MatcherOutcome::Invalid(String::new());
        for (event, matcher, subject, want) in [
            ("BeforeTool", json!("write"), "write_file", MatcherOutcome::Pattern),
            ("BeforeTool", json!("Write_File"), "write_file", MatcherOutcome::Miss),
            ("BeforeTool", json!("(?i)WRITE"), "write_file", invalid()),
            ("BeforeTool", json!("["), "write_file", invalid()),
            ("BeforeTool", json!("a["), "a[", MatcherOutcome::Name),
            ("BeforeTool", json!("  *  "), "write_file", MatcherOutcome::Everything),
            ("AfterTool", json!("\u{feff}write_file\u{a0}"), "write_file", MatcherOutcome::Pattern),
            ("BeforeTool", json!("write_file | replace"), "replace", MatcherOutcome::Miss),
            ("BeforeTool", json!("Bash"), "run_shell_command", MatcherOutcome::Miss),
            ("BeforeTool", json!(5), "write_file", MatcherOutcome::NotString),
            ("BeforeTool", json!(0), "write_file", MatcherOutcome::Everything),
            ("BeforeTool", json!("x"), "", MatcherOutcome::NoSubject),
            ("SessionStart", json!("startup|resume"), "startup", MatcherOutcome::Miss),
            ("SessionStart", json!(" startup "), "startup", MatcherOutcome::Name),
            ("SessionEnd", json!(".*"), "exit", MatcherOutcome::Miss),
            ("BeforeAgent", json!("zzz"), "", MatcherOutcome::NoSubject),
            ("Notification", json!(["x"]), "", MatcherOutcome::NoSubject),
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
