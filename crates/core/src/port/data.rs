//! The embedded mapping of events and its structure. The build script writes it as constants, because parsing it would
//! take time at each start.

use serde_json::{Map, Value};

use crate::dialects;

include!(concat!(env!("OUT_DIR"), "/events.rs"));

/// Words by agent id, for the agents that have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentWords(pub &'static [(&'static str, &'static str)]);

impl AgentWords {
    /// Returns the word of an agent.
    pub fn get(&self, agent: &str) -> Option<&'static str> {
        self.0.iter().find(|(id, _)| *id == agent).map(|(_, word)| *word)
    }

    /// Returns the words.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.0.iter().map(|(_, word)| *word)
    }
}

/// The events of all agents, mapped to each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventMapping {
    /// Increased with every change of the file.
    pub version: u32,
    /// The date of the last check against the agents.
    pub checked_on: &'static str,
    /// The events, in display order.
    pub rows: &'static [MappedEvent],
    pub agents: &'static [AgentKeys],
    /// Keys whose values belong to one agent, such as the path of its transcript.
    pub own: &'static [&'static str],
    /// Keys with different names.
    pub keys: &'static [KeyRow],
    /// Values with different names.
    pub values: &'static [ValueRow],
    /// Tool inputs with different keys.
    pub tools: &'static [ToolInputRow],
}

/// An event under an agent-independent name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedEvent {
    pub canonical: &'static str,
    pub about: &'static str,
    /// Other spellings in common use, for all agents.
    pub spellings: &'static [&'static str],
    /// The name in each agent. If this is empty, the name occurs only in old documents and no agent has the event.
    pub events: AgentWords,
    /// The nearest event, for agents that do not have this one.
    pub nearest: AgentWords,
}

impl MappedEvent {
    /// Whether the event is about a call of a tool.
    pub fn has_tool(&self) -> bool {
        self.canonical.contains("tool_use") || self.canonical.starts_with("permission")
    }
}

/// The specifics of one agent's payloads.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentKeys {
    pub id: &'static str,
    /// Common keys that it sends only sometimes.
    pub sometimes: &'static [&'static str],
    /// The key of an object with the own keys of each event. Rows of keys name those as `object.key`.
    pub nested: Option<&'static str>,
    pub mcp: Option<McpKeys>,
    pub response: ToolResponseForm,
}

/// The keys in which a payload names the MCP server of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpKeys {
    pub key: &'static str,
    pub server: &'static str,
    /// The key of the tool's own name, for agents whose tool names do not contain it unambiguously.
    pub tool: Option<&'static str>,
}

/// The form of a tool's response.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResponseForm {
    /// The tools with this form of response. Empty for all tools.
    pub tools: &'static [&'static str],
    /// The payload key of the response. `None` if it is `tool_response`.
    pub key: Option<&'static str>,
    /// The key of the text. `None` if the response is the text itself.
    pub text: Option<&'static str>,
    /// A key with a copy of the text.
    pub copy: Option<&'static str>,
    /// An empty response, as JSON.
    whole: &'static str,
}

impl ToolResponseForm {
    /// Returns an empty response.
    pub fn empty(&self) -> Value {
        serde_json::from_str(self.whole).unwrap_or_default()
    }
}

/// A key with different names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub canonical: &'static str,
    /// The only event that this row applies to.
    pub event: Option<&'static str>,
    pub keys: AgentWords,
}

/// Values of a key with different names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueRow {
    pub key: &'static str,
    /// The only event that this row applies to.
    pub event: Option<&'static str>,
    pub words: &'static [AgentWords],
    /// The word that an agent uses for all other values.
    pub otherwise: AgentWords,
}

/// The input of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInputRow {
    /// The tool's row in the catalogue.
    pub canonical: &'static str,
    pub fields: &'static [AgentWords],
    /// Keys that an agent's tool always gets, with default values, as JSON.
    needs: AgentWords,
    /// The key of the patch text, for agents whose tool takes a patch.
    pub patch: AgentWords,
}

/// Returns the embedded mapping.
pub fn mapping() -> &'static EventMapping {
    &EVENTS
}

impl ToolInputRow {
    /// Returns the keys that an agent's tool always gets, with default values.
    pub fn needs(&self, agent: &str) -> Map<String, Value> {
        self.needs.get(agent).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }
}

impl MappedEvent {
    /// Whether a released agent has the event.
    pub fn is_in_released_agent(&self) -> bool {
        dialects::ALL.iter().any(|dialect| self.events.get(dialect.id().as_str()).is_some())
    }

    /// The message for an event that no agent has.
    pub fn no_agent_message(&self) -> String {
        let mut nearest: Vec<&str> = self.nearest.words().collect();
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
    /// Returns the row of an agent's event, in any spelling of the agent.
    pub fn row_of(&self, agent: &str, event: &str) -> Option<&MappedEvent> {
        let event = dialects::by_id(agent).map_or(event, |dialect| dialect.main_spelling(event));
        self.rows.iter().find(|row| row.events.get(agent) == Some(event))
    }

    /// Returns the row of an agent-independent name or of another spelling of it.
    pub fn row(&self, name: &str) -> Option<&MappedEvent> {
        self.rows.iter().find(|row| row.canonical == name || row.spellings.contains(&name))
    }

    /// Returns the specifics of an agent.
    pub fn agent(&self, id: &str) -> Option<&AgentKeys> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// Returns the payload key under which an agent sends the response of a tool.
    pub fn response_key(&self, id: &str) -> &str {
        self.agent(id).and_then(|agent| agent.response.key).unwrap_or("tool_response")
    }

    /// Returns the row of a payload key of an agent on this event.
    pub fn key_row(&self, agent: &str, event: &str, key: &str) -> Option<&KeyRow> {
        let here = |row: &&KeyRow| row.event.is_none_or(|only| only == event);
        self.keys.iter().filter(here).find(|row| row.keys.get(agent) == Some(key))
    }

    /// Returns the row of a key's values on this event.
    pub fn value_row(&self, event: &str, key: &str) -> Option<&ValueRow> {
        self.values.iter().find(|row| row.key == key && row.event.is_none_or(|only| only == event))
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
        let all = mapping();
        assert!(all.version > 0 && all.checked_on.len() == 10);
        let every = || dialects::released().chain(dialects::SPECIFIED.iter().copied());
        let agents: BTreeSet<&str> = every().map(|d| d.id().as_str()).collect();
        let known = |words: &AgentWords| words.0.iter().all(|(id, _)| agents.contains(id));
        let mut names = BTreeSet::new();
        for row in all.rows {
            for name in std::iter::once(&row.canonical).chain(row.spellings) {
                assert!(names.insert(name), "{name} means one row");
            }
            assert!(known(&row.events) && known(&row.nearest), "{}", row.canonical);
            assert!(!row.events.0.is_empty() || !row.nearest.0.is_empty(), "{}", row.canonical);
        }
        assert!(all.keys.iter().all(|row| known(&row.keys)));
        assert!(all.values.iter().all(|row| row.words.iter().all(known) && known(&row.otherwise)));
        let rows = all.keys.iter().map(|k| k.event).chain(all.values.iter().map(|v| v.event));
        assert!(rows.flatten().all(|event| all.row(event).is_some()));
        for tool in all.tools {
            assert!(catalogue().row(tool.canonical).is_some(), "{}", tool.canonical);
            assert!(tool.fields.iter().all(known) && known(&tool.patch), "{}", tool.canonical);
        }
        assert_eq!(all.agents.iter().map(|a| a.id).collect::<BTreeSet<_>>(), agents);
    }

    /// Every event of every agent is in exactly one row, and the rows contain no other events.
    #[test]
    fn every_event_is_mapped() {
        for dialect in dialects::ALL {
            let events = dialect.events(&dialects::default_version(dialect));
            for event in &events {
                let rows = mapping().rows.iter().filter(|r| r.events.get(dialect.id().as_str()) == Some(event.name));
                assert_eq!(rows.count(), 1, "{}: {}", dialect.id(), event.name);
            }
            for row in mapping().rows {
                let (own, near) = (row.events.get(dialect.id().as_str()), row.nearest.get(dialect.id().as_str()));
                assert!(own.is_none() || near.is_none(), "{}: {} needs no nearest", dialect.id(), row.canonical);
                for name in own.into_iter().chain(near) {
                    assert!(events.iter().any(|e| e.name == name), "{} has no event {name}", dialect.id());
                }
            }
        }
    }
}
