//! HW304, HW305, HW318: the tools of MCP servers.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::matcher_context::{MatcherContext, is_name};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::list_entries;
use crate::text::{ascii_regex, quote_literal};

/// A server in the form with two underscores, and the separator after it.
static TWO: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r"\bmcp__([A-Za-z0-9-]*)(__)?"));
/// A server in the form with one underscore.
static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r"\bmcp_([A-Za-z0-9-]+)_"));

/// HW304: `mcp__server` where it is an exact name.
pub(super) fn check_server_name(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let parts: Vec<&str> = list_entries(text).into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    if !tools.mcp.form.starts_with("mcp__") || !parts.iter().all(|part| is_name(part)) {
        return None;
    }
    let of = |part: &str| {
        let server = part.strip_prefix("mcp__")?.trim_end_matches('_');
        (!server.contains("__"))
            .then(|| if server.is_empty() { "mcp__".to_owned() } else { format!("mcp__{server}__") })
    };
    let dead = |part: &str| {
        let prefix = of(part)?;
        let tool = if prefix == "mcp__" { "mcp__server__tool".to_owned() } else { format!("{prefix}tool") };
        (matcher.matches(&tool) == Some(false)).then_some(prefix)
    };
    let prefix = parts.iter().find_map(|part| dead(part))?;
    let all: Vec<String> =
        parts.iter().map(|part| of(part).map_or_else(|| (*part).to_owned(), |prefix| format!("{prefix}.*"))).collect();
    // In a list, the text becomes a pattern as a whole, so its names must be anchored.
    let meant = if let [one] = all.as_slice() { one.clone() } else { format!("^({})$", all.join("|")) };
    let says =
        format!("\"{text}\" is compared with whole names, and no tool is called {}", prefix.trim_end_matches('_'));
    let found = Diagnostic::new(Code::HW304, says).at(matcher.span);
    Some(
        found
            .with_help(format!("{prefix}.* matches all of its tools: write {meant}"))
            .with_fix(Fix::proposal(matcher.span, quote_literal(&meant))),
    )
}

/// HW318: a server name with a hyphen. It is an exact name now; older versions searched for it inside names.
pub(super) fn check_hyphen(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let parts: Vec<&str> = list_entries(text).into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    if !tools.mcp.form.starts_with("mcp__") || !parts.iter().all(|part| is_name(part)) {
        return None;
    }
    let strange = |part: &str| part.contains('-') && !part.starts_with("mcp__") && matcher.resolve_name(part) == part;
    let dead = |part: &str| strange(part) && matcher.matches(&format!("mcp__{part}__tool")) == Some(false);
    let name = parts.iter().find(|part| dead(part))?;
    let of = |part: &&str| if strange(part) { format!("mcp__{part}__.*") } else { (*part).to_owned() };
    let all: Vec<String> = parts.iter().map(of).collect();
    let meant = if let [one] = all.as_slice() { one.clone() } else { format!("^({})$", all.join("|")) };
    let says = format!("\"{name}\" is compared with whole names; older versions also found it inside names");
    let found = Diagnostic::new(Code::HW318, says).at(matcher.span);
    Some(
        found
            .with_help(format!("to match the tools of a server, write {meant}"))
            .with_fix(Fix::proposal(matcher.span, quote_literal(&meant))),
    )
}

/// HW305: a pattern for MCP tools in another agent's form.
pub(super) fn form(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let ours = tools.mcp.form;
    let meant = if ours.starts_with("mcp__") {
        let one = ONE.as_ref()?;
        let server = one.captures(text)?.get(1)?.as_str();
        let dead = matcher.matches(&format!("mcp__{server}__tool")) == Some(false);
        dead.then(|| one.replace_all(text, "mcp__${1}__").into_owned())?
    } else {
        let two = TWO.as_ref()?;
        let server = Some(two.captures(text)?.get(1)?.as_str()).filter(|server| !server.is_empty()).unwrap_or("server");
        let dead = matcher.matches(&format!("mcp_{server}_tool")) == Some(false);
        let form = |found: &Captures<'_>| {
            let end = if found.get(2).is_some() { "_" } else { "" };
            format!("mcp_{}{end}", found.get(1).map_or("", |server| server.as_str()))
        };
        dead.then(|| two.replace_all(text, form).into_owned())?
    };
    let says = format!("\"{text}\" does not match any MCP tool: they are called {ours} in {}", matcher.at.agent_name());
    let found = Diagnostic::new(Code::HW305, says).at(matcher.span).with_help(format!("write {meant}"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(&meant))))
}
