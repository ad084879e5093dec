//! Matches a matcher against a subject (spec §3).

use serde_json::Value;

use super::events::has_tool_subject;
use crate::kernel::matching::MatchOutcome;
use crate::shared::gemini_fork::matcher::{self, match_whole, read_whole};
use crate::shared::javascript::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::text::truthy;

/// Matches a matcher, as written, against a subject: tool names by an unanchored pattern, everything else as text.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatchOutcome {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else { return MatchOutcome::Everything };
    if event.subject.is_none() {
        return MatchOutcome::NoSubject;
    }
    let Value::String(text) = matcher else { return MatchOutcome::NotString };
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

    fn held(event: &str, matcher: &Value, subject: &str) -> MatchOutcome {
        let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
        match matches(EVENTS.by_name(event).unwrap(), Some(matcher), &subject) {
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
