//! The shape of the embedded file, and the file itself, read once.

use std::collections::HashSet;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

const FILE: &str = include_str!("../../../../assets/data/tools.json");

/// All tools of all agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Raised with every change of the file.
    pub version: u32,
    /// The day on which it was last held against the agents.
    pub checked_on: String,
    /// What tools do, in the order in which they are shown.
    pub rows: Vec<Row>,
    pub agents: Vec<AgentTools>,
    /// Every name in it, to tell at once what is none.
    #[serde(skip)]
    pub(super) names: OnceLock<Names>,
}

/// Every name in a catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub exact: HashSet<String>,
    /// As they are when case, `_` and `-` do not count.
    pub folded: HashSet<String>,
}

/// One kind of work, under a name that belongs to no agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub canonical: String,
    pub about: String,
    /// Names that people write for it, whatever the agent.
    #[serde(default)]
    pub spellings: Vec<String>,
    /// The row whose tool does this work in an agent that has none for it.
    #[serde(default)]
    pub instead: Option<String>,
}

/// The tools of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentTools {
    pub id: String,
    /// For people.
    pub name: String,
    /// The version that was looked at.
    pub version: String,
    pub mcp: McpForm,
    /// Whether a pattern is held against the aliases too, or against the runtime id alone.
    pub aliases_in_patterns: bool,
    /// Whether a name that is not exactly a tool's is looked for inside runtime ids.
    pub plain_names_are_patterns: bool,
    /// In the agent's own order.
    pub tools: Vec<Tool>,
    /// Names that its hooks do not see, or no longer.
    pub others: Vec<OtherName>,
}

/// How an agent calls the tools of MCP servers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpForm {
    /// `mcp__<server>__<tool>`.
    pub form: String,
    /// What stands between server and tool, where it can be found again.
    #[serde(default)]
    pub split: Option<String>,
}

/// One tool of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// What payloads say.
    pub id: String,
    /// The rows whose work it does, the nearest first; none where no other agent has the like.
    #[serde(default)]
    pub canonical: Vec<String>,
    /// What the agent's own screen calls it.
    #[serde(default)]
    pub display: Option<String>,
    /// Other names that this agent's matchers take.
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub note: Option<String>,
}

/// A name that an agent's matchers do not take, though it is or was its own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherName {
    pub name: String,
    #[serde(default)]
    pub canonical: Option<String>,
    /// Where it was last seen, for a name that is gone.
    #[serde(default)]
    pub last: Option<String>,
    #[serde(default)]
    pub note: Option<String>,
}

/// The embedded catalogue.
pub fn catalogue() -> &'static Catalogue {
    // A file that cannot be read would be an empty catalogue; a test holds that it can.
    static ALL: LazyLock<Catalogue> = LazyLock::new(|| serde_json::from_str(FILE).unwrap_or_default());
    &ALL
}

impl Catalogue {
    /// The agent of that id.
    pub fn agent(&self, id: &str) -> Option<&AgentTools> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// The row of that name.
    pub fn row(&self, canonical: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.canonical == canonical)
    }
}

impl AgentTools {
    /// The tool of that id.
    pub fn by_id(&self, id: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.id == id)
    }

    /// The tool that does this work.
    pub fn of_row(&self, canonical: &str) -> Option<&Tool> {
        let nearest = |tool: &&Tool| tool.canonical.first().is_some_and(|c| c == canonical);
        let tools = || self.tools.iter();
        tools().find(nearest).or_else(|| tools().find(|tool| tool.canonical.iter().any(|c| c == canonical)))
    }
}

impl Tool {
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
            assert_eq!(twice(agent.tools.iter().flat_map(Tool::names)), [""; 0], "{}: a name is one tool's", agent.id);
            agent.tools.iter().flat_map(|t| &t.canonical).for_each(known);
            agent.others.iter().filter_map(|o| o.canonical.as_ref()).for_each(known);
            let own: BTreeSet<&str> = agent.tools.iter().flat_map(Tool::names).collect();
            for other in &agent.others {
                assert!(!own.contains(other.name.as_str()), "{}: {} is one of its names", agent.id, other.name);
                assert!(other.last.is_some() || other.note.is_some(), "{}: what of {}?", agent.id, other.name);
            }
        }
        for row in &all.rows {
            let somebody = all.agents.iter().any(|a| a.of_row(&row.canonical).is_some());
            assert!(somebody, "nobody has a tool for {}", row.canonical);
        }
    }
}
