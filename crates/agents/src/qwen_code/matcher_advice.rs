//! Explains why a matcher does not match: names the most likely mistake and suggests what would match.

use super::matcher::{entries, matches, trim_unescaped};
use super::tools;
use super::version_behaviour::MatcherRule;
use crate::kernel::matching::{MatcherOutcome, NearMiss};
use crate::qwen_code::rules;
use crate::shared::gemini_fork::matcher;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::plan::Reason;

/// Explains the result of a matcher and suggests the nearest value that would match.
pub fn explain(
    rule: MatcherRule,
    event: &EventSpec,
    matcher: &str,
    subject: &Subject,
    found: &MatcherOutcome,
) -> (Reason, Vec<String>) {
    match found {
        MatcherOutcome::Invalid(error) if rule == MatcherRule::NamesThenPattern => {
            let says = format!(
                "\"{matcher}\" is not a valid pattern ({error}); it never matches, and the agent shows no error"
            );
            (Reason::new(rules::MATCHER_INVALID, says), near_miss(rule, matcher, subject).unwrap_or_default().1)
        }
        _ => matcher::explain(
            event,
            matcher,
            subject,
            found,
            || near_miss(rule, matcher, subject),
            || familiar_name(rule, subject),
        ),
    }
}

/// Returns the name that a user would write for the subject.
fn familiar_name(rule: MatcherRule, subject: &Subject) -> String {
    let value = subject.value.clone().unwrap_or_default();
    match rule {
        MatcherRule::NamesThenPattern => {
            tools::by_id(&value).map_or(value, |tool| tools::familiar_name(tool).to_owned())
        }
        MatcherRule::Pattern { .. } => value,
    }
}

/// Detects one kind of mistake in a part of the matcher: returns the sentence and the suggested values, or `None`.
type MistakeCheck = fn(MatcherRule, &str, &str, &Subject) -> Option<NearMiss>;

fn near_miss(rule: MatcherRule, matcher: &str, subject: &Subject) -> Option<NearMiss> {
    let value = subject.value.as_deref()?;
    let whole = trim_unescaped(matcher);
    let mut parts = entries(whole);
    if !parts.contains(&whole) {
        parts.push(whole);
    }
    let tries: [MistakeCheck; 6] = [permission_rule, case, inside_pattern, old_alias, mcp_spelling, other_agent];
    tries.iter().find_map(|attempt| parts.iter().find_map(|part| attempt(rule, part, value, subject)))
}

fn names<'a>(subject: &'a Subject, value: &'a str) -> impl Iterator<Item = &'a str> {
    std::iter::once(value).chain(subject.aliases.iter().map(String::as_str))
}

/// Detects another case: `bash` for `Bash`.
fn case(rule: MatcherRule, part: &str, value: &str, subject: &Subject) -> Option<NearMiss> {
    let name = names(subject, value).find(|name| name.eq_ignore_ascii_case(part) && *name != part)?;
    if let MatcherRule::Pattern { .. } = rule {
        let says = format!("\"{part}\" is not \"{value}\" (case)");
        return (name == value).then(|| (says, vec![value.to_owned()]));
    }
    let tail = if name == value { String::new() } else { format!("; {name} is an alias of {value}") };
    Some((format!("\"{part}\" is not \"{name}\" (case){tail}"), vec![name.to_owned()]))
}

/// Detects aliases inside a pattern, where only whole names count: `^Bash$`, `(Bash|Edit)`, `Ba.*`.
fn inside_pattern(rule: MatcherRule, part: &str, value: &str, subject: &Subject) -> Option<NearMiss> {
    if rule != MatcherRule::NamesThenPattern || !part.contains(['^', '$', '(', '.', '*', '[', '+', '?']) {
        return None;
    }
    let alone = |name: &String| {
        let other = Subject { value: Some(name.clone()), aliases: Vec::new() };
        matches(rule, "", Some(&serde_json::Value::from(part)), &other) == MatcherOutcome::Pattern
    };
    let alias = subject.aliases.iter().find(|name| alone(name))?;
    let says = format!(
        "aliases count only as whole names: \"{alias}\" is an alias of {value}, but a pattern is compared only with \"{value}\""
    );
    Some((says, vec![alias.clone(), format!("^{value}$")]))
}

/// Detects an alias in a version that does not support aliases: `Bash`.
fn old_alias(rule: MatcherRule, part: &str, value: &str, subject: &Subject) -> Option<NearMiss> {
    let MatcherRule::Pattern { .. } = rule else { return None };
    let mut names = tools::aliases(value).into_iter();
    let known = subject.aliases.is_empty() && names.any(|name| name.eq_ignore_ascii_case(part));
    known.then(|| {
        (format!("this version does not support aliases: the tool is {value}, not \"{part}\""), vec![value.to_owned()])
    })
}

/// Detects the syntax of permission rules: `Bash(git *)`.
fn permission_rule(_: MatcherRule, part: &str, value: &str, subject: &Subject) -> Option<NearMiss> {
    let (head, rest) = part.split_once('(')?;
    if !rest.ends_with(')') || rest.contains('|') {
        return None;
    }
    let name = names(subject, value).find(|name| name.eq_ignore_ascii_case(head))?;
    let says = format!("\"{part}\" is a permission rule, but a matcher is compared only with the tool name");
    Some((says, vec![name.to_owned()]))
}

/// Detects other spellings of an MCP tool: `mcp_srv_tool`, `srv__tool`, `mcp__srv`.
fn mcp_spelling(_: MatcherRule, part: &str, value: &str, _: &Subject) -> Option<NearMiss> {
    let plain = |text: &str| {
        let lower: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let lower = lower.to_ascii_lowercase();
        lower.strip_prefix("mcp").map_or(lower.clone(), str::to_owned)
    };
    if !value.starts_with("mcp__") || part == value || plain(part) != plain(value) {
        return None;
    }
    Some((format!("MCP tools are written mcp__server__tool here: \"{value}\""), vec![value.to_owned()]))
}

/// Detects names that only other agents know: `MultiEdit`, `LS`, `shell`.
fn other_agent(rule: MatcherRule, part: &str, value: &str, subject: &Subject) -> Option<NearMiss> {
    let (ours, agent) = tools::foreign(part)?;
    if ours != value {
        return None;
    }
    Some((format!("\"{part}\" is {agent}'s name; here the tool is {value}"), vec![familiar_name(rule, subject)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(tool: &str) -> Subject {
        Subject { value: Some(tool.to_owned()), aliases: tools::aliases(tool) }
    }

    #[test]
    fn near_misses_name_their_mistake() {
        let rule = MatcherRule::NamesThenPattern;
        for (matcher, tool, says, nearest) in [
            (
                "bash",
                "run_shell_command",
                "\"bash\" is not \"Bash\" (case); Bash is an alias of run_shell_command",
                vec!["Bash"],
            ),
            (
                "RUN_SHELL_COMMAND",
                "run_shell_command",
                "\"RUN_SHELL_COMMAND\" is not \"run_shell_command\" (case)",
                vec!["run_shell_command"],
            ),
            (
                "^Bash$",
                "run_shell_command",
                "aliases count only as whole names: \"Bash\" is an alias of run_shell_command, but a pattern is compared only with \"run_shell_command\"",
                vec!["Bash", "^run_shell_command$"],
            ),
            (
                "Bash(git *)",
                "run_shell_command",
                "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
                vec!["Bash"],
            ),
            ("MultiEdit", "edit", "\"MultiEdit\" is Claude Code's name; here the tool is edit", vec!["Edit"]),
            (
                "mcp_srv_tool",
                "mcp__srv__tool",
                "MCP tools are written mcp__server__tool here: \"mcp__srv__tool\"",
                vec!["mcp__srv__tool"],
            ),
        ] {
            let found = near_miss(rule, matcher, &subject(tool));
            assert_eq!(found, Some((says.to_owned(), nearest.iter().map(|n| (*n).to_owned()).collect())), "{matcher}");
        }
        assert_eq!(near_miss(rule, "Edit", &subject("run_shell_command")), None);
    }
}
