//! Describes a resolved tool name in one sentence.

use super::data::{AgentTools, Catalogue, UnmatchedName};
use super::resolve::{MCP, MatchExactness, OTHER, ResolvedTool};

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
