//! HW306, HW317: patterns that match inside other names because they are not anchored.

use super::matcher_context::{MatcherContext, is_name, is_word, listed};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{alternatives, group_end, server_tools_in};
use crate::text::quote_literal;

/// Checks for a tool name that occurs inside another tool's name, and for a plain word that occurs in several.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let hit: Vec<&str> = matcher.ids().filter(|id| matcher.matches(id) == Some(true)).collect();
    if hit.is_empty() || hit.len() == tools.tools.len() {
        return None;
    }
    check_plain_word(matcher, text, &hit).or_else(|| check_inner_match(matcher, text, &hit))
}

/// Checks for a plain word that is not a tool name, in agents where plain words are patterns.
fn check_plain_word(matcher: &MatcherContext<'_>, text: &str, hit: &[&str]) -> Option<Diagnostic> {
    let tools = matcher.tools().filter(|tools| tools.plain_names_are_patterns)?;
    let own = |part: &str| tools.tools.iter().any(|tool| tool.names().any(|name| name == part));
    let (part, several) =
        alternatives(text).into_iter().map(str::trim).filter(|part| is_name(part) && !own(part)).find_map(|part| {
            let several: Vec<&str> = hit.iter().copied().filter(|id| id.contains(part)).collect();
            (several.len() > 1).then_some((part, several))
        })?;
    let says = format!("\"{part}\" is not a tool name but an unanchored pattern: it matches {}", listed(&several));
    Some(Diagnostic::new(Code::HW306, says).at(matcher.span).with_help("write the tool names that you mean"))
}

/// Checks for a tool name in a pattern that is also in the middle or at the end of another tool's name.
fn check_inner_match(matcher: &MatcherContext<'_>, text: &str, hit: &[&str]) -> Option<Diagnostic> {
    if alternatives(text).into_iter().all(|part| is_name(part.trim())) {
        return None;
    }
    let named: Vec<(usize, &str)> = words(text).filter(|(_, name)| hit.contains(name)).collect();
    let free = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(['*', '+', '?', ']', ')', '.']));
    let (at, name, others) = named.iter().filter(|(at, _)| free(*at)).find_map(|(at, name)| {
        // Matched only because the pattern has no word boundary before the name.
        let bounded = format!("{}\\b{}", text.get(..*at)?, text.get(*at..)?);
        let only =
            |id: &&&str| id.find(*name).is_some_and(|at| at > 0) && matcher.would_match(&bounded, id) == Some(false);
        let meant = |id: &&&str| !named.iter().any(|(_, other)| other == *id);
        let others: Vec<&str> = hit.iter().filter(meant).filter(only).copied().collect();
        (!others.is_empty()).then_some((*at, *name, others))
    })?;
    let says = format!("\"{text}\" is not anchored: {name} is also found in {}", listed(&others));
    let found = Diagnostic::new(Code::HW306, says).at(matcher.span);
    let anchored = if text.contains('|') {
        format!("^(?:{})$", text.trim_matches('|'))
    } else {
        format!("{}^{}", text.get(..at)?, text.get(at..)?)
    };
    let good = matcher.would_match(&anchored, name) == Some(true)
        && others.iter().all(|id| matcher.would_match(&anchored, id) == Some(false))
        && matcher.server_tools().iter().all(|tool| matcher.would_match(&anchored, tool) == Some(true));
    let found = found.with_help(format!("anchor it: {anchored}"));
    Some(if good {
        found.with_fix(Fix::proposal(matcher.span, quote_literal(&anchored)))
    } else {
        found.with_help("anchor it with ^ and $")
    })
}

/// Returns the words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        text.get(*at..).is_some_and(|rest| rest.starts_with(is_word)) && before.is_none_or(|c| !is_word(c))
    };
    let ends = |at: usize| {
        let rest = text.get(at..).unwrap_or("");
        (at, rest.split(|c| !is_word(c)).next().unwrap_or(""))
    };
    (0..text.len()).filter(|at| text.is_char_boundary(*at)).filter(start).map(ends).collect::<Vec<_>>().into_iter()
}

/// HW317: an unanchored negation, which matches somewhere in every name.
/// Checks for patterns such as `(?!Bash).*`. It matches `Bash` too, because the search may start at the second
/// letter.
pub(super) fn check_negation(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let (_, rest) = text.split_once("(?!")?;
    let inside = rest.get(..group_end(rest)?)?.trim_matches(['^', '$']);
    let inside = whole_group(inside).unwrap_or(inside);
    let inside = inside.strip_prefix("?:").unwrap_or(inside);
    let known = matcher.known();
    let name = |part: &str| Some(matcher.resolve_name(part)).filter(|id| is_name(part) && known.contains(&id.as_str()));
    let tools = alternatives(inside).into_iter().filter_map(name).find(|id| matcher.matches(id) == Some(true));
    let written = || matcher.tools().map(|tools| server_tools_in(inside, tools)).unwrap_or_default();
    let passes = tools
        .or_else(|| server_tool(matcher, inside))
        .or_else(|| written().into_iter().find(|tool| matcher.matches(tool) == Some(true)))?;
    let says =
        format!("the negation in \"{text}\" is not anchored, so it also matches {passes}, from its second letter on");
    let mut found = Diagnostic::new(Code::HW317, says).at(matcher.span);
    let end = if text.ends_with(".*") { "$" } else { "" };
    let anchored = format!("^{text}{end}");
    found = found.with_help(format!("anchor it: {anchored}"));
    if matcher.would_match(&anchored, &passes) == Some(false) {
        found = found.with_fix(Fix::proposal(matcher.span, quote_literal(&anchored)));
    } else {
        found.help = Some("put the negation at the beginning: ^(?!…).*$".to_owned());
    }
    Some(found)
}

/// The content of a group around the whole text.
fn whole_group(text: &str) -> Option<&str> {
    let body = text.strip_prefix('(')?;
    body.get(..group_end(body)?).filter(|inner| inner.len() + 1 == body.len())
}

/// Returns an MCP tool that matches although all tools of its server are to be excluded.
fn server_tool(matcher: &MatcherContext<'_>, inside: &str) -> Option<String> {
    let tools = matcher.tools()?;
    let prefix = alternatives(inside)
        .into_iter()
        .map(|part| part.trim_end_matches(".*"))
        .find(|part| part.starts_with("mcp_"))?;
    let tool = if tools.mcp.split.is_some() { "mcp__server__tool" } else { "mcp_server_tool" };
    (tool.starts_with(prefix) && matcher.matches(tool) == Some(true)).then(|| tool.to_owned())
}
