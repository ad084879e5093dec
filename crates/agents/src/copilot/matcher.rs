//! Matches a matcher against a subject (spec §4). A camelCase hook has an anchored pattern for the agent's own name; a
//! PascalCase hook has a list of names in either spelling, or an anchored pattern for the PascalCase name.

use serde_json::Value;

use super::rules;
use super::spelling::{Spelling, native_tool, pascal_tool, tool_in_matchers};
use crate::kernel::matching::{self, MatcherOutcome, first_mistake};
use crate::shared::javascript::trim;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{Anchors, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, SearchPattern};
use hookbench_base::plan::Reason;

/// Whether a matcher is read as in PascalCase: on tools. On other subjects both spellings are read as in camelCase.
fn is_pascal(event: &EventSpec) -> bool {
    Spelling::of(event.name) == Spelling::Pascal && event.subject == Some("tool_name")
}

/// The two names of a subject: the agent's own, and that of PascalCase payloads.
fn names(value: &str) -> (&str, &str) {
    (native_tool(value), pascal_tool(value))
}

/// Matches a matcher, as written, against a subject.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatcherOutcome {
    let Some(value) = subject.value.as_deref().filter(|_| event.subject.is_some()) else {
        return MatcherOutcome::NoSubject;
    };
    let Some(text) = matcher.and_then(Value::as_str) else { return MatcherOutcome::Everything };
    let (native, pascal) = names(value);
    if !is_pascal(event) {
        return match_pattern(text, native);
    }
    // Blanks alone match everything; only a matcher without any character is invalid.
    if is_wildcard(trim(text)) || !text.is_empty() && trim(text).is_empty() {
        return MatcherOutcome::Everything;
    }
    let text = trim(text);
    if is_list(text) {
        let found = text.split('|').find(|name| *name == pascal || *name == native);
        return match found {
            Some(name) if name == pascal => MatcherOutcome::Name,
            Some(name) => MatcherOutcome::Alias(name.to_owned()),
            None => MatcherOutcome::Miss,
        };
    }
    match_pattern(text, pascal)
}

/// Matches an anchored pattern. An empty one is invalid.
fn match_pattern(text: &str, value: &str) -> MatcherOutcome {
    if text.is_empty() {
        return MatcherOutcome::Invalid("it is empty".to_owned());
    }
    matching::match_pattern(&anchored(text), value)
}

/// Whether a PascalCase matcher matches every tool.
fn is_wildcard(text: &str) -> bool {
    matches!(text, "*" | "**")
}

fn anchored(text: &str) -> String {
    format!("^(?:{text})$")
}

/// Whether a PascalCase matcher is a list of plain words.
fn is_list(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|'))
}

/// Returns how the agent interprets a matcher on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Some(text) = matcher.and_then(Value::as_str) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "there is no matcher");
    };
    let is_pascal = is_pascal(event);
    if is_pascal && !text.is_empty() && trim(text).is_empty() {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is blank");
    }
    let text = if is_pascal { trim(text) } else { text };
    if is_pascal && is_wildcard(text) {
        return MatcherInterpretation::plain(MatcherKind::Everything, format!("it is {text}"));
    }
    if is_pascal && is_list(text) {
        let branches = text.split('|').map(|name| MatcherBranch::name(name, true)).collect();
        let reason = "it contains only letters, digits, _ and |".to_owned();
        return MatcherInterpretation { kind: MatcherKind::Names, reason, branches };
    }
    match match_pattern(text, "") {
        MatcherOutcome::Invalid(error) => MatcherInterpretation::plain(MatcherKind::Invalid, error),
        _ => MatcherInterpretation {
            kind: MatcherKind::Pattern,
            reason: if is_pascal {
                "it is not a list of plain names"
            } else {
                "every matcher of this spelling is a pattern"
            }
            .to_owned(),
            branches: vec![MatcherBranch {
                text: text.to_owned(),
                description: format!("the whole name matches {text}"),
                name: None,
                pattern: Some(SearchPattern {
                    text: anchored(text),
                    engine: RegexEngine::Ecma,
                    aliases: false,
                    anchors: Anchors { start: true, end: true },
                }),
            }],
        },
    }
}

/// Returns the pattern of a matcher, or `None` if it is not compiled.
pub fn compiled(event: &EventSpec, text: &str) -> Option<String> {
    let is_pascal = is_pascal(event);
    let text = if is_pascal { trim(text) } else { text };
    let plain = is_pascal && (is_wildcard(text) || is_list(text));
    (event.subject.is_some() && !plain && !text.is_empty()).then(|| text.to_owned())
}

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
    use super::super::events::by_name;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn hit(event: &str, matcher: &str, subject: &str) -> Option<bool> {
        let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
        matches(by_name(event).unwrap(), Some(&json!(matcher)), &subject).hit()
    }

    /// Sixteen matchers: camelCase on `bash`, PascalCase on `Bash`, PascalCase with `bash` in the place of `Bash`.
    #[test]
    fn sixteen_matchers() {
        for (matcher, camel, pascal, native) in [
            ("T", true, true, true),
            ("other capital", false, true, true),
            ("Part", false, false, false),
            ("Part.*", true, true, false),
            ("^T$", true, true, false),
            ("inner", false, false, false),
            ("zz|T", true, true, true),
            ("zz | T", false, false, false),
            ("zz,T", false, false, false),
            (" T ", false, true, true),
            ("*", false, true, true),
            ("", false, false, false),
            (".*", true, true, true),
            ("T*", true, true, false),
            ("(?!zz).*", true, true, true),
            ("(T", false, false, false),
        ] {
            for (event, subject, name, part, other, fires) in [
                ("preToolUse", "bash", "bash", "bas", "Bash", camel),
                ("PreToolUse", "Bash", "Bash", "Bas", "bash", pascal),
                ("PreToolUse", "Bash", "bash", "bas", "Bash", native),
            ] {
                let own = match matcher {
                    "other capital" => other.to_owned(),
                    "inner" => "a.h".to_owned(),
                    text => text.replace("Part", part).replace('T', name),
                };
                assert_eq!(hit(event, &own, subject), Some(fires), "{event} {own}");
            }
        }
    }

    #[test]
    fn other_subjects() {
        for (event, matcher, subject, fires) in [
            ("preToolUse", "edit", "edit", true),
            ("PreToolUse", " ", "Bash", true),
            ("preToolUse", " ", "bash", false),
            ("preToolUse", "Edit", "edit", false),
            ("PreToolUse", "Write", "create", true),
            ("PreToolUse", "create", "create", true),
            ("PreToolUse", "sql", "sql", true),
            ("SessionStart", "resume", "new", true),
            ("postToolUseFailure", "zz", "view", true),
            ("SubagentStart", "general-purpose", "general-purpose", true),
            ("SubagentStart", "*", "general-purpose", false),
            ("SubagentStart", " explore ", "explore", false),
            ("subagentStart", "zz|explore", "explore", true),
            ("Notification", "*", "permission_prompt", false),
            ("Notification", " permission_prompt ", "permission_prompt", false),
            ("Notification", "permission_prompt|zz", "permission_prompt", true),
            ("PermissionRequest", " bash ", "bash", true),
            ("PermissionRequest", "Bas.*", "bash", true),
            ("PermissionRequest", "^bash$", "bash", false),
            ("PermissionRequest", "Edi.*", "edit", true),
            ("PermissionRequest", "Write", "edit", false),
            ("permissionRequest", "*", "bash", false),
            ("preToolUse", "(?i)BASH", "bash", false),
            ("preToolUse", "a)(b", "bash", false),
            ("preToolUse", "bash)|(view", "bash", true),
            ("PreToolUse", "x)|(?:Bash", "Bash", true),
            ("PreToolUse", " ** ", "Bash", true),
            ("PreToolUse", "***", "Bash", false),
            ("preToolUse", "**", "bash", false),
            ("PreToolUse", "Bash(touch *)", "Bash", false),
        ] {
            assert_eq!(hit(event, matcher, subject), Some(fires), "{event} {matcher} {subject}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(matcher: String, subject: String) {
            let _ = (hit("preToolUse", &matcher, &subject), hit("PreToolUse", &matcher, &subject));
        }
    }
}

#[cfg(test)]
mod matcher_advice_tests {
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
