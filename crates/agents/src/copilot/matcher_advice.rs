//! Explains why a matcher does not match: names the most likely mistake and suggests what would match.

use serde_json::Value;

use super::matcher::matches;
use super::rules;
use super::spelling::{Spelling, native_tool, tool_in_matchers};
use crate::kernel::matching::{self, MatcherOutcome, first_mistake};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::plan::Reason;

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(event: &EventSpec, matcher: &str, subject: &Subject, found: &MatcherOutcome) -> (Reason, Vec<String>) {
    let value = own_name(event, subject);
    let own = vec![value.clone()];
    let (rule, says) = match found {
        MatcherOutcome::NoSubject if event.subject.is_none() => {
            (rules::MATCHER_NO_SUBJECT, format!("matchers of {} are ignored", event.name))
        }
        MatcherOutcome::Alias(name) => {
            (rules::MATCHER_NAME, format!("the matcher contains \"{name}\"; {name} is another name of {value}"))
        }
        MatcherOutcome::Pattern => {
            (rules::MATCHER_PATTERN, format!("the pattern \"{matcher}\" matches the whole name \"{value}\""))
        }
        _ => {
            let near_miss = || Some((near_miss(event, matcher, &value)?, own.clone()));
            let is_star = matches!(found, MatcherOutcome::Invalid(_)) && matcher.trim() == "*";
            let name = || if is_star { ".*".to_owned() } else { value.clone() };
            return matching::explain(event, matcher, &value, found, near_miss, name);
        }
    };
    (Reason::new(rule, says), Vec::new())
}

/// The subject's name in the event's spelling.
fn own_name(event: &EventSpec, subject: &Subject) -> String {
    tool_in_matchers(event.name, subject.value.as_deref().unwrap_or("")).to_owned()
}

/// Finds the most likely mistake.
fn near_miss(event: &EventSpec, matcher: &str, value: &str) -> Option<String> {
    let is_tool = |name: &str| native_tool(name) == native_tool(value);
    first_mistake(
        matcher,
        &[
            &|part| matching::permission_rule(part, is_tool),
            &|part| other_spelling(event, part, value),
            &|part| matching::other_case(part, value),
            &|part| matching::blanks(part.trim(), value),
            &|_| partial_name(event, matcher, value),
            &|part| matching::other_agent("copilot", part, value, is_tool),
        ],
    )
}

/// Detects the name of the other spelling: `Bash` under `preToolUse`, a pattern for `bash` under `PreToolUse`.
fn other_spelling(event: &EventSpec, part: &str, value: &str) -> Option<String> {
    let bare = part.trim_matches(|c: char| "^$().*".contains(c));
    let same = native_tool(bare) == native_tool(value) && bare != value;
    same.then(|| match Spelling::of(event.name) {
        Spelling::Camel => {
            format!("hooks under {} are matched by the agent's own name: \"{value}\", not \"{bare}\"", event.name)
        }
        Spelling::Pascal => {
            format!("patterns under {} are matched by the name \"{value}\", not \"{bare}\"", event.name)
        }
    })
}

/// Detects a pattern that matches only a part of the name: `bas` for `bash`.
fn partial_name(event: &EventSpec, matcher: &str, value: &str) -> Option<String> {
    let wider = Value::from(format!(".*(?:{matcher}).*"));
    let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
    (matches(event, Some(&wider), &subject) == MatcherOutcome::Pattern)
        .then(|| format!("a pattern must match the whole name: \"{matcher}\" is only a part of \"{value}\""))
}

#[cfg(test)]
mod tests {
    use super::super::AGENT;

    use super::super::events::by_name;
    use super::super::test_firings::trusting;
    use super::*;
    use crate::kernel::test::place;
    use hookbench_base::diagnostic::Code;
    use hookbench_base::dialects::default_version;
    use serde_json::json;

    #[test]
    fn near_misses_name_their_mistake() {
        for (event, matcher, value, says) in [
            (
                "preToolUse",
                "Bash",
                "bash",
                "hooks under preToolUse are matched by the agent's own name: \"bash\", not \"Bash\"",
            ),
            (
                "PreToolUse",
                "^bash$",
                "Bash",
                "patterns under PreToolUse are matched by the name \"Bash\", not \"bash\"",
            ),
            ("preToolUse", "BASH", "bash", "\"BASH\" is not \"bash\" (case)"),
            ("preToolUse", "bas", "bash", "a pattern must match the whole name: \"bas\" is only a part of \"bash\""),
            (
                "preToolUse",
                "bash | edit",
                "edit",
                "the spaces or the comma beside \"edit\" are part of the pattern; separate names only with |",
            ),
            (
                "PreToolUse",
                "Bash(git *)",
                "Bash",
                "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
            ),
            ("preToolUse", "zzz", "bash", "\"zzz\" does not match \"bash\""),
        ] {
            let event = by_name(event).unwrap();
            let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
            let found = matches(event, Some(&Value::from(matcher)), &subject);
            assert_eq!(explain(event, matcher, &subject, &found).0.message, says, "{matcher}");
        }
    }

    /// A proposed name is one that the matcher would match, in both spellings of an event.
    #[test]
    fn names_are_corrected_in_the_spelling_of_the_event() {
        for (event, matcher, want) in [
            ("preToolUse", "BASH", Some((Code::HW301, "\"bash\""))),
            ("preToolUse", "Bash", Some((Code::HW301, "\"bash\""))),
            ("preToolUse", "Read", Some((Code::HW302, "\"view\""))),
            ("preToolUse", "bash", None),
            ("preToolUse", "Edit|edit", None),
            ("PreToolUse", "BASH", Some((Code::HW301, "\"Bash\""))),
            ("PreToolUse", "Bash", None),
            ("PreToolUse", "bash", None),
        ] {
            let mut files = trusting();
            let hooks = json!({"hooks": {event: [{"command": "a", "matcher": matcher}]}});
            files.put("/h/.copilot/hooks/h.json", hooks.to_string());
            let version = default_version(&AGENT);
            let loaded = AGENT.load(&place(), &files, &version);
            let found = loaded.notes.iter().find(|note| matches!(note.code, Code::HW301 | Code::HW302));
            let fixed = found.map(|note| (note.code, note.fix.as_ref().unwrap().edits[0].text.as_str()));
            assert_eq!(fixed, want, "{event} {matcher}");
        }
    }
}
