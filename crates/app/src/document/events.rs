//! The document of `events`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::hook::EventSpec;
use hookbench_core::port::{AgentWords, MappedEvent, mapping};

/// The events of one or more agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventsDoc {
    /// `events/1`.
    pub schema: &'static str,
    /// The version of the event mapping.
    pub version: u32,
    /// The day when the mapping was last checked against the agents.
    pub checked_on: String,
    /// Each event under an agent-neutral name, with the name that each agent uses.
    pub mapping: Vec<MappingDoc>,
    /// Payload keys whose names differ between agents; all other corresponding keys have the same name.
    pub keys: Vec<KeyDoc>,
    pub agents: Vec<AgentEventsDoc>,
}

/// One event across all agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MappingDoc {
    /// The agent-neutral name.
    pub canonical: String,
    pub about: String,
    /// By agent id; agents without the event are omitted.
    pub events: BTreeMap<String, String>,
    /// For agents without the event, the nearest event that they have, if any.
    pub nearest: BTreeMap<String, String>,
}

/// One payload key across all agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyDoc {
    pub canonical: String,
    /// The only event that this applies to; null for all events.
    pub event: Option<String>,
    /// By agent id.
    pub keys: BTreeMap<String, String>,
}

/// The events of one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentEventsDoc {
    pub agent: String,
    pub version: String,
    pub events: Vec<EventDoc>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventDoc {
    pub event: String,
    /// The name of its row in `mapping`.
    pub canonical: Option<String>,
    pub about: String,
    /// The payload key that matchers are compared with; null if matchers are ignored.
    pub subject: Option<String>,
    pub subjects: Vec<String>,
    pub fields: Vec<FieldDoc>,
    pub honours: Vec<String>,
    /// The action that a blocking hook prevents; null if nothing can be blocked.
    pub blocks: Option<String>,
    pub exit_2: String,
    pub templates: Vec<TemplateDoc>,
}

/// One key of a payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldDoc {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub optional: bool,
    pub values: Vec<String>,
}

/// An example payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TemplateDoc {
    pub label: String,
    pub payload: Value,
}

/// Builds the document of the agents' events. With `only`, it contains that event and its counterparts; an
/// agent-neutral name selects the corresponding event of each agent.
pub fn events_doc(agents: &[(&'static Agent, Version)], place: &Place, only: Option<&str>) -> EventsDoc {
    let all = mapping();
    let row = only.and_then(|name| all.row(name));
    let meant = |dialect: &Agent, event: &EventSpec| match (only, row) {
        (None, _) => true,
        (Some(_), Some(row)) => row.events.get(dialect.id().as_str()).is_some_and(|own| own == event.name),
        (Some(name), None) => dialect.is_same_event(event.name, name),
    };
    let agents: Vec<AgentEventsDoc> = agents
        .iter()
        .map(|(dialect, version)| AgentEventsDoc {
            agent: dialect.id().to_string(),
            version: version.to_string(),
            events: dialect
                .events(version)
                .into_iter()
                .filter(|e| meant(dialect, e))
                .map(|event| event_doc(dialect, version, event, place))
                .collect(),
        })
        .collect();
    let shown = |row: &&MappedEvent| {
        let in_row = |e: &EventDoc| e.canonical.as_deref() == Some(row.canonical);
        only.is_none() || agents.iter().flat_map(|a| &a.events).any(in_row)
    };
    // An agent that was never released appears only where it is requested.
    let listed = |id: &str| {
        let requested = agents.iter().any(|of| of.agent == id);
        requested || dialects::by_id(id).is_some_and(Agent::is_released)
    };
    let rows: Vec<MappingDoc> = all.rows.iter().filter(shown).map(|row| mapping_doc(row, &listed)).collect();
    let keys = all.keys.iter().map(|row| KeyDoc {
        canonical: row.canonical.to_owned(),
        event: row.event.map(str::to_owned),
        keys: listed_words(&row.keys, &listed),
    });
    EventsDoc {
        schema: "events/1",
        version: all.version,
        checked_on: all.checked_on.to_owned(),
        mapping: rows,
        keys: keys.collect(),
        agents,
    }
}

/// The words of the agents that are listed.
fn listed_words(words: &AgentWords, listed: &dyn Fn(&str) -> bool) -> BTreeMap<String, String> {
    words.0.iter().filter(|(id, _)| listed(id)).map(|(id, word)| ((*id).to_owned(), (*word).to_owned())).collect()
}

fn mapping_doc(row: &MappedEvent, listed: &dyn Fn(&str) -> bool) -> MappingDoc {
    MappingDoc {
        canonical: row.canonical.to_owned(),
        about: row.about.to_owned(),
        events: listed_words(&row.events, listed),
        nearest: listed_words(&row.nearest, &|_| true),
    }
}

fn event_doc(dialect: &Agent, version: &Version, event: &EventSpec, place: &Place) -> EventDoc {
    let texts = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    EventDoc {
        event: event.name.to_owned(),
        canonical: mapping().row_of(dialect.id().as_str(), event.name).map(|row| row.canonical.to_owned()),
        about: event.about.to_owned(),
        subject: event.subject.map(str::to_owned),
        subjects: texts(event.subjects),
        fields: event
            .fields
            .iter()
            .map(|f| FieldDoc {
                name: f.name.to_owned(),
                kind: f.kind.to_owned(),
                optional: f.optional,
                values: texts(f.values),
            })
            .collect(),
        honours: texts(event.honoured_output),
        blocks: event.blockable_action.map(str::to_owned),
        exit_2: event.exit_2.to_owned(),
        templates: dialect
            .examples(event, place, version)
            .into_iter()
            .map(|e| TemplateDoc { label: e.label, payload: dialect.sent_payload(event.name, &e.body) })
            .collect(),
    }
}
