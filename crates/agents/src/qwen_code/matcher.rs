//! Matches a matcher against a subject (spec §4.2 for 0.24.4, §17 for older versions).

use serde_json::Value;

use super::version_behaviour::MatcherRule;
use crate::kernel::matching::{MatcherOutcome, match_pattern};
use crate::shared::gemini_fork::matcher::{self, match_whole, read_whole};
use crate::shared::javascript::{is_space, trim, trim_start};
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{EcmaPattern, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, branches};
use hookbench_base::text::truthy;

/// Describes what a matcher with an invalid pattern still matches: names are compared before patterns.
pub fn describe_invalid(text: &str) -> &'static str {
    let name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if text.split('|').any(|part| name(trim(part))) {
        "it matches only the exact names in it"
    } else {
        "it never matches"
    }
}

/// Matches a matcher, as written, against a subject.
pub fn matches(rule: MatcherRule, event: &str, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(matcher) = matcher.filter(|m| truthy(m)) else { return MatcherOutcome::Everything };
    match rule {
        MatcherRule::NamesThenPattern => {
            let Some(value) = subject.value.as_deref().filter(|v| !v.is_empty()) else {
                return MatcherOutcome::NoSubject;
            };
            match matcher {
                Value::String(text) => names_then_pattern(text, value, &subject.aliases),
                _ => MatcherOutcome::NotString,
            }
        }
        MatcherRule::Pattern { exact } => {
            let Some(value) = subject.value.as_deref() else { return MatcherOutcome::NoSubject };
            let Value::String(text) = matcher else { return MatcherOutcome::NotString };
            match_whole(text, exact.contains(&event), Some(value))
        }
    }
}

/// Returns how the agent interprets a matcher on an event.
pub fn read(rule: MatcherRule, event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    matcher::read(event, matcher, |text| match rule {
        MatcherRule::NamesThenPattern => read_names_then_pattern(text),
        MatcherRule::Pattern { exact } => {
            read_whole(event, text, exact.contains(&event.name), "every matcher is a pattern")
        }
    })
}

fn read_names_then_pattern(text: &str) -> MatcherInterpretation {
    let whole = trim_unescaped(text);
    if is_wildcard(whole) || whole.is_empty() {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is empty, * or .*");
    }
    let list = whole.contains('|') && !whole.starts_with(['^', '(']);
    let entries = if list { entries(whole) } else { vec![whole] };
    if let Some(wildcard) = entries.iter().find(|entry| list && is_wildcard(entry)) {
        return MatcherInterpretation::plain(MatcherKind::Everything, format!("one entry of the list is {wildcard}"));
    }
    if entries.is_empty() {
        return MatcherInterpretation::plain(MatcherKind::Nothing, "the list has no entries");
    }
    let pattern = entries.join("|");
    let invalid = EcmaPattern::new(&pattern).err();
    let mut all: Vec<MatcherBranch> =
        if invalid.is_none() { branches(&pattern, RegexEngine::Ecma, false) } else { Vec::new() };
    for entry in entries {
        // An entry is compared as a name before it is tried as a pattern.
        match all.iter_mut().find(|branch| branch.text == entry && branch.pattern.is_some()) {
            Some(branch) => {
                branch.name = Some(true);
                let plain = entry.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
                if plain {
                    branch.description = format!("the name \"{entry}\", or {}", branch.description);
                }
            }
            // A pattern cannot be a tool's name.
            None if invalid.is_none() => {}
            None => all.push(MatcherBranch::name(entry, true)),
        }
    }
    match invalid {
        Some(error) => MatcherInterpretation { kind: MatcherKind::Invalid, reason: error.message, branches: all },
        None if whole.starts_with(['^', '(']) => {
            let because = format!("it begins with {}", whole.chars().next().unwrap_or('^'));
            MatcherInterpretation { kind: MatcherKind::Pattern, reason: because, branches: all }
        }
        None => {
            let because = if list { "it is a list" } else { "it may be a name" }.to_owned();
            MatcherInterpretation { kind: MatcherKind::NamesThenPattern, reason: because, branches: all }
        }
    }
}

/// Returns the pattern that is compiled if no name matches, or `None` for a matcher without one.
pub fn compiled(text: &str) -> Option<String> {
    let whole = trim_unescaped(text);
    if is_wildcard(whole) || whole.is_empty() {
        return None;
    }
    if !whole.contains('|') || whole.starts_with(['^', '(']) {
        return Some(whole.to_owned());
    }
    let entries = entries(whole);
    (!entries.is_empty() && !entries.iter().any(|e| is_wildcard(e))).then(|| entries.join("|"))
}

fn names_then_pattern(text: &str, subject: &str, aliases: &[String]) -> MatcherOutcome {
    let whole = trim_unescaped(text);
    if is_wildcard(whole) || whole.is_empty() {
        return MatcherOutcome::Everything;
    }
    if let Some(name) = match_name(whole, subject, aliases) {
        return name;
    }
    if !whole.contains('|') || whole.starts_with(['^', '(']) {
        return match_pattern(whole, subject);
    }
    let entries = entries(whole);
    for entry in &entries {
        if is_wildcard(entry) {
            return MatcherOutcome::ListWildcard((*entry).to_owned());
        }
        if let Some(name) = match_name(entry, subject, aliases) {
            return name;
        }
    }
    if entries.is_empty() {
        return MatcherOutcome::EmptyList;
    }
    match_pattern(&entries.join("|"), subject)
}

fn is_wildcard(text: &str) -> bool {
    text == "*" || text == ".*"
}

fn match_name(text: &str, subject: &str, aliases: &[String]) -> Option<MatcherOutcome> {
    if text == subject {
        return Some(MatcherOutcome::Name);
    }
    aliases.iter().find(|alias| *alias == text).map(|alias| MatcherOutcome::Alias(alias.clone()))
}

/// Trims both ends, but keeps a trailing space that is escaped by a backslash.
pub fn trim_unescaped(text: &str) -> &str {
    let text = trim_start(text);
    let short = text.trim_end_matches(is_space);
    let backslashes = short.len() - short.trim_end_matches('\\').len();
    let escaped = text.get(short.len()..).and_then(|rest| rest.chars().next()).filter(|_| backslashes % 2 == 1);
    match escaped {
        Some(space) => text.get(..short.len() + space.len_utf8()).unwrap_or(short),
        None => short,
    }
}

/// Splits a list at every `|` that is neither escaped nor inside brackets; trims the entries and drops empty ones.
pub fn entries(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut depth, mut class, mut escaped) = (0, 0_usize, false, false);
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match c {
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '(' if !class => depth += 1,
            ')' if !class => depth = depth.saturating_sub(1),
            '|' if !class && depth == 0 => {
                out.push(text.get(start..at).unwrap_or(""));
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(text.get(start..).unwrap_or(""));
    out.into_iter().map(trim_unescaped).filter(|entry| !entry.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn shell() -> Subject {
        Subject {
            value: Some("run_shell_command".to_owned()),
            aliases: crate::qwen_code::tools::aliases("run_shell_command"),
        }
    }

    fn today(matcher: &Value) -> MatcherOutcome {
        matches(MatcherRule::NamesThenPattern, "PreToolUse", Some(matcher), &shell())
    }

    #[test]
    fn names_lists_and_patterns() {
        let alias = |name: &str| MatcherOutcome::Alias(name.to_owned());
        for (matcher, want) in [
            (json!("Bash"), alias("Bash")),
            (json!("bash"), MatcherOutcome::Miss),
            (json!("run_shell"), MatcherOutcome::Pattern),
            (json!("^Bash$"), MatcherOutcome::Miss),
            (json!("(Bash|Edit)"), MatcherOutcome::Miss),
            (json!("Edit | Bash "), alias("Bash")),
            (json!("Bash|*"), alias("Bash")),
            (json!("Edit|*"), MatcherOutcome::ListWildcard("*".to_owned())),
            (json!("Edit|"), MatcherOutcome::Miss),
            (json!("^Edit|"), MatcherOutcome::Pattern),
            (json!("||"), MatcherOutcome::EmptyList),
            (json!("  "), MatcherOutcome::Everything),
            (json!(".*"), MatcherOutcome::Everything),
            (json!(""), MatcherOutcome::Everything),
            (json!(null), MatcherOutcome::Everything),
            (json!(0), MatcherOutcome::Everything),
            (json!(["run_shell_command"]), MatcherOutcome::NotString),
            (json!("[|]|zz"), MatcherOutcome::Miss),
            (json!("(?!x).*| y"), MatcherOutcome::Pattern),
        ] {
            assert_eq!(today(&matcher), want, "{matcher}");
        }
        assert!(matches!(today(&json!("[")), MatcherOutcome::Invalid(_)));
        let none = Subject::default();
        assert_eq!(
            matches(MatcherRule::NamesThenPattern, "Stop", Some(&json!(["x"])), &none),
            MatcherOutcome::NoSubject
        );
    }

    #[test]
    fn escaped_spaces_stay() {
        for (text, want) in
            [(" a ", "a"), ("a\\ ", "a\\ "), ("a\\\\ ", "a\\\\"), ("a\\  ", "a\\ "), ("\\", "\\"), (" ", "")]
        {
            assert_eq!(trim_unescaped(text), want, "{text:?}");
        }
        for (text, want) in [
            ("a|b", vec!["a", "b"]),
            ("a\\|b|c", vec!["a\\|b", "c"]),
            ("[|]|c", vec!["[|]", "c"]),
            ("x(a|b)|c", vec!["x(a|b)", "c"]),
            ("a||b|", vec!["a", "b"]),
            ("[a|b", vec!["[a|b"]),
        ] {
            assert_eq!(entries(text), want, "{text}");
        }
    }

    #[test]
    fn older_versions_know_no_aliases() {
        let old = MatcherRule::Pattern { exact: &["Notification"] };
        let notification = Subject { value: Some("idle_prompt".to_owned()), aliases: Vec::new() };
        for (event, matcher, subject, want) in [
            ("PreToolUse", "Bash", shell(), MatcherOutcome::Miss),
            ("PreToolUse", "Bash|*", shell(), MatcherOutcome::Invalid(String::new())),
            ("PreToolUse", "run_.*", shell(), MatcherOutcome::Pattern),
            ("Notification", "idle.*", notification.clone(), MatcherOutcome::Miss),
            ("Notification", " idle_prompt ", notification, MatcherOutcome::Name),
        ] {
            let found = match matches(old, event, Some(&json!(matcher)), &subject) {
                MatcherOutcome::Invalid(_) => MatcherOutcome::Invalid(String::new()),
                other => other,
            };
            assert_eq!(found, want, "{event} {matcher}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(matcher in any::<String>(), subject in any::<String>()) {
            let subject = Subject { value: Some(subject), aliases: vec!["Bash".to_owned()] };
            let _ = matches(MatcherRule::NamesThenPattern, "PreToolUse", Some(&json!(matcher)), &subject);
        }
    }
}
