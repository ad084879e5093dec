//! Explanations for a matcher that does not match, with suggestions. They appear in the matcher rung of the
//! ladder.

use crate::claude_code::rules;
use hookbench_base::names::RuleId;
use serde_json::Value;

use super::events;
use hookbench_base::catalogue;
use hookbench_base::hook::EventSpec;
use hookbench_base::matcher::{EcmaPattern, TestResult};
use hookbench_base::text::nearest;

/// Returns the tool for which another agent or an older version uses this name.
fn own_tool_name(name: &str) -> Option<&'static str> {
    catalogue::find_foreign_tool(name, "claude").map(|(ours, _)| ours)
}

/// Returns the JSON type of a value in words.
pub fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Joins names in the form `"a", "b"`.
pub fn quoted_list(names: &[String]) -> String {
    names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
}

/// Returns the note for a pattern that was found in the middle of a value.
pub fn unanchored_note(pattern: &str, value: &str) -> String {
    let bare: String = pattern.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let inside = bare.len() > 1 && value.contains(&bare) && !value.starts_with(&bare);
    if inside && !pattern.starts_with('^') { "; it is not anchored".to_owned() } else { String::new() }
}

type MismatchAdvice = (RuleId, String, Vec<String>);

/// Explains why a list of exact names does not contain the value.
pub fn explain_names(names: &[String], value: &str, event: &EventSpec) -> MismatchAdvice {
    if names.is_empty() {
        return (
            rules::MATCHER_EMPTY_LIST,
            "this matcher contains no name, so it never matches".to_owned(),
            Vec::new(),
        );
    }
    let tool = events::has_tool_subject(event.name);
    for name in names {
        if name.eq_ignore_ascii_case(value) {
            return (rules::MATCHER_CASE, format!("\"{name}\" is not \"{value}\" (case)"), vec![value.to_owned()]);
        }
    }
    for name in names {
        if tool && own_tool_name(name) == Some(value) {
            let says = format!("\"{name}\" is another agent's name for {value}");
            return (rules::MATCHER_OTHER_AGENT, says, vec![value.to_owned()]);
        }
        if tool && is_mcp_prefix(name, value) {
            let server = name.trim_end_matches('_');
            let says =
                format!("\"{name}\" is compared with whole names; `{server}__.*` matches all tools of that server");
            return (rules::MATCHER_MCP_PREFIX, says, vec![format!("{server}__.*")]);
        }
    }
    if let [name] = names {
        if let Some(server) = name.strip_prefix("mcp__").map(|rest| rest.trim_end_matches('_'))
            && tool
            && !server.contains("__")
        {
            let says = format!(
                "\"{name}\" is compared with whole names, and no tool has this name; `mcp__{server}__.*` matches all tools of that server"
            );
            return (rules::MATCHER_MCP_PREFIX, says, vec![format!("mcp__{server}__.*")]);
        }
        if name.contains(' ') && name.split(' ').any(|word| word == value) {
            let says = format!("\"{name}\" is one name with a space; separate names with `|`");
            return (rules::MATCHER_BLANK, says, vec![name.split_whitespace().collect::<Vec<_>>().join("|")]);
        }
        if name.len() > 1 && value.contains(name.as_str()) {
            let says = format!("\"{name}\" is compared with the whole value, which is \"{value}\"");
            return (rules::MATCHER_PART, says, vec![value.to_owned()]);
        }
    }
    let suggested: Vec<(&String, String)> =
        names.iter().filter_map(|name| Some((name, suggestion(name, event)?))).collect();
    let known: Vec<String> = suggested.iter().map(|(_, close)| close.clone()).collect();
    // An unknown name is easily overlooked in a list of known ones, so it is reported.
    let misspelt = suggested.into_iter().find(|(name, close)| close != *name && tool);
    if let Some((name, close)) = &misspelt
        && close == value
    {
        return (rules::MATCHER_SPELLING, format!("\"{name}\" is not \"{value}\" (spelling)"), vec![value.to_owned()]);
    }
    let says = match names {
        [name] => match known.first().filter(|k| *k != name) {
            Some(close) => format!("\"{name}\" is not \"{value}\"; did you mean \"{close}\"?"),
            None => format!("\"{name}\" is not \"{value}\""),
        },
        _ => {
            let odd = misspelt.map(|(name, close)| format!("; \"{name}\" is not a tool, did you mean \"{close}\"?"));
            format!("\"{value}\" is not one of {}{}", quoted_list(names), odd.unwrap_or_default())
        }
    };
    (rules::MATCHER_OTHER, says, known)
}

/// Returns the known value that a name equals or is closest to.
fn suggestion(name: &str, event: &EventSpec) -> Option<String> {
    let tool = events::has_tool_subject(event.name);
    if event.subjects.contains(&name) || (tool && name.starts_with("mcp__")) {
        return Some(name.to_owned());
    }
    if let Some(close) = event.subjects.iter().find(|s| s.eq_ignore_ascii_case(name)) {
        return Some((*close).to_owned());
    }
    let ours = own_tool_name(name).filter(|_| tool);
    ours.or_else(|| nearest(name, event.subjects)).map(str::to_owned)
}

fn is_mcp_prefix(name: &str, value: &str) -> bool {
    let server = name.trim_end_matches('_');
    name.starts_with("mcp__") && value.strip_prefix(server).is_some_and(|rest| rest.starts_with("__"))
}

/// Explains why an invalid pattern matches nothing.
pub fn explain_invalid_pattern(text: &str, error: &str, event: &EventSpec) -> (String, Vec<String>) {
    let rule = permission_rule_tool(text, event);
    if let Some(tool) = rule {
        return (permission_rule_message(text, tool), vec![tool.to_owned()]);
    }
    let mut says =
        format!("/{text}/ is not a valid pattern ({error}), so it never matches, and the agent shows no error");
    if text.contains("|*") || text.contains("*|") {
        says.push_str("; `*` matches everything only if it is alone");
    } else if let Some(name) = text.strip_prefix('*') {
        says = format!("{says}; did you mean .*{name}?");
    } else if text.starts_with("(?i)") {
        says.push_str("; write (?i:…) around the letters to ignore case");
    }
    (says, Vec::new())
}

/// Explains why a pattern does not match the value.
pub fn explain_pattern(
    text: &str,
    because: char,
    value: &str,
    event: &EventSpec,
    pattern: &EcmaPattern,
) -> MismatchAdvice {
    if let Some(tool) = permission_rule_tool(text, event) {
        return (rules::MATCHER_PERMISSION_RULE, permission_rule_message(text, tool), vec![tool.to_owned()]);
    }
    let nearest: Vec<String> = event
        .subjects
        .iter()
        .filter(|subject| pattern.test(subject) == TestResult::Yes)
        .map(|subject| (*subject).to_owned())
        .take(5)
        .collect();
    if text.len() > 2 && text.starts_with('/') && text.trim_end_matches(|c: char| c.is_ascii_lowercase()).ends_with('/')
    {
        let says = format!("the slashes in \"{text}\" are part of the pattern; delete them");
        return (rules::MATCHER_SLASHES, says, nearest);
    }
    if text.eq_ignore_ascii_case(value) || case_would_help(text, value) {
        let says = format!("the pattern /{text}/ does not match \"{value}\" (case)");
        return (rules::MATCHER_CASE, says, vec![value.to_owned()]);
    }
    if events::has_tool_subject(event.name) && looks_like_a_file(text) {
        let says =
            format!("\"{text}\" looks like a file name, but a matcher is compared with tool names, never with paths");
        return (rules::MATCHER_FILE_NAME, says, nearest);
    }
    let mut says = format!("the pattern /{text}/ does not match \"{value}\"");
    if text.contains(['|', ',']) && !matches!(because, '^' | '$' | '.' | '*' | '+' | '(' | '[' | '\\' | '?') {
        says = format!("{says}; `{because}` makes the whole text a pattern, not a list of names");
    }
    (rules::MATCHER_PATTERN, says, nearest)
}

/// Whether the pattern would match if case were ignored.
fn case_would_help(text: &str, value: &str) -> bool {
    EcmaPattern::new(&format!("(?i:{text})")).is_ok_and(|p| p.test(value) == TestResult::Yes)
}

fn looks_like_a_file(text: &str) -> bool {
    let ending = text.rsplit('.').next().unwrap_or("");
    text.contains('.') && (1..=4).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_lowercase())
        || text.contains('/')
}

/// Returns the tool in a text that looks like a permission rule, such as `Bash(git *)`.
fn permission_rule_tool<'a>(text: &'a str, event: &EventSpec) -> Option<&'a str> {
    let (tool, rest) = text.split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    // After the name of a server's tools, a bracket usually opens a list of names.
    let of_server = tool.starts_with("mcp__") && (inside.starts_with('*') || inside.contains([' ', ':', '/']));
    (events::has_tool_subject(event.name) && (event.subjects.contains(&tool) || of_server)).then_some(tool)
}

fn permission_rule_message(text: &str, tool: &str) -> String {
    format!(
        "\"{text}\" is a permission rule, but matchers are compared only with the tool name; write `\"matcher\": \"{tool}\"`, and `\"if\": \"{text}\"` in the handler"
    )
}
