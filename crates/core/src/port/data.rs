//! The embedded mapping file and its structure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::dialects;

const FILE: &str = include_str!("../../../../assets/data/events.json");

/// Words by agent id, for the agents that have one.
pub type AgentWords = BTreeMap<String, String>;

/// The events of all agents, mapped to each other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventMapping {
    /// Increased with every change of the file.
    pub version: u32,
    /// The date of the last check against the agents.
    pub checked_on: String,
    /// The events, in display order.
    pub rows: Vec<MappedEvent>,
    pub agents: Vec<AgentKeys>,
    /// Keys whose values belong to one agent, such as the path of its transcript.
    pub own: Vec<String>,
    /// Keys with different names.
    pub keys: Vec<KeyRow>,
    /// Values with different names.
    pub values: Vec<ValueRow>,
    /// Tool inputs with different keys.
    pub tools: Vec<ToolInputRow>,
}

/// An event under an agent-independent name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappedEvent {
    pub canonical: String,
    pub about: String,
    /// Other spellings in common use, for all agents.
    #[serde(default)]
    pub spellings: Vec<String>,
    /// The name in each agent. If this is empty, the name occurs only in old documents and no agent has the event.
    #[serde(default)]
    pub events: AgentWords,
    /// The nearest event, for agents that do not have this one.
    #[serde(default)]
    pub nearest: AgentWords,
}

impl MappedEvent {
    /// Whether the event is about a call of a tool.
    pub fn has_tool(&self) -> bool {
        self.canonical.contains("tool_use") || self.canonical.starts_with("permission")
    }
}

/// The specifics of one agent's payloads.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentKeys {
    pub id: String,
    /// Common keys that it sends only sometimes.
    #[serde(default)]
    pub sometimes: Vec<String>,
    #[serde(default)]
    pub mcp: Option<McpKeys>,
    pub response: ToolResponseForm,
}

/// The keys in which a payload names the MCP server of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpKeys {
    pub key: String,
    pub server: String,
    /// The key of the tool's own name, for agents whose tool names do not contain it unambiguously.
    #[serde(default)]
    pub tool: Option<String>,
}

/// The form of a tool's response.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResponseForm {
    /// The tools with this form of response. Empty for all tools.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The key of the text. `None` if the response is the text itself.
    #[serde(default)]
    pub text: Option<String>,
    /// A key with a copy of the text.
    #[serde(default)]
    pub copy: Option<String>,
    /// An empty response.
    pub whole: Value,
}

/// A key with different names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRow {
    pub canonical: String,
    /// The only event that this row applies to.
    #[serde(default)]
    pub event: Option<String>,
    pub keys: AgentWords,
}

/// Values of a key with different names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRow {
    pub key: String,
    /// The only event that this row applies to.
    #[serde(default)]
    pub event: Option<String>,
    pub words: Vec<AgentWords>,
    /// The word that an agent uses for all other values.
    #[serde(default)]
    pub otherwise: AgentWords,
}

/// The input of a tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolInputRow {
    /// The tool's row in the catalogue.
    pub canonical: String,
    pub fields: Vec<AgentWords>,
    /// Keys that an agent's tool always gets, with default values.
    #[serde(default)]
    pub needs: BTreeMap<String, Map<String, Value>>,
    /// The key of the patch text, for agents whose tool takes a patch.
    #[serde(default)]
    pub patch: AgentWords,
}

/// Returns the embedded mapping.
pub fn mapping() -> &'static EventMapping {
    // A file that cannot be parsed would give an empty mapping. A test ensures that it can be parsed.
    static ALL: LazyLock<EventMapping> = LazyLock::new(|| serde_json::from_str(FILE).unwrap_or_default());
    &ALL
}

impl MappedEvent {
    /// Whether a released agent has the event.
    pub fn is_in_released_agent(&self) -> bool {
        dialects::ALL.iter().any(|dialect| self.events.contains_key(dialect.id().as_str()))
    }

    /// The message for an event that no agent has.
    pub fn no_agent_message(&self) -> String {
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

impl EventMapping {
    /// Returns the row of an agent's event.
    pub fn row_of(&self, agent: &str, event: &str) -> Option<&MappedEvent> {
        self.rows.iter().find(|row| row.events.get(agent).is_some_and(|own| own == event))
    }

    /// Returns the row of an agent-independent name or of another spelling of it.
    pub fn row(&self, name: &str) -> Option<&MappedEvent> {
        self.rows.iter().find(|row| row.canonical == name || row.spellings.iter().any(|spelling| spelling == name))
    }

    /// Returns the specifics of an agent.
    pub fn agent(&self, id: &str) -> Option<&AgentKeys> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// Returns the row of a payload key of an agent on this event.
    pub fn key_row(&self, agent: &str, event: &str, key: &str) -> Option<&KeyRow> {
        let here = |row: &&KeyRow| row.event.as_ref().is_none_or(|only| only == event);
        self.keys.iter().filter(here).find(|row| row.keys.get(agent).is_some_and(|own| own == key))
    }

    /// Returns the row of a key's values on this event.
    pub fn value_row(&self, event: &str, key: &str) -> Option<&ValueRow> {
        self.values.iter().find(|row| row.key == key && row.event.as_ref().is_none_or(|only| only == event))
    }

    /// Returns the input of a tool of the catalogue.
    pub fn tool(&self, canonical: &str) -> Option<&ToolInputRow> {
        self.tools.iter().find(|tool| tool.canonical == canonical)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalogue::catalogue;

    #[test]
    fn the_file_is_well_formed() {
        let all: EventMapping = serde_json::from_str(FILE).unwrap();
        assert_eq!(&all, mapping());
        assert!(all.version > 0 && all.checked_on.len() == 10);
        let every = || dialects::ALL.iter().chain(dialects::SPECIFIED);
        let agents: BTreeSet<&str> = every().map(|d| d.id().as_str()).collect();
        let known = |words: &AgentWords| words.keys().all(|id| agents.contains(id.as_str()));
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

    /// Every event of every agent is in exactly one row, and the rows contain no other events.
    #[test]
    fn every_event_is_mapped() {
        for dialect in dialects::ALL {
            let events = dialect.events(&dialects::default_version(*dialect));
            for event in &events {
                let rows = mapping()
                    .rows
                    .iter()
                    .filter(|r| r.events.get(dialect.id().as_str()).is_some_and(|e| e == event.name));
                assert_eq!(rows.count(), 1, "{}: {}", dialect.id(), event.name);
            }
            for row in &mapping().rows {
                let (own, near) = (row.events.get(dialect.id().as_str()), row.nearest.get(dialect.id().as_str()));
                assert!(own.is_none() || near.is_none(), "{}: {} needs no nearest", dialect.id(), row.canonical);
                for name in own.into_iter().chain(near) {
                    assert!(events.iter().any(|e| e.name == name), "{} has no event {name}", dialect.id());
                }
            }
        }
    }
}
