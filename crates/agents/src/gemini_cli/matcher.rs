//! Matches a matcher against a subject (spec §3).

use serde_json::Value;

use super::events::has_tool_subject;
use super::tools;
use crate::kernel::matching::{self, MatcherOutcome, NearMiss, first_mistake};
use crate::shared::gemini_fork::matcher::{self, match_whole, read_whole};
use crate::shared::javascript::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{MatcherInterpretation, list_entries};
use hookbench_base::plan::Reason;
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

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let name = || subject.value.clone().unwrap_or_default();
    matcher::explain(event, matcher, subject, found, || near_miss(event, matcher, subject), name)
}

/// Finds the most likely mistake: returns its sentence and the suggested values.
fn near_miss(event: &EventSpec, matcher: &str, subject: &Subject) -> Option<NearMiss> {
    let value = subject.value.as_deref()?;
    let whole = trim(matcher);
    let own = vec![value.to_owned()];
    if !has_tool_subject(event) {
        return would_match(event, whole, value)
            .then(|| {
                (format!("matchers of {} are compared literally, not as patterns or lists", event.name), own.clone())
            })
            .or_else(|| Some((matching::other_case(whole, value)?, own)));
    }
    let is_tool = |name: &str| tools::foreign(name).map_or(name, |(ours, _)| ours) == value;
    let says = first_mistake(
        whole,
        &[
            &|part| matching::permission_rule(part, is_tool),
            &|part| matching::other_case(part, value),
            &|part| matching::blanks(trim(part), value),
            &|part| mcp_spelling(part, value),
            &|part| matching::other_agent("gemini", part, value, |ours| ours == value),
        ],
    )?;
    Some((says, own))
}

/// Returns whether the matcher would match as a pattern or a list, as on tool events.
fn would_match(event: &EventSpec, matcher: &str, value: &str) -> bool {
    let tool = EventSpec { subject: Some("tool_name"), ..event.clone() };
    let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
    let mut parts = list_entries(matcher).into_iter().map(trim);
    matches(&tool, Some(&Value::from(matcher)), &subject) == MatcherOutcome::Pattern || parts.any(|p| p == value)
}

/// Detects another spelling of an MCP tool: `mcp__srv__tool` for `mcp_srv_tool`.
fn mcp_spelling(part: &str, value: &str) -> Option<String> {
    let plain = |text: &str| {
        let lower: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        lower.to_ascii_lowercase()
    };
    let same = value.starts_with("mcp_") && part != value && plain(part) == plain(value);
    same.then(|| format!("MCP tools are written mcp_server_tool here: \"{value}\""))
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

#[cfg(test)]
mod matcher_advice_tests {
    use super::super::events::EVENTS;
    use super::*;

    #[test]
    fn near_misses_name_their_mistake() {
        for (event, matcher, value, says) in [
            ("BeforeTool", "Write_File", "write_file", "\"Write_File\" is not \"write_file\" (case)"),
            (
                "BeforeTool",
                "Bash",
                "run_shell_command",
                "\"Bash\" is Claude Code's name; here the tool is run_shell_command",
            ),
            ("BeforeTool", "^Edit$|Write", "replace", "\"Edit\" is Claude Code's name; here the tool is replace"),
            (
                "BeforeTool",
                "Bash(git *)",
                "run_shell_command",
                "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
            ),
            (
                "BeforeTool",
                "write_file | replace",
                "replace",
                "the spaces or the comma beside \"replace\" are part of the pattern; separate names only with |",
            ),
            (
                "AfterTool",
                "mcp__mem__put",
                "mcp_mem_put",
                "MCP tools are written mcp_server_tool here: \"mcp_mem_put\"",
            ),
            (
                "SessionStart",
                "startup|resume",
                "startup",
                "matchers of SessionStart are compared literally, not as patterns or lists",
            ),
            ("SessionStart", "Startup", "startup", "\"Startup\" is not \"startup\" (case)"),
        ] {
            let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
            let found = near_miss(EVENTS.by_name(event).unwrap(), matcher, &subject);
            assert_eq!(found, Some((says.to_owned(), vec![value.to_owned()])), "{matcher}");
        }
        let subject = Subject { value: Some("glob".to_owned()), aliases: Vec::new() };
        assert_eq!(near_miss(EVENTS.by_name("BeforeTool").unwrap(), "Edit", &subject), None);
    }
}
