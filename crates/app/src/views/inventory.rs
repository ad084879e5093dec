//! The settings files of every agent, in the agent's order: what each file contributes, the effective switches, and
//! files that look like settings but are not read.

use std::collections::{BTreeMap, HashSet};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::session::{AgentState, Session};
use hookbench_core::config::{LayerFile, LayerState, LoadedConfig, Switch};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::names::AgentId;
use hookbench_core::plan::RungName;
use hookbench_core::text::{Span, pluralize, replace_lookalikes, stringify};

/// One agent's files.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFiles {
    pub agent: AgentId,
    pub name: &'static str,
    /// The version with its basis, as text.
    pub version: String,
    pub counts: InstalledHookCounts,
    /// The reason why the agent would not start at all, and its location.
    pub refused: Option<(String, Option<FileLocation>)>,
    pub layers: Vec<LayerRow>,
    pub switches: Vec<SwitchRow>,
    pub ignored_files: Vec<IgnoredFileRow>,
}

/// The number of hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InstalledHookCounts {
    /// Hooks written in files that the agent knows.
    pub installed: usize,
    /// Installed hooks that events can start.
    pub active: usize,
    /// Installed hooks that wait for the user's trust.
    pub review: usize,
}

/// A location in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
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
    pub message: Option<String>,
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
    pub action: String,
    pub location: FileLocation,
    /// The reason why no event starts it.
    pub drop_reason: Option<String>,
    /// Whether it waits for the user's trust.
    pub needs_review: bool,
}

/// A setting that turns hooks on or off.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchRow {
    pub name: String,
    pub value: String,
    /// The file or variable that sets it; `None` if it is not set and this value is the default.
    pub set_by: Option<String>,
    pub message: String,
    pub location: Option<FileLocation>,
}

/// A file that looks like settings but is not read.
#[derive(Debug, Clone, PartialEq)]
pub struct IgnoredFileRow {
    pub file: String,
    pub message: String,
}

/// The files of all agents whose configuration is loaded. A file that one agent reads is not listed as unread for
/// the others.
pub fn inventory(session: &Session) -> Vec<AgentFiles> {
    let loaded = session.agents().iter().filter_map(|agent| agent.loaded.as_ref());
    let read: HashSet<&str> = loaded.flat_map(|l| l.existing_layers()).map(|layer| layer.path.as_str()).collect();
    let place = &session.place();
    let mut all: Vec<AgentFiles> = session.agents().iter().filter_map(agent_files).collect();
    for agent in &mut all {
        agent.ignored_files.retain(|row| !read.contains(place.absolute(&place.project, &row.file).as_str()));
    }
    all
}

/// The files of one agent. `None` while its configuration is not loaded.
pub(crate) fn agent_files(agent: &AgentState) -> Option<AgentFiles> {
    let loaded = agent.loaded.as_ref()?;
    Some(AgentFiles {
        agent: agent.dialect.id(),
        name: agent.dialect.name(),
        version: agent.version_words(),
        counts: counts(loaded),
        refused: loaded.refusal.as_ref().map(|r| (r.message.clone(), r.span.map(|span| location(loaded, span)))),
        layers: loaded.layers.iter().map(|layer| layer_row(loaded, layer)).collect(),
        switches: loaded.switches.iter().map(|switch| switch_row(loaded, switch)).collect(),
        ignored_files: loaded
            .ignored_files
            .iter()
            .map(|file| IgnoredFileRow { file: file.file.clone(), message: file.advice() })
            .collect(),
    })
}

/// Counts the hooks of an agent.
pub fn counts(loaded: &LoadedConfig) -> InstalledHookCounts {
    let all = &loaded.definitions;
    let stopped = loaded.refusal.is_some();
    InstalledHookCounts {
        installed: all.len(),
        active: if stopped { 0 } else { all.iter().filter(|d| d.rejection.is_none()).count() },
        review: all.iter().filter(|d| needs_review(d)).count(),
    }
}

fn needs_review(definition: &HookDefinition) -> bool {
    definition.rejection.as_ref().is_some_and(|refused| refused.rung == RungName::Trusted)
}

fn location(loaded: &LoadedConfig, span: Span) -> FileLocation {
    let start = loaded.sources.start(span);
    FileLocation {
        path: loaded.sources.path(span.source).to_owned(),
        file: loaded.sources.name(span.source).to_owned(),
        line: start.line,
        column: start.column,
    }
}

fn layer_row(loaded: &LoadedConfig, layer: &LayerFile) -> LayerRow {
    let of = loaded.definitions.iter().filter(|d| d.provenance.file == layer.file && d.provenance.layer == layer.layer);
    LayerRow {
        layer: layer.layer.word(),
        file: layer.file.clone(),
        path: layer.path.clone(),
        state: layer.state,
        message: layer.message.clone(),
        bundle: layer.bundle.clone(),
        hooks: of.map(|definition| hook_row(loaded, definition)).collect(),
    }
}

fn hook_row(loaded: &LoadedConfig, definition: &HookDefinition) -> HookRow {
    HookRow {
        id: definition.id.clone(),
        event: definition.event.clone(),
        matcher: replace_lookalikes(&definition.matcher_text()).into_owned(),
        label: definition.label(),
        action: match &definition.handler {
            Handler::Command(command) => std::iter::once(&command.command)
                .chain(command.args.iter().flatten())
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
            other => other.text(),
        },
        location: location(loaded, definition.provenance.span),
        drop_reason: definition.rejection.as_ref().map(|refused| refused.message.clone()),
        needs_review: needs_review(definition),
    }
}

fn switch_row(loaded: &LoadedConfig, switch: &Switch) -> SwitchRow {
    let value = match &switch.value {
        Value::String(text) => text.clone(),
        other => stringify(other),
    };
    SwitchRow {
        name: switch.name.clone(),
        value,
        set_by: switch.set_by.clone(),
        message: switch.message.clone(),
        location: switch.span.map(|span| location(loaded, span)),
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

/// A file that several agents read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SharedFileDoc"))]
pub struct SharedFile {
    pub file: String,
    #[serde(skip)]
    pub path: String,
    pub readers: Vec<SharedFileReader>,
    /// The hooks that run in some of the agents only. Empty if an agent skips the file.
    pub differences: Vec<DivergentHook>,
}

/// One of the agents that read a shared file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SharedFileReaderDoc"))]
pub struct SharedFileReader {
    /// The display name of the agent.
    #[serde(rename = "agent")]
    pub name: &'static str,
    pub uses_it: bool,
    // `4 hooks, 3 active`, or the reason why the agent skips the file.
    #[serde(rename = "says")]
    pub message: String,
}

/// A hook that runs in some of the agents that read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DivergentHookDoc"))]
pub struct DivergentHook {
    pub line: u32,
    pub event: String,
    #[serde(rename = "name")]
    pub label: String,
    /// By the display name of the agent: `runs it`, or why it does not.
    #[serde(serialize_with = "sorted_by_name")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<&'static str, String>"))]
    pub agents: Vec<(&'static str, String)>,
}

fn sorted_by_name<S: Serializer>(agents: &[(&'static str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(agents.iter().map(|(name, says)| (name, says)).collect::<BTreeMap<_, _>>())
}

/// The files with hooks that several of these agents read.
pub fn shared_files(agents: &[AgentFiles]) -> Vec<SharedFile> {
    let mut found: Vec<SharedFile> = Vec::new();
    for layer in agents.iter().flat_map(|agent| &agent.layers) {
        let known = found.iter().any(|shared| shared.path == layer.path);
        if let Some(shared) = shared_file(agents, &layer.path).filter(|_| !known) {
            found.push(shared);
        }
    }
    found
}

/// A file, if several agents read it and it has hooks.
pub fn shared_file(agents: &[AgentFiles], path: &str) -> Option<SharedFile> {
    let read = |layer: &&LayerRow| layer.path == path && layer.state != LayerState::Absent;
    let readers: Vec<(&AgentFiles, &LayerRow)> =
        agents.iter().filter_map(|agent| Some((agent, agent.layers.iter().find(read)?))).collect();
    let [(_, first), _, ..] = readers.as_slice() else { return None };
    if readers.iter().all(|(_, layer)| layer.hooks.is_empty()) {
        return None;
    }
    let uses_it = |layer: &LayerRow| layer.state == LayerState::Read;
    let differences = if readers.iter().all(|(_, layer)| uses_it(layer)) { differences(&readers) } else { Vec::new() };
    let reader = |(agent, layer): &(&AgentFiles, &LayerRow)| SharedFileReader {
        name: agent.name,
        uses_it: uses_it(layer),
        message: message(layer),
    };
    Some(SharedFile {
        file: first.file.clone(),
        path: path.to_owned(),
        readers: readers.iter().map(reader).collect(),
        differences,
    })
}

fn message(layer: &LayerRow) -> String {
    match (layer.state, &layer.message) {
        (LayerState::Read, _) => {
            let active = layer.hooks.iter().filter(|hook| hook.drop_reason.is_none()).count();
            format!("{}, {active} active", pluralize(layer.hooks.len(), "hook"))
        }
        (_, Some(why)) => why.clone(),
        (state, None) => state_word(state).to_owned(),
    }
}

/// The hooks that are active in some of the agents only, in the order of the file.
fn differences(readers: &[(&AgentFiles, &LayerRow)]) -> Vec<DivergentHook> {
    let mut places: Vec<(u32, u32)> = Vec::new();
    let all = readers.iter().flat_map(|(_, layer)| &layer.hooks).map(|hook| (hook.location.line, hook.location.column));
    places.extend(all);
    places.sort_unstable();
    places.dedup();
    let of = |(line, column): (u32, u32)| -> Option<DivergentHook> {
        let same = |hook: &&HookRow| (hook.location.line, hook.location.column) == (line, column);
        let hooks: Vec<(&str, Option<&HookRow>)> =
            readers.iter().map(|(agent, layer)| (agent.name, layer.hooks.iter().find(same))).collect();
        let active = |hook: Option<&HookRow>| hook.is_some_and(|hook| hook.drop_reason.is_none());
        let first = active(hooks.first()?.1);
        let shown = hooks.iter().find_map(|(_, hook)| *hook)?;
        if hooks.iter().all(|(_, hook)| active(*hook) == first) {
            return None;
        }
        let does = |(agent, layer): &(&AgentFiles, &LayerRow)| {
            let says = match layer.hooks.iter().find(same) {
                None => "does not know it".to_owned(),
                Some(hook) => hook.drop_reason.clone().unwrap_or_else(|| "runs it".to_owned()),
            };
            (agent.name, says)
        };
        Some(DivergentHook {
            line,
            event: shown.event.clone(),
            label: shown.label.clone(),
            agents: readers.iter().map(does).collect(),
        })
    };
    places.into_iter().filter_map(of).collect()
}
