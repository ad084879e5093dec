//! The format of the embedded tool table, and the table itself. The build script writes it as constants, because
//! parsing it would take time at each start.

use serde::Serialize;

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// All tools of all agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Incremented with every change of the file.
    pub version: u32,
    /// The day on which the table was last compared with the agents.
    pub checked_on: &'static str,
    /// Kinds of work that tools do, in display order.
    pub rows: &'static [CatalogueRow],
    pub agents: &'static [AgentTools],
    /// The tools of agents that were specified but never released. Only a request for such an agent shows them.
    pub specified: &'static [AgentTools],
}

/// One kind of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ToolRowDoc"))]
pub struct CatalogueRow {
    pub canonical: &'static str,
    pub about: &'static str,
    /// Names that are understood for it in every agent.
    pub spellings: &'static [&'static str],
    /// The row whose tool does this work in an agent without a tool for it.
    pub instead: Option<&'static str>,
}

/// The tools of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTools {
    pub id: &'static str,
    /// Display name.
    pub name: &'static str,
    /// The version of the agent that the table describes.
    pub version: &'static str,
    pub mcp: McpNaming,
    /// Whether the agent matches a pattern against aliases as well as against the runtime id.
    pub aliases_in_patterns: bool,
    /// Whether a name that is not exactly the name of a tool is searched for inside runtime ids.
    pub plain_names_are_patterns: bool,
    /// In the agent's order.
    pub tools: &'static [CatalogueTool],
    /// Names of the agent's tools that its hooks do not see, or no longer see.
    pub others: &'static [UnmatchedName],
}

/// The naming scheme for tools of MCP servers in one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpNaming {
    /// `mcp__<server>__<tool>`.
    pub form: &'static str,
    /// The separator between server and tool, if a name can be split again.
    pub split: Option<&'static str>,
}

impl McpNaming {
    /// The beginning of every name. Empty if names begin with the server.
    pub fn prefix(&self) -> &'static str {
        self.form.split('<').next().unwrap_or_default()
    }

    /// The name of a tool. Without a tool, the beginning of the names of the server's tools.
    pub fn name(&self, server: &str, tool: &str) -> String {
        format!("{}{server}{}{tool}", self.prefix(), self.split.unwrap_or("_"))
    }
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ToolDoc"))]
pub struct CatalogueTool {
    /// The runtime id, as in payloads.
    pub id: &'static str,
    /// The rows whose work it does.
    pub canonical: &'static [&'static str],
    pub display: Option<&'static str>,
    /// Other names that matchers accept.
    pub aliases: &'static [&'static str],
    pub note: Option<&'static str>,
}

/// One name that matchers do not accept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OtherNameDoc"))]
pub struct UnmatchedName {
    pub name: &'static str,
    pub canonical: Option<&'static str>,
    /// The last version that had the name; null if the tool still exists but hooks do not see it.
    pub last: Option<&'static str>,
    pub note: Option<&'static str>,
}

/// The embedded catalogue.
pub fn catalogue() -> &'static Catalogue {
    &TOOLS
}

impl Catalogue {
    /// The agent with the given id.
    pub fn agent(&self, id: &str) -> Option<&AgentTools> {
        self.every_agent().find(|agent| agent.id == id)
    }

    /// The agents, the unreleased ones last.
    pub fn every_agent(&self) -> impl Iterator<Item = &'static AgentTools> + use<> {
        self.agents.iter().chain(self.specified)
    }

    /// The row with the given name.
    pub fn row(&self, canonical: &str) -> Option<&CatalogueRow> {
        self.rows.iter().find(|row| row.canonical == canonical)
    }
}

impl AgentTools {
    /// The tool with the given id.
    pub fn by_id(&self, id: &str) -> Option<&CatalogueTool> {
        self.tools.iter().find(|tool| tool.id == id)
    }

    /// The tool that does the given work, preferring a tool whose main work it is.
    pub fn tool_for_row(&self, canonical: &str) -> Option<&CatalogueTool> {
        let nearest = |tool: &&CatalogueTool| tool.canonical.first() == Some(&canonical);
        let tools = || self.tools.iter();
        tools().find(nearest).or_else(|| tools().find(|tool| tool.canonical.contains(&canonical)))
    }

    /// Every tool that does the given work.
    pub fn tools_for_row(&self, canonical: &str) -> impl Iterator<Item = &CatalogueTool> {
        self.tools.iter().filter(move |tool| tool.canonical.contains(&canonical))
    }
}

impl CatalogueTool {
    /// Every name that a matcher may use, the runtime id first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.id).chain(self.aliases.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let mut seen = BTreeSet::new();
        names.filter(|name| !seen.insert(*name)).collect()
    }

    #[test]
    fn the_file_is_well_formed() {
        let all = catalogue();
        assert!(all.version > 0);
        let date: Vec<&str> = all.checked_on.split('-').collect();
        assert_eq!(date.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2], "{}", all.checked_on);
        assert_eq!(twice(all.rows.iter().map(|r| r.canonical)), [""; 0]);
        assert_eq!(twice(all.agents.iter().map(|a| a.id)), [""; 0]);
        let spellings = all.rows.iter().flat_map(|r| std::iter::once(&r.canonical).chain(r.spellings));
        let mut spelt: Vec<&str> = spellings.copied().collect();
        spelt.dedup();
        assert_eq!(twice(spelt.into_iter()), [""; 0], "a spelling means one row");
        let known = |canonical: &&str| assert!(all.row(canonical).is_some(), "there is no row {canonical}");
        all.rows.iter().filter_map(|r| r.instead.as_ref()).for_each(known);
        for agent in all.agents {
            assert_eq!(
                twice(agent.tools.iter().flat_map(CatalogueTool::names)),
                [""; 0],
                "{}: a name is one tool's",
                agent.id
            );
            agent.tools.iter().flat_map(|t| t.canonical).for_each(known);
            agent.others.iter().filter_map(|o| o.canonical.as_ref()).for_each(known);
            let own: BTreeSet<&str> = agent.tools.iter().flat_map(CatalogueTool::names).collect();
            for other in agent.others {
                assert!(!own.contains(other.name), "{}: {} is one of its names", agent.id, other.name);
                assert!(other.last.is_some() || other.note.is_some(), "{}: what of {}?", agent.id, other.name);
            }
        }
        for row in all.rows {
            let somebody = all.agents.iter().any(|a| a.tool_for_row(row.canonical).is_some());
            assert!(somebody, "nobody has a tool for {}", row.canonical);
        }
    }
}
