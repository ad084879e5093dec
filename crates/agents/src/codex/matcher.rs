//! Matches a matcher against a subject (spec §4). Names and lists of names are compared exactly; everything else
//! is an unanchored pattern of Rust's `regex`. Nothing is trimmed.

use super::rules;
use super::tools::{self, ForeignTool};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{
    MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, alternatives, branches, rust_pattern,
};
use hookbench_base::plan::Reason;

/// A matcher's result, with the name that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchOutcome {
    /// The event has no subject to match.
    Ignored,
    /// No matcher, or one that matches everything.
    Everything,
    /// This name is in the list.
    Name(String),
    /// The pattern matches this name.
    Pattern(String),
    Miss,
}

impl MatchOutcome {
    /// Returns whether the hook runs.
    pub fn hit(&self) -> bool {
        *self != MatchOutcome::Miss
    }
}

/// Matches a matcher against a subject. `matched` is whether the event has a subject.
pub fn matches(matched: bool, matcher: Option<&str>, subject: &Subject) -> MatchOutcome {
    if !matched {
        return MatchOutcome::Ignored;
    }
    let Some(text) = matcher.filter(|text| !is_wildcard(text)) else { return MatchOutcome::Everything };
    let mut names = subject.value.iter().chain(&subject.aliases);
    let found = match compiled(text) {
        None => names.find(|name| text.split('|').any(|part| part == *name)).cloned().map(MatchOutcome::Name),
        Some(pattern) => match rust_pattern(pattern) {
            Ok(regex) => names.find(|name| regex.is_match(name)).cloned().map(MatchOutcome::Pattern),
            Err(_) => None,
        },
    };
    found.unwrap_or(MatchOutcome::Miss)
}

/// Returns how Codex interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&str>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Some(text) = matcher.filter(|text| !is_wildcard(text)) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *");
    };
    let Some(pattern) = compiled(text) else {
        let branches = text.split('|').map(|name| MatcherBranch::name(name, true)).collect();
        let because = "it contains only letters, digits, _ and |".to_owned();
        return MatcherInterpretation { kind: MatcherKind::Names, reason: because, branches };
    };
    match rust_pattern(pattern) {
        Ok(_) => {
            let because =
                text.chars().find(|c| !in_names(*c)).map_or(String::new(), |c| format!("it contains \"{c}\""));
            MatcherInterpretation {
                kind: MatcherKind::Pattern,
                reason: because,
                branches: branches(pattern, RegexEngine::Rust, true),
            }
        }
        Err(why) => {
            let why = why.to_string();
            let last = why.lines().last().unwrap_or("").trim_start_matches("error: ");
            MatcherInterpretation::plain(MatcherKind::Invalid, last)
        }
    }
}

/// Returns the pattern of a matcher, or `None` if it matches everything or is a list of names.
pub fn compiled(text: &str) -> Option<&str> {
    (!is_wildcard(text) && !text.chars().all(in_names)).then_some(text)
}

fn in_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '|'
}

fn is_wildcard(text: &str) -> bool {
    text.is_empty() || text == "*"
}

/// Explains the result of a matcher and suggests up to two names that would match.
pub fn explain(
    event: &EventSpec,
    matcher: Option<&str>,
    subject: &Subject,
    found: &MatchOutcome,
) -> (Reason, Vec<String>) {
    let said = |rule, says: String| (Reason::new(rule, says), Vec::new());
    let text = matcher.unwrap_or("*");
    let value = subject.value.as_deref().unwrap_or("");
    let alias = |name: &str| if name == value { String::new() } else { format!("; {name} is an alias of {value}") };
    match found {
        MatchOutcome::Ignored => {
            said(rules::MATCHER_NO_SUBJECT, format!("{} has nothing to match, so the matcher is ignored", event.name))
        }
        MatchOutcome::Everything => {
            said(rules::MATCHER_EVERYTHING, "no matcher, or one that matches everything".to_owned())
        }
        MatchOutcome::Name(name) => {
            said(rules::MATCHER_NAME, format!("the matcher contains \"{name}\"{}", alias(name)))
        }
        MatchOutcome::Pattern(name) => {
            said(rules::MATCHER_PATTERN, format!("the pattern \"{text}\" matches \"{name}\"{}", alias(name)))
        }
        MatchOutcome::Miss if subject.value.is_none() => {
            said(rules::MATCHER_MISS, "the event has no value to match".to_owned())
        }
        MatchOutcome::Miss => match near_miss(text, value, subject) {
            Some((says, nearest)) => (Reason::new(rules::MATCHER_NEAR_MISS, says), nearest),
            None => {
                let says = format!("\"{text}\" does not match \"{value}\"");
                (Reason::new(rules::MATCHER_MISS, says), vec![value.to_owned()])
            }
        },
    }
}

/// Detects one kind of mistake: returns the sentence and the suggested names, or `None`.
type MistakeCheck = fn(&str, &str, &Subject) -> Option<(String, Vec<String>)>;

fn near_miss(text: &str, value: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let tries: [MistakeCheck; 7] = [permission_rule, blanks, commas, case, mcp_spelling, partial_name, other_agent];
    tries.iter().find_map(|attempt| attempt(text, value, subject))
}

fn would_match(text: &str, subject: &Subject) -> bool {
    matches(true, Some(text), subject).hit()
}

/// Detects the syntax of permission rules: `Bash(git *)`.
fn permission_rule(text: &str, _: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let (head, rest) = text.split_once('(')?;
    let named = !head.is_empty() && compiled(head).is_none() && rest.ends_with(')') && would_match(head, subject);
    let says = format!("\"{text}\" is a permission rule, but a matcher is compared only with the tool name");
    named.then(|| (says, vec![head.to_owned()]))
}

/// Detects whitespace, which is significant: ` startup `, `a | b`.
fn blanks(text: &str, _: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let says = || format!("spaces are part of the names in \"{text}\"");
    (bare != text && !bare.is_empty() && would_match(&bare, subject)).then(|| (says(), vec![bare.clone()]))
}

/// Detects commas, where lists need `|`: `Edit,Write`.
fn commas(text: &str, _: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let list: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().replace(',', "|");
    let says = || format!("separate names with \"|\"; \"{text}\" is a pattern that contains a comma");
    (text.contains(',') && would_match(&list, subject)).then(|| (says(), vec![list.clone()]))
}

/// Detects another case: `bash` for `Bash`.
fn case(text: &str, value: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let mut names = std::iter::once(value).chain(subject.aliases.iter().map(String::as_str));
    let same =
        |name: &&str| alternatives(text).into_iter().any(|part| part.eq_ignore_ascii_case(name) && part != *name);
    let name = names.find(same)?;
    Some((format!("\"{text}\" is not \"{name}\" (case)"), vec![name.to_owned()]))
}

/// Detects other spellings of an MCP tool: `mcp__memory`, `mcp_memory_put`.
fn mcp_spelling(text: &str, value: &str, _: &Subject) -> Option<(String, Vec<String>)> {
    if !value.starts_with("mcp__") || compiled(text).is_some() {
        return None;
    }
    if value.strip_prefix(text.trim_end_matches('_')).is_some_and(|rest| rest.starts_with("__")) {
        let pattern = format!("{}__.*", text.trim_end_matches('_'));
        return Some((
            format!("\"{text}\" is compared with whole names; \"{pattern}\" matches the tools of a server"),
            vec![pattern],
        ));
    }
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let says = || format!("MCP tools are written mcp__server__tool: \"{value}\"");
    (plain(text).trim_start_matches("mcp") == plain(value).trim_start_matches("mcp"))
        .then(|| (says(), vec![value.into()]))
}

/// Detects a part of a name: `start` for `startup`. A plain word is not a pattern.
fn partial_name(text: &str, value: &str, subject: &Subject) -> Option<(String, Vec<String>)> {
    let inner = |part: &&str| {
        part.len() > 1
            && std::iter::once(value).chain(subject.aliases.iter().map(String::as_str)).any(|n| n.contains(*part))
    };
    let part = alternatives(text).into_iter().find(inner).filter(|_| compiled(text).is_none())?;
    let pattern = format!("{part}.*");
    let says = format!("a plain word is compared with the whole name: \"{part}\" is not \"{value}\"");
    Some((says, if would_match(&pattern, subject) { vec![value.to_owned(), pattern] } else { vec![value.to_owned()] }))
}

/// Detects names that only other agents know: `run_shell_command`, `Read`.
fn other_agent(text: &str, value: &str, _: &Subject) -> Option<(String, Vec<String>)> {
    let (name, ours) = alternatives(text).into_iter().find_map(|part| Some((part, tools::foreign(part)?)))?;
    match ours {
        ForeignTool::Equivalent(ours) if ours == value => {
            Some((format!("\"{name}\" is another agent's name; here the tool is {ours}"), vec![ours.to_owned()]))
        }
        ForeignTool::Equivalent(_) => None,
        ForeignTool::Missing => {
            Some((format!("\"{name}\" is another agent's name; Codex has no such tool"), vec![value.to_owned()]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn subject(value: &str) -> Subject {
        let aliases = super::super::tools::aliases(value);
        Subject { value: Some(value.to_owned()), aliases }
    }

    fn hit(matcher: &str, value: &str) -> bool {
        matches(true, Some(matcher), &subject(value)).hit()
    }

    /// Sixteen matchers on `SessionStart`, as measured.
    #[test]
    fn sixteen_matchers() {
        for (matcher, fires) in [
            ("startup", true),
            ("Startup", false),
            ("start", false),
            ("start.*", true),
            ("^startup$", true),
            ("art.p", true),
            ("resume|startup", true),
            ("resume | startup", false),
            ("resume,startup", false),
            (" startup ", false),
            ("*", true),
            ("", true),
            (".*", true),
            ("start*", true),
            ("(?!resume).*", false),
            ("(startup", false),
        ] {
            assert_eq!(hit(matcher, "startup"), fires, "{matcher:?}");
        }
    }

    #[test]
    fn aliases_count_in_patterns_too() {
        for (matcher, tool, fires) in [
            ("Edit", "apply_patch", true),
            ("Wri.e", "apply_patch", true),
            ("^apply_patch$", "apply_patch", true),
            ("MultiEdit", "apply_patch", false),
            ("Task|Agent", "spawn_agent", true),
            ("Task", "spawn_agent", false),
            ("mcp__memory", "mcp__memory__put", false),
            ("mcp__memory__.*", "mcp__memory__put", true),
            ("(?i)bash", "Bash", true),
            ("bash", "Bash", false),
            ("Edit,Write", "apply_patch", false),
            ("Write ", "apply_patch", false),
        ] {
            assert_eq!(hit(matcher, tool), fires, "{matcher:?} {tool}");
        }
        let nothing = Subject::default();
        assert!(matches(false, Some("["), &nothing).hit());
        assert!(matches(true, None, &nothing).hit());
        assert!(!matches(true, Some(".*"), &nothing).hit());
    }

    proptest! {
        #[test]
        fn never_panics(matcher in any::<String>(), value in any::<String>()) {
            let _ = hit(&matcher, &value);
        }
    }
}

#[cfg(test)]
mod matcher_advice_tests {
    use super::super::events::EVENTS;
    use super::*;

    #[test]
    fn near_misses_name_their_mistake() {
        let event = EVENTS.by_name("PreToolUse").unwrap();
        for (matcher, tool, says, nearest) in [
            ("bash", "Bash", "\"bash\" is not \"Bash\" (case)", vec!["Bash"]),
            ("write", "apply_patch", "\"write\" is not \"Write\" (case)", vec!["Write"]),
            (
                "Bash(git *)",
                "Bash",
                "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
                vec!["Bash"],
            ),
            ("Write | Edit", "apply_patch", "spaces are part of the names in \"Write | Edit\"", vec!["Write|Edit"]),
            (
                "Edit,Write",
                "apply_patch",
                "separate names with \"|\"; \"Edit,Write\" is a pattern that contains a comma",
                vec!["Edit|Write"],
            ),
            (
                "mcp__memory",
                "mcp__memory__put",
                "\"mcp__memory\" is compared with whole names; \"mcp__memory__.*\" matches the tools of a server",
                vec!["mcp__memory__.*"],
            ),
            (
                "mcp_memory_put",
                "mcp__memory__put",
                "MCP tools are written mcp__server__tool: \"mcp__memory__put\"",
                vec!["mcp__memory__put"],
            ),
            (
                "apply",
                "apply_patch",
                "a plain word is compared with the whole name: \"apply\" is not \"apply_patch\"",
                vec!["apply_patch", "apply.*"],
            ),
            (
                "run_shell_command",
                "Bash",
                "\"run_shell_command\" is another agent's name; here the tool is Bash",
                vec!["Bash"],
            ),
            ("Read|Grep", "Bash", "\"Read\" is another agent's name; Codex has no such tool", vec!["Bash"]),
            ("Edit", "Bash", "\"Edit\" does not match \"Bash\"", vec!["Bash"]),
        ] {
            let aliases = tools::aliases(tool);
            let subject = Subject { value: Some(tool.to_owned()), aliases };
            let found = matches(true, Some(matcher), &subject);
            let (why, near) = explain(event, Some(matcher), &subject, &found);
            assert_eq!(
                (why.message.as_str(), near),
                (says, nearest.iter().map(|n| (*n).to_owned()).collect()),
                "{matcher}"
            );
        }
    }
}
