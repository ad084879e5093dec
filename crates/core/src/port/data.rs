//! The shape of the embedded file, and the file itself, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

const FILE: &str = include_str!("../../../../assets/data/events.json");

/// A word for each agent that has one, by the agent's id.
pub type Words = BTreeMap<String, String>;

/// The events of all agents, mapped to one another.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// Raised with every change of the file.
    pub version: u32,
    /// The day on which it was last held against the agents.
    pub checked_on: String,
    /// What happens, in the order in which it is shown.
    pub rows: Vec<MappedEvent>,
    pub agents: Vec<AgentKeys>,
    /// Keys whose values belong to one agent alone, such as the path of its transcript.
    pub own: Vec<String>,
    /// Keys that are called differently.
    pub keys: Vec<KeyRow>,
    /// Values that are called differently.
    pub values: Vec<ValueRow>,
    /// What tools are given, where it is called differently.
    pub tools: Vec<ToolInput>,
}

/// Something that happens, under a name that belongs to no agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappedEvent {
    pub canonical: String,
    pub about: String,
    /// Names that people write for it, whatever the agent.
    #[serde(default)]
    pub spellings: Vec<String>,
    /// What each agent calls it; some names stand in old documents alone, and no agent has such an event.
    #[serde(default)]
    pub events: Words,
    /// For agents that do not have it, the nearest that they have.
    #[serde(default)]
    pub nearest: Words,
}

/// What is peculiar to the payloads of one agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentKeys {
    pub id: String,
    /// Common keys that it does not always send.
    #[serde(default)]
    pub sometimes: Vec<String>,
    #[serde(default)]
    pub mcp: Option<McpKeys>,
    pub response: Response,
}

/// Where a payload says of which MCP server a tool is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpKeys {
    pub key: String,
    pub server: String,
    /// Where the tool's own name stands, for agents whose tool names do not tell it.
    #[serde(default)]
    pub tool: Option<String>,
}

/// What a tool has answered.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The tools that answer so; none named: all.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The key of the text; none: the answer is the text.
    #[serde(default)]
    pub text: Option<String>,
    /// A key that has the same text once more.
    #[serde(default)]
    pub copy: Option<String>,
    /// An empty one.
    pub whole: Value,
}

/// A key that is called differently.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRow {
    pub canonical: String,
    /// The only row of which this is so.
    #[serde(default)]
    pub event: Option<String>,
    pub keys: Words,
}

/// Values of a key that are called differently.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRow {
    pub key: String,
    /// The only row of which this is so.
    #[serde(default)]
    pub event: Option<String>,
    pub words: Vec<Words>,
    /// What an agent says for everything that it has no word for.
    #[serde(default)]
    pub otherwise: Words,
}

/// What a tool is given.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolInput {
    /// The tool's row in the catalogue.
    pub canonical: String,
    pub fields: Vec<Words>,
    /// Keys without which an agent's tool is never called, and what stands for them.
    #[serde(default)]
    pub needs: BTreeMap<String, Map<String, Value>>,
    /// The key that holds a patch text in which everything is said.
    #[serde(default)]
    pub patch: Words,
}

/// The embedded mapping.
pub fn mapping() -> &'static Mapping {
    // A file that cannot be read would be an empty mapping; a test holds that it can.
    static ALL: LazyLock<Mapping> = LazyLock::new(|| serde_json::from_str(FILE).unwrap_or_default());
    &ALL
}

impl MappedEvent {
    /// What is said of an event that no agent has.
    pub fn nobody(&self) -> String {
        let mut nearest: Vec<&str> = self.nearest.values().map(String::as_str).collect();
        nearest.sort_unstable();
        nearest.dedup();
        let nearest = match nearest.as_slice() {
            [] => String::new(),
            [one] => format!("; the nearest is {one}"),
            several => format!("; the nearest are {}", several.join(", ")),
        };
        format!("no agent has an event {}{nearest}", self.about)
    }
}

impl Mapping {
    /// The row of an agent's event.
    pub fn row_of(&self, agent: &str, event: &str) -> Option<&MappedEvent> {
        self.rows.iter().find(|row| row.events.get(agent).is_some_and(|own| own == event))
    }

    /// The row that somebody means who names no agent: its own name, another spelling of it.
    pub fn row(&self, name: &str) -> Option<&MappedEvent> {
        self.rows.iter().find(|row| row.canonical == name || row.spellings.iter().any(|spelling| spelling == name))
    }

    /// What is peculiar to an agent.
    pub fn agent(&self, id: &str) -> Option<&AgentKeys> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// The row of a key that an agent's payloads have on this event.
    pub fn key_row(&self, agent: &str, event: &str, key: &str) -> Option<&KeyRow> {
        let here = |row: &&KeyRow| row.event.as_ref().is_none_or(|only| only == event);
        self.keys.iter().filter(here).find(|row| row.keys.get(agent).is_some_and(|own| own == key))
    }

    /// The values of a key on this event, where they are called differently.
    pub fn value_row(&self, event: &str, key: &str) -> Option<&ValueRow> {
        self.values.iter().find(|row| row.key == key && row.event.as_ref().is_none_or(|only| only == event))
    }

    /// What a tool of the catalogue is given.
    pub fn tool(&self, canonical: &str) -> Option<&ToolInput> {
        self.tools.iter().find(|tool| tool.canonical == canonical)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalogue::catalogue;
    use crate::dialects;

    #[test]
    fn the_file_is_well_formed() {
        let all: Mapping = serde_json::from_str(FILE).unwrap();
        assert_eq!(&all, mapping());
        assert!(all.version > 0 && all.checked_on.len() == 10);
        let agents: BTreeSet<&str> = dialects::ALL.iter().map(|d| d.id()).collect();
        let known = |words: &Words| words.keys().all(|id| agents.contains(id.as_str()));
        let mut names = BTreeSet::new();
        for row in &all.rows {
            for name in std::iter::once(&row.canonical).chain(&row.spellings) {
                assert!(names.insert(name), "{name} means one row");
            }
            assert!(known(&row.events) && known(&row.nearest), "{}", row.canonical);
            assert!(!row.events.is_empty() || !row.nearest.is_empty(), "{}", row.canonical);
        }
        assert!(all.keys.iter().all(|row| known(&row.keys)));
        assert!(all.values.iter().all(|row| row.words.iter().all(known) && known(&row.otherwise)));
        let rows = all.keys.iter().map(|k| &k.event).chain(all.values.iter().map(|v| &v.event));
        assert!(rows.flatten().all(|event| all.row(event).is_some()));
        for tool in &all.tools {
            assert!(catalogue().row(&tool.canonical).is_some(), "{}", tool.canonical);
            assert!(tool.fields.iter().all(known) && known(&tool.patch), "{}", tool.canonical);
        }
        assert_eq!(all.agents.iter().map(|a| a.id.as_str()).collect::<BTreeSet<_>>(), agents);
    }

    /// Every event of every agent stands in exactly one row, and nothing else does.
    #[test]
    fn every_event_is_mapped() {
        for dialect in dialects::ALL {
            let events = dialect.events(&dialects::default_version(*dialect));
            for event in &events {
                let rows =
                    mapping().rows.iter().filter(|r| r.events.get(dialect.id()).is_some_and(|e| e == event.name));
                assert_eq!(rows.count(), 1, "{}: {}", dialect.id(), event.name);
            }
            for row in &mapping().rows {
                let (own, near) = (row.events.get(dialect.id()), row.nearest.get(dialect.id()));
                assert!(own.is_none() || near.is_none(), "{}: {} needs no nearest", dialect.id(), row.canonical);
                for name in own.into_iter().chain(near) {
                    assert!(events.iter().any(|e| e.name == name), "{} has no event {name}", dialect.id());
                }
            }
        }
    }
}
