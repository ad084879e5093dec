//! The `if` of a handler: a permission rule about the call (from the text of 2.117.0, and nine rules measured). A text that
//! is not a rule, and an event without a tool, let the hook run.

use serde_json::Value;

use crate::kernel::matching::match_glob;

/// Whether a rule matches the call of a payload. `None` if that is unknown.
pub fn holds(rule: &str, body: &Value) -> Option<bool> {
    let called = body.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let (tool, rest) = rule.trim().split_once('(').unwrap_or((rule.trim(), ")"));
    let is_name = !tool.is_empty() && tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let Some(pattern) = rest.strip_suffix(')').filter(|pattern| is_name && !pattern.contains(')')) else {
        return Some(true);
    };
    let pattern = pattern.trim();
    if called.is_empty() || pattern.is_empty() || called != tool {
        return Some(called.is_empty() || called == tool);
    }
    let command = body.pointer("/tool_input/command").and_then(Value::as_str).filter(|_| tool == "Bash")?;
    if fits(command.trim(), pattern)? {
        return Some(true);
    }
    if command.contains(['"', '\'', '`', '(', '{', '\\']) {
        return None;
    }
    let mut parts = command.split([';', '&', '|']).map(str::trim).filter(|part| !part.is_empty());
    parts.try_fold(false, |any, part| Some(any || fits(part, pattern)?))
}

/// Whether a command fits a pattern: `git:*` names its beginning, `git *` is a glob in any case.
fn fits(command: &str, pattern: &str) -> Option<bool> {
    if let Some(start) = pattern.strip_suffix(":*") {
        return Some(command.split_whitespace().next() == Some(start) || command.starts_with(&format!("{start} ")));
    }
    if pattern.contains('*') { match_glob(pattern, command) } else { Some(command == pattern) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_about_calls() {
        let line = "touch x1; echo ran-x1 # sc=x1;";
        for (rule, command, want) in [
            ("Bash(TOUCH *)", line, Some(true)),
            ("Bash(touch:*)", line, Some(true)),
            ("Bash(echo *)", line, Some(true)),
            ("Bash(git *)", line, Some(false)),
            ("Write", line, Some(false)),
            ("not a rule!", line, Some(true)),
            ("Bash(git *)", "echo \"a; git b\"", None),
        ] {
            let body = json!({"tool_name": "Bash", "tool_input": {"command": command}});
            assert_eq!(holds(rule, &body), want, "{rule} {command}");
        }
        assert_eq!(holds("Edit(*.rs)", &json!({"tool_name": "Edit", "tool_input": {}})), None);
    }
}
