//! Agents that are not listed here, because they are neither installed nor have settings of their own, and that would
//! read a settings file of a listed agent.

use super::Session;
use hookbench_core::config::{LayerFile, LayerState, LoadedConfig};
use hookbench_core::dialects::{self, default_version};
use hookbench_core::names::AgentId;

/// An agent that is not listed and reads a file of a listed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedReader {
    pub agent: AgentId,
    pub name: &'static str,
    /// The file with hooks, as displayed.
    pub file: String,
}

impl Session {
    /// The released agents that are not listed, because they are not in use here.
    pub fn unlisted_agents(&self) -> impl Iterator<Item = &'static dyn dialects::Dialect> {
        let listed: Vec<AgentId> = self.agents().iter().map(|agent| agent.dialect.id()).collect();
        dialects::released().filter(move |dialect| !listed.contains(&dialect.id()))
    }

    /// The agents that are not listed and would run hooks of a file that a listed agent reads. Reads their settings.
    pub fn unlisted_readers(&self) -> Vec<UnlistedReader> {
        let known = |path: &str| {
            let mut loaded = self.agents().iter().filter_map(|agent| agent.loaded.as_ref());
            loaded.any(|loaded| loaded.existing_layers().any(|layer| layer.path == path))
        };
        let place = self.place().as_trusted();
        let reader = |dialect: &'static dyn dialects::Dialect| {
            let loaded = dialect.load(&place, self.files.as_ref(), &default_version(dialect));
            let file = loaded.layers.iter().find(|layer| known(&layer.path) && has_hooks(&loaded, layer))?;
            Some(UnlistedReader { agent: dialect.id(), name: dialect.name(), file: file.file.clone() })
        };
        self.unlisted_agents().filter_map(reader).collect()
    }
}

/// Whether the agent runs a hook of this file.
fn has_hooks(loaded: &LoadedConfig, file: &LayerFile) -> bool {
    let is_here = |source| loaded.sources.path(source) == file.path;
    file.state == LayerState::Read
        && loaded.definitions.iter().any(|d| d.rejection.is_none() && is_here(d.provenance.span.source))
}
