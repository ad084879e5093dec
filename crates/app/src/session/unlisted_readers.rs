//! Agents that are not listed here, because they are neither installed nor configured; and those of them
//! that would read a settings file of a listed agent.

use super::Session;
use hookbench_core::config::{LayerFile, LayerState, LoadedConfig};
use hookbench_core::dialects::{self, default_version};
use hookbench_core::names::AgentId;
use hookbench_core::text::joined_with_and;

/// An agent that is not listed and reads a file of a listed one.
struct UnlistedReader {
    agent: AgentId,
    name: &'static str,
    /// The file with hooks, as displayed.
    file: String,
}

impl UnlistedReader {
    fn reason(&self) -> String {
        format!("{} is not installed, but would read {}, too", self.name, self.file)
    }
}

impl Session {
    /// The released agents that are not listed, because they are not in use here.
    pub fn unlisted_agents(&self) -> impl Iterator<Item = &'static dialects::Agent> {
        let listed: Vec<AgentId> = self.agents().iter().map(|agent| agent.dialect.id()).collect();
        dialects::released().filter(move |dialect| !listed.contains(&dialect.id()))
    }

    /// The agents that are left out, each with the reason.
    pub fn left_out_agents(&self) -> Vec<(AgentId, String)> {
        let readers = self.unlisted_readers();
        let reason = |agent: &'static dialects::Agent| {
            let reader = readers.iter().find(|reader| reader.agent == agent.id());
            let unused = || format!("{} is not installed and not configured", agent.name());
            (agent.id(), reader.map_or_else(unused, UnlistedReader::reason))
        };
        self.unlisted_agents().map(reason).collect()
    }

    /// Says which agents are left out and why, and `how` to see one. `None` if every agent is listed.
    pub fn left_out(&self, how: &str) -> Option<String> {
        let readers = self.unlisted_readers();
        let reads = |agent: &&dialects::Agent| readers.iter().any(|reader| reader.agent == agent.id());
        let others: Vec<&str> =
            self.unlisted_agents().filter(|agent| !reads(agent)).map(|agent| agent.name()).collect();
        let reading = readers.iter().map(UnlistedReader::reason);
        let unused = match others.as_slice() {
            [] => None,
            [only] => Some(format!("{only} is not installed and not configured")),
            all => Some(format!("{} are not installed and not configured", joined_with_and(all))),
        };
        let reasons: Vec<String> = reading.chain(unused).collect();
        (!reasons.is_empty()).then(|| format!("{}; {how}", reasons.join("; ")))
    }

    /// The agents that are not listed and would run hooks of a file that a listed agent reads. Reads their settings.
    fn unlisted_readers(&self) -> Vec<UnlistedReader> {
        let known = |path: &str| {
            let mut loaded = self.agents().iter().filter_map(|agent| agent.loaded.as_ref());
            loaded.any(|loaded| loaded.existing_layers().any(|layer| layer.path == path))
        };
        let place = self.place().as_trusted();
        let reader = |dialect: &'static dialects::Agent| {
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
