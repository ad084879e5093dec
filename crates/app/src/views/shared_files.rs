//! Settings files that several agents read, and the hooks that only some of them run.

use super::inventory::{AgentFiles, HookRow, LayerRow};
use hookbench_core::config::LayerState;
use hookbench_core::text::pluralize;

/// A file that several agents read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFile {
    pub file: String,
    /// The path of the file.
    pub path: String,
    pub readers: Vec<SharedFileReader>,
    /// The hooks that run in some of the agents only. Empty if an agent skips the file.
    pub differences: Vec<DivergentHook>,
}

/// An agent that reads a shared file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFileReader {
    pub name: &'static str,
    /// Whether it uses the file.
    pub uses_it: bool,
    /// `4 hooks, 3 active`, or the reason why the agent skips the file.
    pub message: String,
}

/// A hook of a shared file that runs in some of the agents only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DivergentHook {
    pub line: u32,
    pub event: String,
    pub label: String,
    /// The name of each agent, with `runs it` or the reason why it does not run the hook.
    pub agents: Vec<(&'static str, String)>,
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
        (state, None) => super::inventory::state_word(state).to_owned(),
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
