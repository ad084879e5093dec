//! `events`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::core::config::Place;
use crate::core::dialects::{Dialect, Version};
use crate::core::hook::EventSpec;

/// The events of some agents.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EventsDoc {
    /// `events/1`.
    pub schema: &'static str,
    pub agents: Vec<AgentEventsDoc>,
}

/// The events of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentEventsDoc {
    pub agent: String,
    pub version: String,
    pub events: Vec<EventDoc>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EventDoc {
    pub event: String,
    pub about: String,
    /// The key that matchers look at; null: matchers are ignored.
    pub subject: Option<String>,
    pub subjects: Vec<String>,
    pub fields: Vec<FieldDoc>,
    pub honours: Vec<String>,
    /// What does not happen when a hook blocks; null: nothing can be blocked.
    pub blocks: Option<String>,
    pub exit_2: String,
    pub templates: Vec<TemplateDoc>,
}

/// One key of a payload.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FieldDoc {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub optional: bool,
    pub values: Vec<String>,
}

/// A ready payload.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TemplateDoc {
    pub label: String,
    pub payload: Value,
}

/// The events of these agents; with `only`, that one event.
pub fn events_doc(agents: &[(&'static dyn Dialect, Version)], place: &Place, only: Option<&str>) -> EventsDoc {
    let agents = agents
        .iter()
        .map(|(dialect, version)| AgentEventsDoc {
            agent: dialect.id().to_owned(),
            version: version.to_string(),
            events: dialect
                .events(version)
                .into_iter()
                .filter(|e| only.is_none_or(|name| e.name == name))
                .map(|event| event_doc(*dialect, version, event, place))
                .collect(),
        })
        .collect();
    EventsDoc { schema: "events/1", agents }
}

fn event_doc(dialect: &dyn Dialect, version: &Version, event: &EventSpec, place: &Place) -> EventDoc {
    let texts = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    EventDoc {
        event: event.name.to_owned(),
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
        honours: texts(event.honours),
        blocks: event.blocks.map(str::to_owned),
        exit_2: event.exit_2.to_owned(),
        templates: dialect
            .examples(event, place, version)
            .into_iter()
            .map(|e| TemplateDoc { label: e.label, payload: e.body })
            .collect(),
    }
}
