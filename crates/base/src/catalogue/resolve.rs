//! Resolves a tool name in one agent: finds its runtime id, and rates how exact the match is.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::data::{AgentTools, Catalogue, CatalogueTool, UnmatchedName, catalogue};

/// The canonical name of a tool that no row describes.
pub const OTHER: &str = "other";
/// The canonical name of every tool of an MCP server.
pub const MCP: &str = "mcp";
/// The prefix of the split form of an MCP name.
const PREFIX: &str = "mcp__";

crate::words! {
    /// How exactly a name matched, in the order in which the forms are tried.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum MatchExactness {
        /// The name is the runtime id.
        Id = "id",
        /// The name is an alias of the tool, either the agent's or the table's.
        Alias = "alias",
        /// The name has the form of an MCP tool.
        Mcp = "mcp",
        /// The name matches if case, `_` and `-` are ignored.
        Loose = "loose",
        /// No agent is known to have the name.
        Unknown = "unknown",
    }
    /// The word for JSON documents.
    fn word;
}

/// All names of the catalogue, so that an unknown name is rejected quickly.
struct CatalogueNames {
    exact: HashSet<&'static str>,
    /// The spellings of each name in lower case, without `_` and `-`.
    folded: HashMap<String, Vec<&'static str>>,
}

static NAMES: LazyLock<CatalogueNames> = LazyLock::new(|| {
    let all = catalogue();
    let rows = all.rows.iter().flat_map(|row| std::iter::once(row.canonical).chain(row.spellings.iter().copied()));
    let tools = all.every_agent().flat_map(|agent| agent.tools).flat_map(|tool| tool.names());
    let others = all.agents.iter().flat_map(|agent| agent.others).map(|other| other.name);
    let exact: HashSet<&str> = rows.chain(tools).chain(others).collect();
    let mut spellings: HashMap<String, Vec<&str>> = HashMap::new();
    for name in &exact {
        spellings.entry(folded(name)).or_default().push(name);
    }
    CatalogueNames { exact, folded: spellings }
});

/// A name resolved in one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedTool<'a> {
    pub canonical: &'a str,
    /// The runtime id in this agent. `None` if the agent has no such tool.
    pub id: Option<String>,
    pub exactness: MatchExactness,
    /// Whether the agent's matchers accept the name as written.
    pub accepted: bool,
    /// Whether the agent's matchers accept it as a pattern, because the runtime id contains it.
    pub matched_inside: bool,
    /// The tool, if it is one of the agent's built-in tools.
    pub tool: Option<&'a CatalogueTool>,
    /// The tool that does this work if the agent has no tool of the row itself.
    pub instead: Option<&'a CatalogueTool>,
    /// Server and tool of an MCP name, if they can be separated.
    pub mcp: Option<(String, String)>,
}

impl<'a> ResolvedTool<'a> {
    fn own(tool: &'a CatalogueTool, canonical: &'a str, exactness: MatchExactness, accepted: bool) -> ResolvedTool<'a> {
        let id = Some(tool.id.to_owned());
        ResolvedTool { id, accepted, tool: Some(tool), ..ResolvedTool::none(canonical, exactness) }
    }

    fn none(canonical: &'a str, exactness: MatchExactness) -> ResolvedTool<'a> {
        ResolvedTool {
            canonical,
            id: None,
            exactness,
            accepted: false,
            matched_inside: false,
            tool: None,
            instead: None,
            mcp: None,
        }
    }
}

impl Catalogue {
    /// Resolves `name` in `agent`: as a runtime id, an alias, an MCP tool, a name that differs only in case, `_` or
    /// `-`, or as unknown.
    pub fn resolve<'a>(&'a self, name: &str, agent: &'a AgentTools) -> ResolvedTool<'a> {
        let found = self.lookup(name, agent);
        let inside = agent.plain_names_are_patterns && found.id.as_ref().is_some_and(|id| id.contains(name));
        ResolvedTool { matched_inside: inside && !found.accepted, ..found }
    }

    fn lookup<'a>(&'a self, name: &str, agent: &'a AgentTools) -> ResolvedTool<'a> {
        let exact = |known: &str| known == name;
        if let Some(tool) = agent.by_id(name) {
            return ResolvedTool::own(tool, nearest_row(tool, &[]), MatchExactness::Id, true);
        }
        let names = &*NAMES;
        if let Some(found) =
            names.exact.get(name).and_then(|_| self.find_in_table(agent, &exact, MatchExactness::Alias))
        {
            return found;
        }
        if let Some(found) = mcp(name, agent) {
            return found;
        }
        let found = names.folded.get(&folded(name)).and_then(|spellings| {
            self.find_in_table(agent, &|known| spellings.contains(&known), MatchExactness::Loose)
        });
        found.unwrap_or(ResolvedTool::none(OTHER, MatchExactness::Unknown))
    }

    /// The first other agent that has a tool with exactly this runtime id; otherwise the first other agent that
    /// uses or used the name.
    pub fn owner(&self, name: &str, but: &str) -> Option<&AgentTools> {
        let named = |of: &AgentTools| of.tools.iter().any(|tool| tool.names().any(|known| known == name));
        let formerly = |of: &AgentTools| of.others.iter().any(|other| other.name == name);
        let others = || self.agents.iter().filter(|of| of.id != but);
        others().find(|of| of.by_id(name).is_some()).or_else(|| others().find(|of| named(of) || formerly(of)))
    }

    /// Looks the name up in the table and returns the agent's tool for it.
    fn find_in_table<'a>(
        &'a self,
        agent: &'a AgentTools,
        is: &dyn Fn(&str) -> bool,
        exactness: MatchExactness,
    ) -> Option<ResolvedTool<'a>> {
        let rows = self.rows_of(agent, is);
        if let Some(tool) = agent.tools.iter().find(|tool| tool.names().any(is)) {
            return Some(ResolvedTool::own(
                tool,
                nearest_row(tool, &rows),
                exactness,
                exactness == MatchExactness::Alias,
            ));
        }
        let own = rows.iter().find_map(|row| Some((agent.tool_for_row(row)?, *row)));
        if let Some((tool, row)) = own {
            return Some(ResolvedTool::own(tool, row, exactness, false));
        }
        let row = *rows.first()?;
        let instead = self.row(row).and_then(|row| agent.tool_for_row(row.instead?));
        Some(ResolvedTool { instead, ..ResolvedTool::none(row, exactness) })
    }

    /// The rows that contain a name, in order of preference: this agent's former names, the general names, the
    /// other agents' names.
    fn rows_of<'a>(&'a self, agent: &'a AgentTools, is: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
        let mut rows = Vec::new();
        let mut add = |row: &'static str| {
            if !rows.contains(&row) {
                rows.push(row);
            }
        };
        let formerly = |of: &'a AgentTools| of.others.iter().filter(|o| is(o.name)).filter_map(|o| o.canonical);
        formerly(agent).for_each(&mut add);
        for row in self.rows {
            if is(row.canonical) || row.spellings.iter().any(|spelling| is(spelling)) {
                add(row.canonical);
            }
        }
        for other in self.agents.iter().filter(|other| other.id != agent.id) {
            other
                .tools
                .iter()
                .filter(|tool| tool.names().any(is))
                .flat_map(|tool| tool.canonical)
                .copied()
                .for_each(&mut add);
            formerly(other).for_each(&mut add);
        }
        rows
    }
}

/// The row of a tool that is also in `meant`; otherwise the tool's first row.
fn nearest_row<'a>(tool: &'a CatalogueTool, meant: &[&str]) -> &'a str {
    let rows = || tool.canonical.iter().copied();
    let of_meant = meant.iter().find_map(|row| rows().find(|own| own == row));
    of_meant.or_else(|| rows().next()).unwrap_or(OTHER)
}

/// Parses an MCP tool name in either form. The split form is split at the first `__` after its prefix; the other
/// form is not split.
fn mcp<'a>(name: &str, agent: &AgentTools) -> Option<ResolvedTool<'a>> {
    let parted = name.strip_prefix(PREFIX).map(|rest| rest.split_once("__"));
    let found = ResolvedTool::none(MCP, MatchExactness::Mcp);
    match (parted, &agent.mcp.split) {
        (Some(parted), _) => {
            let (server, tool) = parted.filter(|(server, tool)| !server.is_empty() && !tool.is_empty())?;
            let id = agent.mcp.name(server, tool);
            let mcp = Some((server.to_owned(), tool.to_owned()));
            Some(ResolvedTool { accepted: id == name, id: Some(id), mcp, ..found })
        }
        (None, split) => {
            let (server, tool) = name.strip_prefix("mcp_")?.split_once('_')?;
            if server.is_empty() || tool.is_empty() {
                return None;
            }
            // If this agent splits names, it is unclear which underscore separates server and tool.
            let whole = split.is_none();
            Some(ResolvedTool { id: whole.then(|| name.to_owned()), accepted: whole, ..found })
        }
    }
}

impl AgentTools {
    /// Whether a name is this agent's runtime id for a tool of an MCP server.
    pub fn is_server_tool(&self, name: &str) -> bool {
        name.starts_with("mcp_") && mcp(name, self).is_some_and(|found| found.id.as_deref() == Some(name))
    }
}

/// Reduces a name to its letters and digits, in lower case.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Returns the agent's tool for a name that belongs to another agent, with that other agent's name if it is known.
/// `None` if this agent's matchers accept the name, or if the name is not exactly a known one.
pub fn find_foreign_tool(name: &str, agent: &str) -> Option<(&'static str, Option<&'static str>)> {
    let all = catalogue();
    let agent = all.agent(agent)?;
    let found = all.resolve(name, agent);
    if found.accepted || found.exactness != MatchExactness::Alias {
        return None;
    }
    let tool = found.tool.or(found.instead)?;
    Some((tool.id, all.owner(name, agent.id).map(|other| other.name)))
}

impl Catalogue {
    /// The runtime id and the name that was used for it. If the agent has no such tool: the agents that have it.
    pub fn describe(&self, name: &str, agent: &AgentTools, found: &ResolvedTool<'_>) -> String {
        let Some(id) = &found.id else { return self.no_such_tool(name, agent, found) };
        match (found.exactness, &found.mcp) {
            (MatchExactness::Id, _) => id.clone(),
            (MatchExactness::Mcp, Some((server, tool))) => {
                let alias = if id == name { String::new() } else { format!(" (alias used: {name})") };
                format!("{id}{alias}: the tool {tool} of the MCP server {server}")
            }
            (MatchExactness::Mcp, None) => {
                format!("{id}: an MCP tool whose name does not separate the server from the tool")
            }
            (MatchExactness::Loose, _) => format!("{id} (alias used: {name}, which is only similar to its name)"),
            (MatchExactness::Alias | MatchExactness::Unknown, _) => format!("{id} (alias used: {name})"),
        }
    }

    fn no_such_tool(&self, name: &str, agent: &AgentTools, found: &ResolvedTool<'_>) -> String {
        if found.canonical == MCP {
            return format!("no such tool in {}; its MCP tools are called {}", agent.name, agent.mcp.form);
        }
        let gone =
            |is: &dyn Fn(&UnmatchedName) -> bool| agent.others.iter().find(|other| other.last.is_some() && is(other));
        let own = gone(&|other| other.name == name)
            .or_else(|| gone(&|other| other.canonical == Some(found.canonical)))
            .and_then(|other| Some(format!("{} ({})", other.last?, other.name)))
            .into_iter();
        let known: Vec<String> = own.chain(self.other_agents_with_tool(name, agent, found.canonical)).collect();
        let known = if known.is_empty() { "no known agent".to_owned() } else { known.join(", ") };
        let instead = found.instead.map_or(String::new(), |tool| format!("; {} replaces it", tool.id));
        format!("no such tool in {}; last known in {known}{instead}", agent.name)
    }

    /// The other agents that have such a tool, each with its version and its name for the tool.
    fn other_agents_with_tool(&self, name: &str, agent: &AgentTools, canonical: &str) -> Vec<String> {
        let has = |other: &AgentTools| {
            let named = || other.tools.iter().find(|tool| tool.names().any(|n| n == name));
            let tool = if canonical == OTHER { named() } else { other.tool_for_row(canonical) }?;
            Some(format!("{} {} ({})", other.name, other.version, tool.id))
        };
        self.agents.iter().filter(|other| other.id != agent.id).filter_map(has).collect()
    }
}
