//! The names that a matcher is tested on, in the words of both agents: which name of one agent corresponds to
//! which name of the other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::ConversionPair;
use crate::catalogue::{AgentTools, MCP, MatchExactness, catalogue};
use crate::hook::EventSpec;
use crate::port::{AgentVersion, AgentWords, mapping};

/// Names that no agent has. A matcher that matches them matches everything.
const UNKNOWN_NAMES: [&str; 2] = ["zz_nobodys_tool", "NobodysOther"];
/// A server and a tool that matchers do not name.
const SERVER: &str = "files";
pub const TOOL: &str = "get_item";
/// One-word tool names that MCP servers also use.
const SHORT: [&str; 3] = ["edit", "replace", "glob"];

/// A name in this agent and the same one in the other. Either can be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameLink {
    pub here: Option<String>,
    pub there: Option<String>,
    pub kind: NameKind,
}

/// The kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A tool, or a value known to occur.
    Known,
    /// Written in the matcher, and otherwise unknown.
    Unverified,
    /// A tool of an MCP server.
    Mcp,
    /// A tool of an MCP server with the name of one of the agent's own tools.
    McpNamesake,
    /// A name that no agent has.
    Unknown,
}

/// The names of an event.
pub struct NameMap {
    pub links: Vec<NameLink>,
    /// Names in the matcher that have no equal in the other agent, each with a clause that says why.
    pub impossible: Vec<(String, String)>,
    /// Words of the matcher, with their names in the other agent.
    pub words: Vec<(String, Vec<String>)>,
}

/// Returns the runs of letters, digits, `_` and `-` in a matcher. The character after a backslash does not count.
pub fn tokens(matcher: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut escaped = false;
    for c in matcher.chars().chain(['|']) {
        let part = !escaped && (c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if part {
            word.push(c);
        } else if !word.is_empty() {
            let word = std::mem::take(&mut word);
            if !out.contains(&word) {
                out.push(word);
            }
        }
        escaped = !escaped && c == '\\';
    }
    out
}

/// Returns the names of an event that a matcher on it is tested on.
pub fn names(pair: &ConversionPair<'_>, here: &EventSpec, there: &EventSpec, matcher: &str) -> NameMap {
    let mut tokens = tokens(matcher);
    if let Some(from) = catalogue().agent(pair.from.dialect.id().as_str()).filter(|_| here.subject == Some("tool_name"))
    {
        tokens.retain(|token| !is_part(token, matcher, from));
    }
    match (
        here.subject,
        catalogue().agent(pair.from.dialect.id().as_str()),
        catalogue().agent(pair.to.dialect.id().as_str()),
    ) {
        (Some("tool_name"), Some(from), Some(to)) => tools(from, to, &tokens),
        _ => values(pair, here, there, &tokens),
    }
}

/// Whether a word of a pattern is part of tool names and not a name itself.
fn is_part(token: &str, matcher: &str, agent: &AgentTools) -> bool {
    let lower = token.to_lowercase();
    let inside = |id: &str| id != token && id.to_lowercase().contains(&lower);
    let known = agent.tools.iter().flat_map(|tool| tool.names()).any(|name| name == token);
    let whole = matcher.split('|').any(|one| one.trim() == token);
    let found = agent.tools.iter().any(|tool| if whole { tool.id.contains(token) } else { inside(tool.id) });
    !known && found && (!whole || agent.plain_names_are_patterns)
}

fn tools(from: &AgentTools, to: &AgentTools, tokens: &[String]) -> NameMap {
    let mut names = NameMap { links: Vec::new(), impossible: Vec::new(), words: Vec::new() };
    let known = |here: Option<&str>, there: Option<&str>| NameLink {
        here: here.map(str::to_owned),
        there: there.map(str::to_owned),
        kind: NameKind::Known,
    };
    for tool in from.tools {
        let there = equivalent_tools(from, to, tool.id);
        if there.is_empty() {
            names.links.push(known(Some(tool.id), None));
        }
        names.links.extend(there.iter().map(|there| known(Some(tool.id), Some(there))));
    }
    for tool in to.tools {
        if !names.links.iter().any(|link| link.there.as_deref() == Some(tool.id)) {
            names.links.push(known(None, Some(tool.id)));
        }
    }
    let mut servers = BTreeSet::from([SERVER.to_owned()]);
    let mut calls = BTreeSet::from([TOOL.to_owned()]);
    for token in tokens {
        let found = catalogue().resolve(token, from);
        if let Some(tool) = found.tool.filter(|_| found.accepted) {
            names.words.push((token.clone(), equivalent_tools(from, to, tool.id)));
        } else if let Some((server, call)) = server_of(token, from) {
            servers.insert(server.clone());
            calls.extend(Some(call.clone()).filter(|call| !call.is_empty()));
            names.words.push((token.clone(), vec![mcp_name(to, &server, &call)]));
        } else if found.canonical == MCP || (token.starts_with("mcp_") && !is_prefix(token, from)) {
            let why = format!("never matches in {}: its MCP tools are called {}", from.name, from.mcp.form);
            names.impossible.push((token.clone(), why));
        } else if found.exactness == MatchExactness::Alias {
            if !found.matched_inside {
                let why = format!("never matches in {}: {}", from.name, why_impossible(token, from));
                names.impossible.push((token.clone(), why));
            }
        } else if let Some(rest) = token.strip_prefix("__").filter(|_| from.mcp.split.is_some()) {
            // The part of a pattern that follows a server name.
            names.words.push((token.clone(), vec![format!("{}{rest}", to.mcp.split.unwrap_or("_"))]));
            calls.insert(rest.to_owned());
        } else if !is_prefix(token, from) {
            let written = Some(token.clone());
            names.links.push(NameLink { here: written.clone(), there: written, kind: NameKind::Unverified });
            calls.insert(token.clone());
        } else if let Some(prefix) = mcp_prefix(to) {
            names.words.push((token.clone(), vec![prefix.to_owned()]));
        } else {
            let why = format!("has no equal in {}: its MCP tools are called {}", to.name, to.mcp.form);
            names.impossible.push((token.clone(), why));
        }
    }
    // MCP servers often have tools with the same names as the agents' own.
    let lower = |tool: &str| tool.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let own = from
        .tools
        .iter()
        .chain(to.tools)
        .map(|tool| tool.id)
        .filter(|id| lower(id) && id.contains('_') || SHORT.contains(id));
    let borrowed: BTreeSet<String> = own.filter(|id| !calls.contains(*id)).map(str::to_owned).collect();
    let mut link = |server: &str, call: &str, what: NameKind| {
        let (here, there) = (Some(mcp_name(from, server, call)), Some(mcp_name(to, server, call)));
        names.links.push(NameLink { here, there, kind: what });
    };
    for server in &servers {
        for call in &calls {
            link(server, call, NameKind::Mcp);
        }
    }
    for call in &borrowed {
        link(SERVER, call, NameKind::McpNamesake);
    }
    add_unknown_names(&mut names);
    names
}

/// Explains why a known name never occurs in this agent.
fn why_impossible(name: &str, agent: &AgentTools) -> String {
    if let Some(other) = agent.others.iter().find(|other| other.name == name) {
        let last = other.last.map(|last| format!("it was a tool of {last}"));
        return last.or_else(|| other.note.map(str::to_owned)).unwrap_or_default();
    }
    match catalogue().owner(name, agent.id) {
        Some(owner) => format!("it is a tool name of {}", owner.name),
        None => "it is not the name of a tool".to_owned(),
    }
}

fn add_unknown_names(names: &mut NameMap) {
    for name in UNKNOWN_NAMES {
        let name = Some(name.to_owned());
        names.links.push(NameLink { here: name.clone(), there: name, kind: NameKind::Unknown });
    }
}

/// Returns the tools of the other agent that do the same as this one.
pub fn equivalent_tools(from: &AgentTools, to: &AgentTools, tool: &str) -> Vec<String> {
    let Some(own) = from.by_id(tool) else { return Vec::new() };
    let mut out: Vec<String> = Vec::new();
    let mut add = |id: &str| {
        if !out.iter().any(|known| known == id) {
            out.push(id.to_owned());
        }
    };
    own.canonical.iter().filter_map(|row| to.tool_for_row(row)).for_each(|there| add(there.id));
    let back = |row: &&str| from.tool_for_row(row).is_some_and(|of| of.id == own.id);
    to.tools.iter().filter(|there| there.canonical.iter().any(back)).for_each(|there| add(there.id));
    out
}

/// The prefix of MCP tool names. `None` if an agent's names begin with the server.
pub fn mcp_prefix(agent: &AgentTools) -> Option<&'static str> {
    Some(agent.mcp.prefix()).filter(|prefix| !prefix.is_empty())
}

fn is_prefix(token: &str, agent: &AgentTools) -> bool {
    mcp_prefix(agent) == Some(token)
}

/// Formats an MCP tool name for an agent. If `call` is empty, returns the prefix shared by all tools of the
/// server.
pub fn mcp_name(agent: &AgentTools, server: &str, call: &str) -> String {
    agent.mcp.name(server, call)
}

/// Splits an MCP tool name, or a prefix of one, into server and tool. `None` if it is not an MCP name.
pub fn server_of(token: &str, agent: &AgentTools) -> Option<(String, String)> {
    let rest = token.strip_prefix(mcp_prefix(agent)?)?;
    let (server, call) = rest.split_once(agent.mcp.split.unwrap_or("_"))?;
    (!server.is_empty()).then(|| (server.to_owned(), call.to_owned()))
}

/// Whether the end of the server name is ambiguous.
pub fn ambiguous(token: &str, agent: &AgentTools) -> bool {
    let call = server_of(token, agent).map(|(_, call)| call).unwrap_or_default();
    agent.mcp.split.is_none() && call.contains('_')
}

/// Returns the names of an event whose subject is not a tool.
fn values(pair: &ConversionPair<'_>, here: &EventSpec, there: &EventSpec, tokens: &[String]) -> NameMap {
    let mut names = NameMap { links: Vec::new(), impossible: Vec::new(), words: Vec::new() };
    let key = here.subject.or(there.subject).unwrap_or_default();
    let closed = |spec: &EventSpec, key: &str| {
        spec.fields.iter().find(|f| f.name == key).map(|f| f.values).filter(|values| !values.is_empty())
    };
    let there_key = there.subject.unwrap_or(key);
    let (ours, theirs) = (closed(here, key), closed(there, there_key));
    let open = ours.is_none();
    let mut add = |here: Option<&str>, there: Option<&str>, what: NameKind| {
        let link = NameLink { here: here.map(str::to_owned), there: there.map(str::to_owned), kind: what };
        if !names.links.contains(&link) {
            names.links.push(link);
        }
    };
    // If the other agent declares no closed list of values, use the values that it is known to send.
    let their_known = theirs.or_else(|| Some(there.subjects).filter(|s| !s.is_empty() && key != "agent_type"));
    let row = mapping().row_of(pair.from.dialect.id().as_str(), here.name).map(|row| row.canonical);
    let words = row.and_then(|row| mapping().value_row(row, key));
    for value in ours.unwrap_or(here.subjects) {
        let own = |words: &&AgentWords| words.get(pair.from.dialect.id().as_str()) == Some(*value);
        let rows: Vec<_> = words.into_iter().flat_map(|row| row.words).filter(own).collect();
        let mut same: Vec<&str> = rows.iter().filter_map(|row| row.get(pair.to.dialect.id().as_str())).collect();
        if rows.is_empty() && their_known.is_none_or(|known| known.contains(value)) {
            same.push(value);
        }
        // Prefer words that the other agent is known to send.
        let sent: Vec<&str> = same.iter().copied().filter(|word| there.subjects.contains(word)).collect();
        let same = if sent.is_empty() { same } else { sent };
        if same.is_empty() {
            add(Some(value), None, NameKind::Known);
        }
        for word in same {
            add(Some(value), Some(word), NameKind::Known);
        }
    }
    for token in tokens.iter().filter(|t| !ours.unwrap_or(here.subjects).contains(&t.as_str())) {
        if open {
            add(Some(token), Some(token), NameKind::Unverified);
        }
    }
    let linked: Vec<String> = names.links.iter().filter_map(|l| l.there.clone()).collect();
    // Values that are never sent need no matcher.
    let sent = |value: &&&str| there.subjects.is_empty() || there.subjects.contains(*value);
    for value in their_known.unwrap_or_default().iter().filter(sent).filter(|v| !linked.contains(&(**v).to_owned())) {
        names.links.push(NameLink { here: None, there: Some((*value).to_owned()), kind: NameKind::Known });
    }
    for link in names.links.iter().filter(|l| l.kind == NameKind::Known) {
        let Some(here) = link.here.as_ref().filter(|here| tokens.contains(here)) else { continue };
        match names.words.iter_mut().find(|(word, _)| word == here) {
            Some((_, there)) => there.extend(link.there.clone()),
            None => names.words.push((here.clone(), link.there.clone().into_iter().collect())),
        }
    }
    if open {
        add_unknown_names(&mut names);
    }
    names
}

/// The end of a part of a matcher that matches every name with the same beginning.
pub(super) const REST: &str = ".*";

/// Whether a script with this matcher runs its command for a name. The matcher is a list of names, or beginnings of names
/// before `.*`.
pub(super) fn is_named(matcher: &str, name: &str) -> bool {
    matcher.split('|').any(|one| one.strip_suffix(REST).map_or(name == one, |start| name.starts_with(start)))
}

/// Whether a matcher matches a name. `None` if that is unknown.
pub(super) fn matches_name(side: &AgentVersion, event: &EventSpec, matcher: Option<&str>, name: &str) -> Option<bool> {
    let Some(key) = event.subject else { return Some(true) };
    if side.dialect.settings_format().script.is_some() {
        return Some(matcher.is_none_or(|matcher| is_named(matcher, name)));
    }
    let subject = side.dialect.subject(event, &json!({ key: name }), &side.version);
    side.dialect.matches(event, matcher.map(Value::from).as_ref(), &subject, &side.version)
}
