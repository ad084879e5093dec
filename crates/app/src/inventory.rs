//! What every agent looks at: its files in its own order, what each of them contributes, the switches that count, and what
//! looks like settings and is not read.

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
    /// With what that rests on.
    pub version: String,
    pub counts: Counts,
    /// Why it would not start at all, and where that is written.
    pub refused: Option<(String, Option<Spot>)>,
    pub layers: Vec<LayerRow>,
    pub switches: Vec<SwitchRow>,
    pub not_read: Vec<NotReadRow>,
}

/// How many hooks there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Written in files that the agent knows.
    pub installed: usize,
    /// Of these, those that events can start.
    pub active: usize,
    /// Of these, those that wait for the user's trust.
    pub review: usize,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// As opened.
    pub path: String,
    /// As shown.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    pub column: u32,
}

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerRow {
    pub layer: &'static str,
    pub file: String,
    pub path: String,
    pub state: LayerState,
    pub says: Option<String>,
    /// The plugin, extension, skill or sub-agent that brings it.
    pub bundle: Option<String>,
    pub hooks: Vec<HookRow>,
}

/// One hook that a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRow {
    pub id: String,
    pub event: String,
    pub matcher: String,
    /// What to call it.
    pub label: String,
    /// What it runs.
    pub runs: String,
    pub spot: Spot,
    /// Why no event starts it.
    pub dropped: Option<String>,
    /// It waits for the user's trust.
    pub review: bool,
}

/// A setting that turns hooks on or off.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchRow {
    pub name: String,
    pub value: String,
    /// The file or variable that says so; none: nobody does, and this is what then counts.
    pub set_by: Option<String>,
    pub says: String,
    pub spot: Option<Spot>,
}

/// Something that looks like settings.
#[derive(Debug, Clone, PartialEq)]
pub struct NotReadRow {
    pub file: String,
    pub says: String,
}

/// Everything that is known of the files of all agents that have read theirs. What one of them reads is no dead file,
/// whatever the others say of it.
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

/// How many hooks an agent has.
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

/// The word of the contract.
pub fn state_word(state: LayerState) -> &'static str {
    match state {
        LayerState::Read => "read",
        LayerState::Absent => "absent",
        LayerState::Broken => "broken",
        LayerState::Untrusted => "untrusted",
        LayerState::Off => "off",
    }
}
