//! Explains why a matcher does not match: names the most likely mistake and suggests what would match.

use serde_json::Value;

use super::events::has_tool_subject;
use super::matcher::matches;
use super::tools;
use crate::kernel::matching::{self, MatcherOutcome, NearMiss, first_mistake};
use crate::shared::gemini_fork::matcher;
use crate::shared::javascript::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::list_entries;
use hookbench_base::plan::Reason;

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
