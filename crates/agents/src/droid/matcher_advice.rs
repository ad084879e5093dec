//! Explains why a matcher does not match: names the most likely mistake and suggests what would match.

use crate::kernel::matching::{self, MatcherOutcome, first_mistake};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::plan::Reason;

const AGENT_ID: &str = "droid";

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or("");
    let near_miss = || Some((near_miss(matcher, value)?, vec![value.to_owned()]));
    matching::explain(event, matcher, value, found, near_miss, || value.to_owned())
}

/// Finds the most likely mistake.
fn near_miss(matcher: &str, value: &str) -> Option<String> {
    let is_tool = |name: &str| matching::foreign_tool(AGENT_ID, name).map_or(name, |(ours, _)| ours) == value;
    first_mistake(
        matcher,
        &[
            &|part| matching::permission_rule(part, is_tool),
            &|part| matching::other_case(part, value),
            &|part| matching::blanks(part.trim(), value),
            &|part| matching::other_agent(AGENT_ID, part, value, |ours| ours == value),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::super::events::EVENTS;
    use super::super::matcher::matches;
    use super::*;
    use serde_json::Value;

    #[test]
    fn near_misses_name_their_mistake() {
        for (matcher, value, says) in [
            ("execute", "Execute", "\"execute\" is not \"Execute\" (case)"),
            ("Bash", "Execute", "\"Bash\" is Claude Code's name; here the tool is Execute"),
            ("^Write$|Bash", "Create", "\"Write\" is Claude Code's name; here the tool is Create"),
            (
                "Bash(git *)",
                "Execute",
                "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
            ),
            (
                "Edit | Create",
                "Create",
                "the spaces or the comma beside \"Create\" are part of the pattern; separate names only with |",
            ),
            ("Glob", "Execute", "\"Glob\" does not match \"Execute\""),
        ] {
            let event = EVENTS.by_name("PreToolUse").unwrap();
            let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
            let found = matches(event, Some(&Value::from(matcher)), &subject);
            assert_eq!(explain(event, matcher, &subject, &found).0.message, says, "{matcher}");
        }
    }
}
