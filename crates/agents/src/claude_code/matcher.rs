//! Matchers: whether they match an event, and why (spec §3.1).

use serde_json::Value;

use super::near;
use super::rules::Rules;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{
    EcmaPattern, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, TestResult, branches,
};
use hookbench_base::plan::Reason;

/// The result of a matcher or a condition for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Yes(Reason),
    /// `nearest` contains values that would match.
    No {
        why: Reason,
        nearest: Vec<String>,
    },
    Unknown(Reason),
}

impl Judgement {
    /// A match, with its reason.
    pub fn yes(rule: &'static str, says: impl Into<String>) -> Judgement {
        Judgement::Yes(Reason::new(rule, says))
    }

    /// A mismatch without similar values.
    pub fn no(rule: &'static str, says: impl Into<String>) -> Judgement {
        Judgement::No { why: Reason::new(rule, says), nearest: Vec::new() }
    }

    /// An unknown result, with its reason.
    pub fn unknown(rule: &'static str, says: impl Into<String>) -> Judgement {
        Judgement::Unknown(Reason::new(rule, says))
    }
}

/// A parsed matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The matcher is missing, empty or `*`.
    Everything,
    /// A list of exact names.
    Names(Vec<String>),
    /// A JavaScript pattern. `because` is the first character that is not allowed in names.
    Pattern { because: char },
}

/// Parses a matcher for an event: the first of three rules that applies (spec §3.1).
pub fn reading(matcher: &str, event: &str, rules: Rules) -> Reading {
    if matcher.is_empty() || matcher == "*" {
        return Reading::Everything;
    }
    let narrow = matches!(event, "FileChanged" | "StopFailure");
    let in_name = |c: char| {
        c.is_ascii_alphanumeric()
            || c == '_'
            || c == '|'
            || (!narrow && (c == ' ' || (c == ',' && rules.comma_lists) || (c == '-' && rules.hyphen_names)))
    };
    if let Some(because) = matcher.chars().find(|c| !in_name(*c)) {
        return Reading::Pattern { because };
    }
    let names = matcher.split(['|', ',']).map(str::trim).filter(|part| !part.is_empty());
    Reading::Names(names.map(str::to_owned).collect())
}

/// Describes how the agent reads a matcher, in parts that can be displayed.
pub fn read(matcher: Option<&Value>, event: &EventSpec, rules: Rules) -> MatcherInterpretation {
    let text = match matcher {
        None => return MatcherInterpretation::plain(MatcherKind::Everything, "there is none"),
        Some(Value::String(text)) => text,
        Some(_) => return MatcherInterpretation::plain(MatcherKind::Nothing, "a matcher must be a string"),
    };
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    match reading(text, event.name, rules) {
        Reading::Everything => MatcherInterpretation::plain(MatcherKind::Everything, "it is empty or *"),
        Reading::Names(names) if names.is_empty() => {
            MatcherInterpretation::plain(MatcherKind::Nothing, "it holds no name at all")
        }
        Reading::Names(names) => {
            let branches = names.iter().map(|name| MatcherBranch::name(name, true)).collect();
            let marks = [(rules.hyphen_names, ", -"), (rules.comma_lists, ", a comma")];
            let more: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
            let because = format!("it holds only letters, digits, _{more}, blanks and |");
            MatcherInterpretation { kind: MatcherKind::Names, reason: because, branches }
        }
        Reading::Pattern { because } => match EcmaPattern::new(text) {
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

/// Whether a matcher matches a subject; `None` if that is unknown. The same as [`judge`], without reasons.
pub fn passes(matcher: Option<&Value>, event: &EventSpec, subject: &Subject, rules: Rules) -> Option<bool> {
    let Some(matcher) = matcher else { return Some(true) };
    let Value::String(text) = matcher else { return Some(false) };
    let Some(value) = subject.value.as_deref() else { return Some(true) };
    match reading(text, event.name, rules) {
        Reading::Everything => Some(true),
        Reading::Names(names) => Some(names.iter().any(|name| name == value || subject.aliases.contains(name))),
        Reading::Pattern { .. } => {
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
pub fn judge(matcher: Option<&Value>, event: &EventSpec, subject: &Subject, rules: Rules) -> Judgement {
    let text = match matcher {
        None => return Judgement::yes("matcher.none", "there is no matcher: every event passes"),
        Some(Value::String(text)) => text,
        Some(other) => {
            let says = format!("the matcher must be a string, not {}", near::kind(other));
            return Judgement::no("matcher.not-a-string", says);
        }
    };
    let Some(value) = subject.value.as_deref() else {
        return Judgement::yes("matcher.ignored", format!("{} has no subject: matchers are ignored", event.name));
    };
    match reading(text, event.name, rules) {
        Reading::Everything => Judgement::yes("matcher.everything", format!("\"{text}\" lets every event pass")),
        Reading::Names(names) => by_name(text, &names, value, event, subject),
        Reading::Pattern { because } => by_pattern(text, because, value, event, subject),
    }
}

fn by_name(text: &str, names: &[String], value: &str, event: &EventSpec, subject: &Subject) -> Judgement {
    if names.iter().any(|name| name == value) {
        let says = if names.len() == 1 {
            format!("\"{text}\" is exactly \"{value}\"")
        } else {
            format!("\"{value}\" is one of {}", near::list(names))
        };
        return Judgement::yes("matcher.exact", says);
    }
    if let Some(alias) = names.iter().find(|name| subject.aliases.contains(name)) {
        return Judgement::yes("matcher.alias", format!("\"{alias}\" is another name of {value}"));
    }
    let (rule, says, nearest) = near::names(names, value, event);
    Judgement::No { why: Reason::new(rule, says), nearest }
}

fn by_pattern(text: &str, because: char, value: &str, event: &EventSpec, subject: &Subject) -> Judgement {
    let pattern = match EcmaPattern::new(text) {
        Ok(pattern) => pattern,
        Err(error) => {
            let (says, nearest) = near::broken(text, &error.message, event);
            return Judgement::No { why: Reason::new("matcher.invalid", says), nearest };
        }
    };
    let mut expensive = false;
    for (index, candidate) in std::iter::once(value).chain(subject.aliases.iter().map(String::as_str)).enumerate() {
        match pattern.test(candidate) {
            TestResult::Yes if index > 0 => {
                let says = format!("the pattern /{text}/ finds \"{candidate}\", another name of {value}");
                return Judgement::yes("matcher.alias", says);
            }
            TestResult::Yes => {
                let says = format!("the pattern /{text}/ is found in \"{value}\"{}", near::unanchored(text, value));
                return Judgement::yes("matcher.pattern", says);
            }
            TestResult::TooExpensive => expensive = true,
            TestResult::No => {}
        }
    }
    if expensive {
        let says = format!("the pattern /{text}/ could run for longer than anybody waits, so it was not tried");
        return Judgement::unknown("matcher.too-expensive", says);
    }
    let (rule, says, nearest) = near::pattern(text, because, value, event, &pattern);
    Judgement::No { why: Reason::new(rule, says), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::events;
    use crate::claude_code::rules::NOW;
    use hookbench_base::dialects::Version;
    use proptest::prelude::*;
    use serde_json::json;

    fn passes(matcher: &str, event: &str, body: &Value, rules: Rules) -> bool {
        let event = events::find(event).unwrap();
        let (matcher, subject) = (json!(matcher), events::subject(event, body));
        let says = judge(Some(&matcher), event, &subject, rules);
        let short = match &says {
            Judgement::Yes(_) => Some(true),
            Judgement::No { .. } => Some(false),
            Judgement::Unknown(_) => None,
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
            let got = passes(row["matcher"].as_str().unwrap(), "PreToolUse", &json!({"tool_name": row["value"]}), NOW);
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
                    .filter(|value| passes(matcher, "PreToolUse", &json!({"tool_name": value}), NOW))
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
            ("SubagentStart", json!({"agent_type": "general-purpose"}), "General-Purpose", false),
            ("SubagentStart", json!({"agent_type": "general-purpose"}), "^general", true),
            ("UserPromptSubmit", json!({"prompt": "go"}), "[", true),
            ("Stop", json!({}), "zzz", true),
        ] {
            assert_eq!(passes(matcher, event, &body, NOW), want, "{event} {matcher}");
        }
    }

    #[test]
    fn older_versions() {
        let old = |text: &str| Rules::of(&Version::parse(text).unwrap());
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
            ("bash", "Bash", "matcher.case", "\"bash\" is not \"Bash\" (case)", vec!["Bash"]),
            (
                "run_shell_command",
                "Bash",
                "matcher.other-agent",
                "\"run_shell_command\" is another agent's name for Bash",
                vec!["Bash"],
            ),
            (
                "mcp__mem",
                "mcp__mem__get",
                "matcher.mcp-prefix",
                "\"mcp__mem\" is read as an exact name; `mcp__mem__.*` lets all tools of that server pass",
                vec!["mcp__mem__.*"],
            ),
            (
                "Bash(git *)",
                "Bash",
                "matcher.permission-rule",
                "\"Bash(git *)\" is a permission rule: matchers see only the name; write `\"matcher\": \"Bash\"` and `\"if\": \"Bash(git *)\"` in the handler",
                vec!["Bash"],
            ),
            ("Write", "Bash", "matcher.other", "\"Write\" is not \"Bash\"", vec!["Write"]),
        ] {
            let event = events::find("PreToolUse").unwrap();
            let got = judge(Some(&json!(matcher)), event, &events::subject(event, &json!({"tool_name": tool})), NOW);
            let nearest = nearest.into_iter().map(str::to_owned).collect();
            assert_eq!(got, Judgement::No { why: Reason::new(rule, says), nearest }, "{matcher}");
        }
    }

    proptest! {
        /// No text causes a panic, and the order of names does not matter.
        #[test]
        fn any_text(matcher in ".{0,24}", tool in "[A-Za-z_-]{0,12}") {
            let body = json!({"tool_name": tool});
            let _ = passes(&matcher, "PreToolUse", &body, NOW);
        }

        #[test]
        fn order_of_names(a in "[A-C]{1,2}", b in "[A-C]{1,2}", tool in "[A-C]{1,2}") {
            let body = json!({"tool_name": tool});
            let there = passes(&format!("{a}|{b}"), "PreToolUse", &body, NOW);
            let back = passes(&format!("{b}, {a}"), "PreToolUse", &body, NOW);
            prop_assert_eq!(there, back);
        }
    }
}
