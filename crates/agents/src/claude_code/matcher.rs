//! Matchers: whether they match an event, and why (spec §3.1).

use std::borrow::Cow;

use crate::claude_code::rules;
use hookbench_base::names::RuleId;
use serde_json::Value;

use super::matcher_advice;
use super::model_names::known_name;
use super::version_behaviour::VersionBehaviour;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{
    EcmaPattern, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, TestResult, branches,
};
use hookbench_base::plan::Reason;

/// The result of a matcher or a condition for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchOutcome {
    Yes(Reason),
    /// `nearest` contains values that would match.
    No {
        why: Reason,
        nearest: Vec<String>,
    },
    Unknown(Reason),
}

impl MatchOutcome {
    /// A match, with its reason.
    pub fn yes(rule: RuleId, says: impl Into<String>) -> MatchOutcome {
        MatchOutcome::Yes(Reason::new(rule, says))
    }

    /// A mismatch without similar values.
    pub fn no(rule: RuleId, says: impl Into<String>) -> MatchOutcome {
        MatchOutcome::No { why: Reason::new(rule, says), nearest: Vec::new() }
    }

    /// An unknown result, with its reason.
    pub fn unknown(rule: RuleId, says: impl Into<String>) -> MatchOutcome {
        MatchOutcome::Unknown(Reason::new(rule, says))
    }
}

/// A parsed matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedMatcher {
    /// The matcher is missing, empty or `*`.
    Everything,
    /// A list of exact names.
    Names(Vec<String>),
    /// A JavaScript pattern. `because` is the first character that is not allowed in names.
    Pattern { because: char },
}

/// Whether an event is about models.
fn switches_models(event: &str) -> bool {
    matches!(event, "PreModelSwitch" | "PostModelSwitch")
}

/// Returns the text that matchers are compared with. `None` if they are ignored, because the agent does not know the
/// model.
fn compared<'a>(value: &'a str, event: &str) -> Option<Cow<'a, str>> {
    if switches_models(event) { known_name(value).map(Cow::Owned) } else { Some(Cow::Borrowed(value)) }
}

/// Returns a matcher as the agent reads it. On model switches, the size of the context window (`[1m]`, `[2m]`) is
/// dropped at the end of a name or of the whole text.
pub fn normalize<'a>(text: &'a str, event: &str) -> Cow<'a, str> {
    if !switches_models(event) {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('[') {
        kept.push_str(before);
        let size = ["1m]", "1M]", "2m]", "2M]"].into_iter().find_map(|size| after.strip_prefix(size));
        match size.filter(|next| matches!(next.trim_start_matches(' ').chars().next(), None | Some('|' | ','))) {
            Some(next) => rest = next,
            None => {
                kept.push('[');
                rest = after;
            }
        }
    }
    kept.push_str(rest);
    // Nothing but a size is not an empty matcher, which would match everything.
    if kept.is_empty() || kept == text { Cow::Borrowed(text) } else { Cow::Owned(kept) }
}

/// Parses a matcher for an event: the first of three rules that applies (spec §3.1). The text is normalized.
pub fn parse(matcher: &str, event: &str, rules: VersionBehaviour) -> ParsedMatcher {
    if matcher.is_empty() || matcher == "*" {
        return ParsedMatcher::Everything;
    }
    let narrow = matches!(event, "FileChanged" | "StopFailure");
    let in_name = |c: char| {
        c.is_ascii_alphanumeric()
            || c == '_'
            || c == '|'
            || (!narrow && (c == ' ' || (c == ',' && rules.comma_lists) || (c == '-' && rules.hyphen_names)))
    };
    if let Some(because) = matcher.chars().find(|c| !in_name(*c)) {
        return ParsedMatcher::Pattern { because };
    }
    let names = matcher.split(['|', ',']).map(str::trim).filter(|part| !part.is_empty());
    ParsedMatcher::Names(names.map(str::to_owned).collect())
}

/// Describes how the agent reads a matcher, in parts that can be displayed.
pub fn describe(matcher: Option<&Value>, event: &EventSpec, rules: VersionBehaviour) -> MatcherInterpretation {
    let text = match matcher {
        None => return MatcherInterpretation::plain(MatcherKind::Everything, "there is no matcher"),
        Some(Value::String(text)) => text,
        Some(_) => return MatcherInterpretation::plain(MatcherKind::Nothing, "a matcher must be a string"),
    };
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let text = &*normalize(text, event.name);
    match parse(text, event.name, rules) {
        ParsedMatcher::Everything => MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *"),
        ParsedMatcher::Names(names) if names.is_empty() => {
            MatcherInterpretation::plain(MatcherKind::Nothing, "it contains no name")
        }
        ParsedMatcher::Names(names) => {
            let branches = names.iter().map(|name| MatcherBranch::name(name, true)).collect();
            let marks = [(rules.hyphen_names, ", -"), (rules.comma_lists, ", a comma")];
            let more: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
            let because = format!("it contains only letters, digits, _{more}, spaces and |");
            MatcherInterpretation { kind: MatcherKind::Names, reason: because, branches }
        }
        ParsedMatcher::Pattern { because } => match EcmaPattern::new(text) {
            Ok(_) => {
                let because = format!("it contains \"{because}\"");
                MatcherInterpretation {
                    kind: MatcherKind::Pattern,
                    reason: because,
                    branches: branches(text, RegexEngine::Ecma, true),
                }
            }
            Err(error) => MatcherInterpretation::plain(MatcherKind::Invalid, error.message),
        },
    }
}

/// Whether a matcher matches a subject; `None` if that is unknown. The same as [`evaluate`], without reasons.
pub fn passes(matcher: Option<&Value>, event: &EventSpec, subject: &Subject, rules: VersionBehaviour) -> Option<bool> {
    let Some(matcher) = matcher else { return Some(true) };
    let Value::String(text) = matcher else { return Some(false) };
    let Some(value) = subject.value.as_deref() else { return Some(true) };
    let Some(value) = compared(value, event.name) else { return Some(true) };
    let value = &*value;
    let text = &*normalize(text, event.name);
    match parse(text, event.name, rules) {
        ParsedMatcher::Everything => Some(true),
        ParsedMatcher::Names(names) => Some(names.iter().any(|name| name == value || subject.aliases.contains(name))),
        ParsedMatcher::Pattern { .. } => {
            let Ok(pattern) = EcmaPattern::new(text) else { return Some(false) };
            let tested = |name: &str| pattern.test(name);
            let all: Vec<TestResult> =
                std::iter::once(value).chain(subject.aliases.iter().map(String::as_str)).map(tested).collect();
            if all.contains(&TestResult::Yes) {
                Some(true)
            } else {
                (!all.contains(&TestResult::TooExpensive)).then_some(false)
            }
        }
    }
}

/// Tests a matcher against an event.
pub fn evaluate(
    matcher: Option<&Value>,
    event: &EventSpec,
    subject: &Subject,
    rules: VersionBehaviour,
) -> MatchOutcome {
    let text = match matcher {
        None => return MatchOutcome::yes(rules::MATCHER_NONE, "no matcher: everything matches"),
        Some(Value::String(text)) => text,
        Some(other) => {
            let says = format!("the matcher must be a string, not {}", matcher_advice::value_kind(other));
            return MatchOutcome::no(rules::MATCHER_NOT_A_STRING, says);
        }
    };
    let Some(value) = subject.value.as_deref() else {
        return MatchOutcome::yes(
            rules::MATCHER_IGNORED,
            format!("{} has nothing to match: matchers are ignored", event.name),
        );
    };
    let Some(value) = compared(value, event.name) else {
        let says = format!("the agent does not know the model \"{value}\": matchers are ignored");
        return MatchOutcome::yes(rules::MATCHER_IGNORED, says);
    };
    let (text, value) = (&*normalize(text, event.name), &*value);
    match parse(text, event.name, rules) {
        ParsedMatcher::Everything => {
            MatchOutcome::yes(rules::MATCHER_EVERYTHING, format!("\"{text}\" matches everything"))
        }
        ParsedMatcher::Names(names) => match_name(text, &names, value, event, subject),
        ParsedMatcher::Pattern { because } => match_pattern(text, because, value, event, subject),
    }
}

fn match_name(text: &str, names: &[String], value: &str, event: &EventSpec, subject: &Subject) -> MatchOutcome {
    if names.iter().any(|name| name == value) {
        let says = if names.len() == 1 {
            format!("\"{text}\" is exactly \"{value}\"")
        } else {
            format!("\"{value}\" is one of {}", matcher_advice::quoted_list(names))
        };
        return MatchOutcome::yes(rules::MATCHER_EXACT, says);
    }
    if let Some(alias) = names.iter().find(|name| subject.aliases.contains(name)) {
        let says = match value {
            "Monitor" => format!("hooks for \"{alias}\" see the command of a Monitor call too, as a call of Bash"),
            _ => format!("\"{alias}\" is an alias of {value}"),
        };
        return MatchOutcome::yes(rules::MATCHER_ALIAS, says);
    }
    let (rule, says, nearest) = matcher_advice::explain_names(names, value, event);
    MatchOutcome::No { why: Reason::new(rule, says), nearest }
}

fn match_pattern(text: &str, because: char, value: &str, event: &EventSpec, subject: &Subject) -> MatchOutcome {
    let pattern = match EcmaPattern::new(text) {
        Ok(pattern) => pattern,
        Err(error) => {
            let (says, nearest) = matcher_advice::explain_invalid_pattern(text, &error.message, event);
            return MatchOutcome::No { why: Reason::new(rules::MATCHER_INVALID, says), nearest };
        }
    };
    let mut expensive = false;
    for (index, candidate) in std::iter::once(value).chain(subject.aliases.iter().map(String::as_str)).enumerate() {
        match pattern.test(candidate) {
            TestResult::Yes if index > 0 => {
                let says = match value {
                    "Monitor" => {
                        format!("the pattern /{text}/ matches \"{candidate}\", as which hooks see a Monitor call")
                    }
                    _ => format!("the pattern /{text}/ matches \"{candidate}\", an alias of {value}"),
                };
                return MatchOutcome::yes(rules::MATCHER_ALIAS, says);
            }
            TestResult::Yes => {
                let says =
                    format!("the pattern /{text}/ matches \"{value}\"{}", matcher_advice::unanchored_note(text, value));
                return MatchOutcome::yes(rules::MATCHER_PATTERN, says);
            }
            TestResult::TooExpensive => expensive = true,
            TestResult::No => {}
        }
    }
    if expensive {
        let says = format!("the pattern /{text}/ could run for a very long time, so hookbench did not try it");
        return MatchOutcome::unknown(rules::MATCHER_TOO_EXPENSIVE, says);
    }
    let (rule, says, nearest) = matcher_advice::explain_pattern(text, because, value, event, &pattern);
    MatchOutcome::No { why: Reason::new(rule, says), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::events;
    use crate::claude_code::version_behaviour::NEWEST;
    use hookbench_base::dialects::Version;
    use proptest::prelude::*;
    use serde_json::json;

    fn passes(matcher: &str, event: &str, body: &Value, rules: VersionBehaviour) -> bool {
        let event = events::find(event).unwrap();
        let (matcher, subject) = (json!(matcher), events::subject(event, body));
        let says = evaluate(Some(&matcher), event, &subject, rules);
        let short = match &says {
            MatchOutcome::Yes(_) => Some(true),
            MatchOutcome::No { .. } => Some(false),
            MatchOutcome::Unknown(_) => None,
        };
        // The variant without reasons returns the same result.
        assert_eq!(super::passes(Some(&matcher), event, &subject, rules), short, "{matcher}");
        short == Some(true)
    }

    /// All rows that were observed on 2.1.329.
    #[test]
    fn observed_rows() {
        for line in include_str!("../../../../tests/tables/claude/matchers.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let got =
                passes(row["matcher"].as_str().unwrap(), "PreToolUse", &json!({"tool_name": row["value"]}), NEWEST);
            assert_eq!(json!(got), row["matches"], "{line}");
        }
    }

    /// The table of spec §3.1: for each matcher, those of eight values that it matches.
    #[test]
    fn table_of_the_specification() {
        const VALUES: [&str; 8] =
            ["Bash", "Write", "Edit", "Read", "NotebookEdit", "Agent", "mcp__mem__get", "mcp__brave-search__q"];
        for (matchers, want) in [
            (vec!["Edit", "^Edit$", r"\bEdit\b"], vec!["Edit"]),
            (vec!["Edit.*", "Edit*", "(?<x>Edit)"], vec!["Edit", "NotebookEdit"]),
            (vec!["Edit|^Write$"], vec!["Write", "Edit", "NotebookEdit"]),
            (vec!["Edit|Write", "Edit,Write", " Edit | Write ", "Edit||Write|"], vec!["Write", "Edit"]),
            (vec!["Edit Write", "Edit;Write", "bash", "BASH", "Bas", "(?i)bash"], vec![]),
            (vec!["(?i:bash)"], vec!["Bash"]),
            (vec!["/Bash/", "Bash(git *)", "Bash(*)", "tool == \"Bash\"", "Write(*)"], vec![]),
            (vec!["mcp__mem", "mcp__mem__", "mcp__brave-search"], vec![]),
            (vec!["mcp__mem__.*", "mcp__mem*"], vec!["mcp__mem__get"]),
            (vec!["mcp__.*", "mcp__*"], vec!["mcp__mem__get", "mcp__brave-search__q"]),
            (vec!["Bash|*", "*|Bash", "**", r"\p{L}+", "[[:alpha:]]+", "|", ",", " ", "_"], vec![]),
            (vec!["x|.*", ".*", ".", "^", "$", r"\w+", "*", ""], VALUES.to_vec()),
            (vec!["Task", "^Task$"], vec!["Agent"]),
            (vec!["KillShell", "KillBash", "BashOutput", "SlashCommand", "MultiEdit", "LS", "TaskOutput"], vec![]),
        ] {
            for matcher in matchers {
                let got: Vec<&str> = VALUES
                    .into_iter()
                    .filter(|value| passes(matcher, "PreToolUse", &json!({"tool_name": value}), NEWEST))
                    .collect();
                assert_eq!(got, want, "{matcher:?}");
            }
        }
    }

    #[test]
    fn other_events() {
        for (event, body, matcher, want) in [
            ("FileChanged", json!({"file_path": "/p/a.txt"}), "a.txt|b.txt", true),
            ("FileChanged", json!({"file_path": "/p/a.txt"}), "a-b.txt", false),
            ("FileChanged", json!({"file_path": "/p/b"}), "a,b", false),
            ("FileChanged", json!({"file_path": "/p/b"}), "a|b", true),
            ("StopFailure", json!({"error": "server_error"}), "over", false),
            ("StopFailure", json!({"error": "server_error"}), "x|server_error", true),
            ("SessionStart", json!({"source": "startup"}), "start", false),
            ("SessionStart", json!({"source": "startup"}), "clear,startup", true),
            ("PreModelSwitch", json!({"to_model": "claude-sonnet-5"}), "claude-.*", true),
            ("PreModelSwitch", json!({"to_model": "claude-sonnet-5"}), "x|claude-sonnet-5[1M] | y", true),
            ("PostModelSwitch", json!({"to_model": "claude-sonnet-5"}), "claude-sonnet-5[2m],x", true),
            ("PreModelSwitch", json!({"to_model": "claude-sonnet-5"}), "claude-sonnet-5[3m]", false),
            ("PreModelSwitch", json!({"to_model": "claude-sonnet-5"}), "(claude-sonnet-5[1m])", false),
            ("PreModelSwitch", json!({"to_model": "claude-sonnet-5"}), "*[1m]", true),
            ("PreModelSwitch", json!({"to_model": "claude-sonnet-5"}), "[1m]", false),
            ("PreModelSwitch", json!({"to_model": "claude-opus-4-6[1m]"}), "claude-opus-4-6", true),
            ("PreModelSwitch", json!({"to_model": "claude-opus-4-6[1m]"}), "1m", false),
            ("PreModelSwitch", json!({"to_model": "claude-3-opus-20240229"}), "claude-3-opus-20240229", false),
            ("PreModelSwitch", json!({"to_model": "claude-3-opus-20240229"}), "claude-3-opus", true),
            ("PostModelSwitch", json!({"to_model": "gpt-4"}), "[", true),
            ("SessionStart", json!({"source": "startup"}), "startup[1m]", false),
            ("SubagentStart", json!({"agent_type": "general-purpose"}), "General-Purpose", false),
            ("SubagentStart", json!({"agent_type": "general-purpose"}), "^general", true),
            ("UserPromptSubmit", json!({"prompt": "go"}), "[", true),
            ("Stop", json!({}), "zzz", true),
        ] {
            assert_eq!(passes(matcher, event, &body, NEWEST), want, "{event} {matcher}");
        }
    }

    #[test]
    fn older_versions() {
        let old = |text: &str| VersionBehaviour::for_version(&Version::parse(text).unwrap());
        for (version, matcher, tool, want) in [
            ("2.1.190", "Edit,Write", "Edit", false),
            ("2.1.191", "Edit,Write", "Edit", true),
            ("2.1.194", "brave-search", "mcp__brave-search__q", true),
            ("2.1.195", "brave-search", "mcp__brave-search__q", false),
        ] {
            assert_eq!(
                passes(matcher, "PreToolUse", &json!({"tool_name": tool}), old(version)),
                want,
                "{version} {matcher}"
            );
        }
    }

    #[test]
    fn says_why_not() {
        for (matcher, tool, rule, says, nearest) in [
            ("bash", "Bash", rules::MATCHER_CASE, "\"bash\" is not \"Bash\" (case)", vec!["Bash"]),
            (
                "run_shell_command",
                "Bash",
                rules::MATCHER_OTHER_AGENT,
                "\"run_shell_command\" is another agent's name for Bash",
                vec!["Bash"],
            ),
            (
                "mcp__mem",
                "mcp__mem__get",
                rules::MATCHER_MCP_PREFIX,
                "\"mcp__mem\" is compared with whole names; `mcp__mem__.*` matches all tools of that server",
                vec!["mcp__mem__.*"],
            ),
            (
                "Bash(git *)",
                "Bash",
                rules::MATCHER_PERMISSION_RULE,
                "\"Bash(git *)\" is a permission rule, but matchers are compared only with the tool name; write `\"matcher\": \"Bash\"`, and `\"if\": \"Bash(git *)\"` in the handler",
                vec!["Bash"],
            ),
            ("Write", "Bash", rules::MATCHER_OTHER, "\"Write\" is not \"Bash\"", vec!["Write"]),
        ] {
            let event = events::find("PreToolUse").unwrap();
            let got =
                evaluate(Some(&json!(matcher)), event, &events::subject(event, &json!({"tool_name": tool})), NEWEST);
            let nearest = nearest.into_iter().map(str::to_owned).collect();
            assert_eq!(got, MatchOutcome::No { why: Reason::new(rule, says), nearest }, "{matcher}");
        }
    }

    proptest! {
        /// No text causes a panic, and the order of names does not matter.
        #[test]
        fn any_text(matcher in ".{0,24}", tool in "[A-Za-z_-]{0,12}") {
            let body = json!({"tool_name": tool});
            let _ = passes(&matcher, "PreToolUse", &body, NEWEST);
        }

        #[test]
        fn order_of_names(a in "[A-C]{1,2}", b in "[A-C]{1,2}", tool in "[A-C]{1,2}") {
            let body = json!({"tool_name": tool});
            let there = passes(&format!("{a}|{b}"), "PreToolUse", &body, NEWEST);
            let back = passes(&format!("{b}, {a}"), "PreToolUse", &body, NEWEST);
            prop_assert_eq!(there, back);
        }
    }
}
