//! The settings files of every agent, in the agent's order: what each file contributes, the effective switches, and
//! files that look like settings but are not read.

use serde_json::Value;

use super::session::{AgentState, Session};
use hookbench_core::config::{LayerFile, LayerState, Loaded, Switch};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::plan::RungName;
use hookbench_core::text::{Span, stringify};

/// One agent's files.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFiles {
    pub agent: &'static str,
    pub name: &'static str,
    /// The version with its basis, as text.
    pub version: String,
    pub counts: Counts,
    /// The reason why the agent would not start at all, and its location.
    pub refused: Option<(String, Option<Spot>)>,
    pub layers: Vec<LayerRow>,
    pub switches: Vec<SwitchRow>,
    pub not_read: Vec<NotReadRow>,
}

/// The number of hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Hooks written in files that the agent knows.
    pub installed: usize,
    /// Installed hooks that events can start.
    pub active: usize,
    /// Installed hooks that wait for the user's trust.
    pub review: usize,
}

/// A location in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The path to open.
    pub path: String,
    /// The path to display.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    pub column: u32,
}

/// One settings file.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerRow {
    pub layer: &'static str,
    pub file: String,
    pub path: String,
    pub state: LayerState,
    pub says: Option<String>,
    /// The plugin, extension, skill or sub-agent that contributes this file.
    pub bundle: Option<String>,
    pub hooks: Vec<HookRow>,
}

/// One hook in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRow {
    pub id: String,
    pub event: String,
    pub matcher: String,
    /// The display name.
    pub label: String,
    /// The command or other action.
    pub runs: String,
    pub spot: Spot,
    /// The reason why no event starts it.
    pub dropped: Option<String>,
    /// Whether it waits for the user's trust.
    pub review: bool,
}

/// A setting that turns hooks on or off.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchRow {
    pub name: String,
    pub value: String,
    /// The file or variable that sets it; `None` if it is not set and this value is the default.
    pub set_by: Option<String>,
    pub says: String,
    pub spot: Option<Spot>,
}

/// A file that looks like settings but is not read.
#[derive(Debug, Clone, PartialEq)]
pub struct NotReadRow {
    pub file: String,
    pub says: String,
}

/// The files of all agents whose configuration is loaded. A file that one agent reads is not listed as unread for
/// the others.
pub fn inventory(session: &Session) -> Vec<AgentFiles> {
    let read = session.files_in_use();
    let place = &session.place;
    let mut all: Vec<AgentFiles> = session.agents.iter().filter_map(agent_files).collect();
    for agent in &mut all {
        agent.not_read.retain(|row| !read.contains(place.absolute(&place.project, &row.file).as_str()));
    }
    all
}

fn agent_files(agent: &AgentState) -> Option<AgentFiles> {
    let loaded = agent.loaded.as_ref()?;
    Some(AgentFiles {
        agent: agent.dialect.id(),
        name: agent.dialect.name(),
        version: agent.version_words(),
        counts: counts(loaded),
        refused: loaded.refused.as_ref().map(|r| (r.says.clone(), r.span.map(|span| spot(loaded, span)))),
        layers: loaded.layers.iter().map(|layer| layer_row(loaded, layer)).collect(),
        switches: loaded.switches.iter().map(|switch| switch_row(loaded, switch)).collect(),
        not_read: loaded
            .not_loaded
            .iter()
            .map(|file| NotReadRow { file: file.file.clone(), says: file.says.clone() })
            .collect(),
    })
}

/// Counts the hooks of an agent.
pub fn counts(loaded: &Loaded) -> Counts {
    let all = &loaded.definitions;
    let stopped = loaded.refused.is_some();
    Counts {
        installed: all.len(),
        active: if stopped { 0 } else { all.iter().filter(|d| d.refused.is_none()).count() },
        review: all.iter().filter(|d| waits(d)).count(),
    }
}

fn waits(definition: &HookDefinition) -> bool {
    definition.refused.as_ref().is_some_and(|refused| refused.rung == RungName::Trusted)
}

fn spot(loaded: &Loaded, span: Span) -> Spot {
    let start = loaded.sources.start(span);
    Spot {
        path: loaded.sources.path(span.source).to_owned(),
        file: loaded.sources.name(span.source).to_owned(),
        line: start.line,
        column: start.column,
    }
}

fn layer_row(loaded: &Loaded, layer: &LayerFile) -> LayerRow {
    let of = loaded.definitions.iter().filter(|d| d.from.file == layer.file && d.from.layer == layer.layer);
    LayerRow {
        layer: layer.layer.word(),
        file: layer.file.clone(),
        path: layer.path.clone(),
        state: layer.state,
        says: layer.says.clone(),
        bundle: layer.bundle.clone(),
        hooks: of.map(|definition| hook_row(loaded, definition)).collect(),
    }
}

fn hook_row(loaded: &Loaded, definition: &HookDefinition) -> HookRow {
    HookRow {
        id: definition.id.clone(),
        event: definition.event.clone(),
        matcher: definition.matcher_text(),
        label: definition.label(),
        runs: match &definition.handler {
            Handler::Command(command) => std::iter::once(&command.command)
                .chain(command.args.iter().flatten())
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
            other => other.text(),
        },
        spot: spot(loaded, definition.from.span),
        dropped: definition.refused.as_ref().map(|refused| refused.says.clone()),
        review: waits(definition),
    }
}

fn switch_row(loaded: &Loaded, switch: &Switch) -> SwitchRow {
    let value = match &switch.value {
        Value::String(text) => text.clone(),
        other => stringify(other),
    };
    SwitchRow {
        name: switch.name.clone(),
        value,
        set_by: switch.set_by.clone(),
        says: switch.says.clone(),
        spot: switch.span.map(|span| spot(loaded, span)),
    }
}

/// The word for a layer's state in the JSON documents.
pub fn state_word(state: LayerState) -> &'static str {
    match state {
        LayerState::Read => "read",
        LayerState::Absent => "absent",
        LayerState::Broken => "broken",
        LayerState::Untrusted => "untrusted",
        LayerState::Off => "off",
    }
}
