//! One agent in this place: which version, what it has loaded, what it had before a file broke.

use std::sync::Arc;

use crate::core::config::{LayerState, Loaded};
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::{self, Dialect, Version};
use crate::core::hook::HookDefinition;

/// One agent in this place.
pub struct AgentState {
    pub dialect: &'static dyn Dialect,
    /// The version whose behaviour is shown.
    pub version: Version,
    /// What is installed; none: not installed, or it does not say.
    pub installed: Option<Version>,
    /// The version lies outside everything that is known.
    pub out_of_range: bool,
    pub loaded: Option<Arc<Loaded>>,
    /// Definitions of files that were readable before and are broken now.
    pub stale: Vec<HookDefinition>,
}

impl AgentState {
    /// A session for a place. `installed` says which versions were found.
    pub(super) fn new(
        dialect: &'static dyn Dialect,
        installed: Option<Version>,
        asked: Option<&Version>,
    ) -> AgentState {
        let known = |v: &Version| dialect.versions().iter().any(|range| range.contains(v));
        let wanted = asked.cloned().or_else(|| installed.clone());
        let out_of_range = wanted.as_ref().is_some_and(|v| !known(v));
        let version = wanted.filter(known).unwrap_or_else(|| dialects::default_version(dialect));
        AgentState { dialect, version, installed, out_of_range, loaded: None, stale: Vec::new() }
    }

    /// `2.1.329`, and what that rests on.
    pub fn version_words(&self) -> String {
        match &self.installed {
            Some(installed) if *installed == self.version => installed.to_string(),
            Some(installed) => format!("{installed} installed, shown as {}", self.version),
            None => format!("not installed, as {}", self.version),
        }
    }
}

/// Definitions of the load before whose file cannot be read any more, until it can again.
pub(super) fn stale_after(agent: &AgentState, now: &Loaded) -> Vec<HookDefinition> {
    let broken = |file: &str| now.layers.iter().any(|l| l.file == file && l.state == LayerState::Broken);
    let before = agent.loaded.iter().flat_map(|l| l.definitions.iter()).chain(&agent.stale);
    let mut stale: Vec<HookDefinition> = Vec::new();
    for definition in before.filter(|d| broken(&d.from.file)) {
        let known = now.definitions.iter().any(|d| d.from.file == definition.from.file);
        if !known && !stale.contains(definition) {
            stale.push(definition.clone());
        }
    }
    stale
}

/// What is said when a version lies outside everything that is known.
pub(crate) fn out_of_range_note(agent: &AgentState) -> Option<Diagnostic> {
    if !agent.out_of_range {
        return None;
    }
    let known: Vec<String> = agent
        .dialect
        .versions()
        .iter()
        .map(|r| if r.from == r.to { r.to.to_owned() } else { format!("{}–{}", r.from, r.to) })
        .collect();
    let says = format!(
        "this version of {} was never measured (known: {}); it is shown as {}, and what nobody blocked is unknown",
        agent.dialect.name(),
        known.join(", "),
        agent.version
    );
    Some(Diagnostic::warning("agent/version", says))
}
