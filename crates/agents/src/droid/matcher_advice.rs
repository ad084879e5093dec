//! Explains why a matcher does not match: names the most likely mistake and suggests what would match.

use super::matcher::MatchOutcome;
use super::{rules, tools};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::list_entries;
use hookbench_base::plan::Reason;

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatchOutcome) -> (Reason, Vec<String>) {
    let value = subject.value.as_deref().unwrap_or("");
    let own = || vec![value.to_owned()];
    let (rule, message) = match found {
        MatchOutcome::NoSubject if event.subject.is_none() => {
            (rules::MATCHER_NO_SUBJECT, format!("{} has nothing to match, so the matcher is ignored", event.name))
        }
        MatchOutcome::NoSubject => {
            (rules::MATCHER_NO_SUBJECT, "the event has no value to match, so every matcher matches".to_owned())
        }
        MatchOutcome::Everything => {
            (rules::MATCHER_EVERYTHING, "no matcher, or one that matches everything".to_owned())
        }
        MatchOutcome::Pattern => (rules::MATCHER_PATTERN, format!("the pattern \"{matcher}\" matches \"{value}\"")),
        MatchOutcome::TooExpensive => (
            rules::MATCHER_TOO_EXPENSIVE,
            format!("the pattern \"{matcher}\" could run for a very long time, so hookbench does not try it"),
        ),
        MatchOutcome::Invalid(error) => {
            let says = format!("\"{matcher}\" is not a valid pattern ({error}), so it matches nothing");
            return (Reason::new(rules::MATCHER_INVALID, says), own());
        }
        MatchOutcome::Miss => {
            let says = near_miss(matcher, value);
            let rule = if says.is_some() { rules::MATCHER_NEAR_MISS } else { rules::MATCHER_MISS };
            let says = says.unwrap_or_else(|| format!("\"{matcher}\" does not match \"{value}\""));
            return (Reason::new(rule, says), own());
        }
    };
    (Reason::new(rule, message), Vec::new())
}

/// Finds the most likely mistake.
fn near_miss(matcher: &str, value: &str) -> Option<String> {
    let parts: Vec<&str> = std::iter::once(matcher).chain(list_entries(matcher)).collect();
    let found = |attempt: &dyn Fn(&str) -> Option<String>| parts.iter().find_map(|part| attempt(part));
    found(&|part| permission_rule(part, value))
        .or_else(|| found(&|part| case(part, value)))
        .or_else(|| found(&|part| blanks(part, value)))
        .or_else(|| found(&|part| other_agent(part, value)))
}

/// Detects the syntax of permission rules: `Bash(git *)`, `Execute(git *)`.
fn permission_rule(part: &str, value: &str) -> Option<String> {
    let (head, rest) = part.split_once('(').filter(|(head, _)| !head.is_empty())?;
    let ours = tools::foreign(head).map_or(head, |(ours, _)| ours);
    (rest.ends_with(')') && ours == value)
        .then(|| format!("\"{part}\" is a permission rule, but a matcher is compared only with the tool name"))
}

/// Detects another case: `execute` for `Execute`.
fn case(part: &str, value: &str) -> Option<String> {
    (part.eq_ignore_ascii_case(value) && part != value).then(|| format!("\"{part}\" is not \"{value}\" (case)"))
}

/// Detects spaces and commas, which are part of the pattern: `Edit | Create`, `Edit,Create`.
fn blanks(part: &str, value: &str) -> Option<String> {
    (part.trim() == value).then(|| {
        format!("the spaces or the comma beside \"{value}\" are part of the pattern; separate names only with |")
    })
}

/// Detects names that only other agents know: `Bash`, `^Write$`.
fn other_agent(part: &str, value: &str) -> Option<String> {
    let bare = part.trim_matches(|c: char| "^$()".contains(c) || c.is_whitespace());
    let (ours, agent) = tools::foreign(bare)?;
    (ours == value).then(|| format!("\"{bare}\" is {agent}'s name; here the tool is {value}"))
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
