//! The format of the embedded tool table, and the table itself, parsed once.

use std::collections::HashSet;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

const FILE: &str = include_str!("../../../../assets/data/tools.json");

/// All tools of all agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Incremented with every change of the file.
    pub version: u32,
    /// The day on which the table was last compared with the agents.
    pub checked_on: String,
    /// Kinds of work that tools do, in display order.
    pub rows: Vec<CatalogueRow>,
    pub agents: Vec<AgentTools>,
    /// The tools of agents that were specified but never released. Only a request for such an agent shows them.
    #[serde(default)]
    pub specified: Vec<AgentTools>,
    /// All names of the table, so that an unknown name is rejected quickly.
    #[serde(skip)]
    pub(super) names: OnceLock<CatalogueNames>,
}

/// All names of a catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CatalogueNames {
    pub exact: HashSet<String>,
    /// The names in lower case, without `_` and `-`.
    pub folded: HashSet<String>,
}

/// One kind of work, under a name that no particular agent uses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueRow {
    pub canonical: String,
    pub about: String,
    /// Names that people write for this work, independent of the agent.
    #[serde(default)]
    pub spellings: Vec<String>,
    /// The row whose tool does this work in an agent that lacks a tool for it.
    #[serde(default)]
    pub instead: Option<String>,
}

/// The tools of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentTools {
    pub id: String,
    /// Display name.
    pub name: String,
    /// The version of the agent that the table describes.
    pub version: String,
    pub mcp: McpNaming,
    /// Whether the agent matches a pattern against aliases as well as against the runtime id.
    pub aliases_in_patterns: bool,
    /// Whether a name that is not exactly the name of a tool is searched for inside runtime ids.
    pub plain_names_are_patterns: bool,
    /// In the agent's order.
    pub tools: Vec<CatalogueTool>,
    /// Names of the agent's tools that its hooks do not see, or no longer see.
    pub others: Vec<UnmatchedName>,
}

/// The naming scheme for tools of MCP servers in one agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpNaming {
    /// `mcp__<server>__<tool>`.
    pub form: String,
    /// The separator between server and tool, if a name can be split again.
    #[serde(default)]
    pub split: Option<String>,
}

/// One tool of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueTool {
    /// The runtime id: the name in payloads.
    pub id: String,
    /// The rows whose work the tool does, best match first. Empty if no other agent has a comparable tool.
    #[serde(default)]
    pub canonical: Vec<String>,
    /// The name on the agent's screen.
    #[serde(default)]
    pub display: Option<String>,
    /// Other names that the agent's matchers accept.
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub note: Option<String>,
}

/// A name that the agent's matchers do not accept, although the agent uses it or used it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnmatchedName {
    pub name: String,
    #[serde(default)]
    pub canonical: Option<String>,
    /// The last version that had the tool, for a name that was removed.
    #[serde(default)]
    pub last: Option<String>,
    #[serde(default)]
    pub note: Option<String>,
}

/// The embedded catalogue.
pub fn catalogue() -> &'static Catalogue {
    // An unreadable file would give an empty catalogue; a test checks that it parses.
    static ALL: LazyLock<Catalogue> = LazyLock::new(|| serde_json::from_str(FILE).unwrap_or_default());
    &ALL
}

impl Catalogue {
    /// The agent with the given id.
    pub fn agent(&self, id: &str) -> Option<&AgentTools> {
        self.agents.iter().chain(&self.specified).find(|agent| agent.id == id)
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
        let nearest = |tool: &&CatalogueTool| tool.canonical.first().is_some_and(|c| c == canonical);
        let tools = || self.tools.iter();
        tools().find(nearest).or_else(|| tools().find(|tool| tool.canonical.iter().any(|c| c == canonical)))
    }
}

impl CatalogueTool {
    /// Every name that a matcher may use, the runtime id first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.aliases).map(String::as_str)
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
        let all: Catalogue = serde_json::from_str(FILE).unwrap();
        assert_eq!(&all, catalogue());
        assert!(all.version > 0);
        let date: Vec<&str> = all.checked_on.split('-').collect();
        assert_eq!(date.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2], "{}", all.checked_on);
        assert_eq!(twice(all.rows.iter().map(|r| r.canonical.as_str())), [""; 0]);
        assert_eq!(twice(all.agents.iter().map(|a| a.id.as_str())), [""; 0]);
        let spellings = all.rows.iter().flat_map(|r| std::iter::once(&r.canonical).chain(&r.spellings));
        let mut spelt: Vec<&str> = spellings.map(String::as_str).collect();
        spelt.dedup();
        assert_eq!(twice(spelt.into_iter()), [""; 0], "a spelling means one row");
        let known = |canonical: &String| assert!(all.row(canonical).is_some(), "there is no row {canonical}");
        all.rows.iter().filter_map(|r| r.instead.as_ref()).for_each(known);
        for agent in &all.agents {
            assert_eq!(
                twice(agent.tools.iter().flat_map(CatalogueTool::names)),
                [""; 0],
                "{}: a name is one tool's",
                agent.id
            );
            agent.tools.iter().flat_map(|t| &t.canonical).for_each(known);
            agent.others.iter().filter_map(|o| o.canonical.as_ref()).for_each(known);
            let own: BTreeSet<&str> = agent.tools.iter().flat_map(CatalogueTool::names).collect();
            for other in &agent.others {
                assert!(!own.contains(other.name.as_str()), "{}: {} is one of its names", agent.id, other.name);
                assert!(other.last.is_some() || other.note.is_some(), "{}: what of {}?", agent.id, other.name);
            }
        }
        for row in &all.rows {
            let somebody = all.agents.iter().any(|a| a.tool_for_row(&row.canonical).is_some());
            assert!(somebody, "nobody has a tool for {}", row.canonical);
        }
    }
}
