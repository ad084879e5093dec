//! Matchers: names and lists of names. Every name of a tool matches the tool; nothing is a pattern.

use serde_json::Value;

use super::tools;
use hookbench_base::hook::{EventSpec, Subject};
use hookbench_base::matcher::{MatcherBranch, MatcherInterpretation, MatcherKind};

/// A matcher's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchOutcome {
    /// The event has no tool.
    Ignored,
    /// The matcher is missing, empty or `*`.
    Everything,
    /// This name of the list matches the tool.
    Name(String),
    Miss,
}

impl MatchOutcome {
    /// Returns whether the hook runs.
    pub fn hit(&self) -> bool {
        *self != MatchOutcome::Miss
    }
}

/// The names of a matcher. `None` if it matches everything.
pub fn names(matcher: Option<&Value>) -> Option<Vec<String>> {
    let texts: Vec<&str> = match matcher {
        None | Some(Value::Null) => return None,
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(other) => other.as_str().into_iter().collect(),
    };
    let parts: Vec<String> = texts.iter().flat_map(|text| text.split('|')).map(|part| part.trim().to_owned()).collect();
    let everything = parts.iter().all(String::is_empty) || parts.iter().any(|part| part == "*");
    (!everything).then_some(parts)
}

/// Whether a name of a matcher contains a character of a pattern, so that it matches nothing.
pub fn is_pattern(name: &str) -> bool {
    name != "*" && name.contains(['.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '^', '$', '\\'])
}

/// Matches a matcher against a subject.
pub fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> MatchOutcome {
    if event.subject.is_none() {
        return MatchOutcome::Ignored;
    }
    let Some(names) = names(matcher) else { return MatchOutcome::Everything };
    let found = subject.value.as_deref().and_then(|tool| names.into_iter().find(|name| is_same_tool(name, tool)));
    found.map_or(MatchOutcome::Miss, MatchOutcome::Name)
}

/// Whether two names are names of the same tool.
fn is_same_tool(name: &str, tool: &str) -> bool {
    name == tool || tools::by_name(name).is_some_and(|found| tools::by_name(tool).is_some_and(|t| t.id == found.id))
}

/// Returns how a matcher is interpreted on an event.
pub fn read(event: &EventSpec, matcher: Option<&Value>) -> MatcherInterpretation {
    if event.subject.is_none() {
        return MatcherInterpretation::plain(MatcherKind::Ignored, format!("{} has nothing to match", event.name));
    }
    let Some(names) = names(matcher) else {
        return MatcherInterpretation::plain(MatcherKind::Everything, "it is absent, empty or *");
    };
    MatcherInterpretation {
        kind: MatcherKind::Names,
        reason: "every matcher is a list of names".to_owned(),
        branches: names.iter().map(|name| MatcherBranch::name(name, true)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::events;
    use super::*;
    use serde_json::json;

    fn hit(event: &str, matcher: &Value, tool: &str) -> bool {
        let subject = Subject { value: Some(tool.to_owned()), aliases: tools::aliases(tool) };
        matches(events::EVENTS.by_name(event).unwrap(), Some(matcher), &subject).hit()
    }

    #[test]
    fn forms_of_matchers() {
        for (matcher, tool, want) in [
            (json!(null), "Bash", true),
            (json!(""), "Bash", true),
            (json!("*"), "Bash", true),
            (json!([]), "Bash", true),
            (json!(["*"]), "Bash", true),
            (json!("Bash"), "Bash", true),
            (json!("run_shell_command"), "Bash", true),
            (json!("Shell"), "Bash", true),
            (json!("bash"), "Bash", false),
            (json!("Edit"), "Edit", true),
            (json!("replace"), "Edit", true),
            (json!("edit"), "Edit", true),
            (json!("replace"), "Write", false),
            (json!(["Write", "Edit"]), "Edit", true),
            (json!(["Write", "Edit"]), "Bash", false),
            (json!("Write|Edit"), "Write", true),
            (json!("Write | Edit"), "Edit", true),
            (json!(["Write|Bash", "Edit"]), "Bash", true),
            (json!("Wri"), "Write", false),
            (json!("Write.*"), "Write", false),
            (json!(".*"), "Write", false),
            (json!("mcp__s__t"), "mcp__s__t", true),
            (json!("mcp__s"), "mcp__s__t", false),
            (json!(5), "Write", true),
        ] {
            assert_eq!(hit("PreToolUse", &matcher, tool), want, "{matcher} {tool}");
        }
        assert!(hit("Stop", &json!("Bash"), ""), "an event without a tool ignores matchers");
    }
}
