//! HW317: an unanchored negation, which matches somewhere in every name.

use super::matcher_context::{MatcherContext, is_name};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{alternatives, group_end, server_tools_in};
use crate::text::quote_literal;

/// Checks for patterns such as `(?!Bash).*`. It matches `Bash` too, because the search may start at the second
/// letter.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
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
