//! One agent in this place: which version, what it has loaded, what it had before a file broke.

use std::collections::HashSet;
use std::sync::Arc;

use super::state::Session;
use crate::impact::Impact;
use hookbench_core::config::{LayerState, Loaded};
use hookbench_core::dialects::{self, Basis, Dialect, Version};
use hookbench_core::hook::HookDefinition;

/// One agent in this place.
pub struct AgentState {
    pub dialect: &'static dyn Dialect,
    /// The version whose behaviour is shown.
    pub version: Version,
    /// What is installed; none: not installed, or it does not say.
    pub installed: Option<Version>,
    /// The version that is meant, and what is known of it.
    pub basis: Basis,
    pub loaded: Option<Arc<Loaded>>,
    /// Definitions of files that were readable before and are broken now.
    pub stale: Vec<HookDefinition>,
    /// How often what it has loaded has changed.
    pub changes: u64,
    /// What the last change comes to for the recorded events, once that is known.
    pub impact: Option<Impact>,
    /// What a change would come to that is shown and not written: the text of its file, and the answer once it is known.
    pub prospect: Option<(String, Option<Impact>)>,
    /// How many such changes were shown.
    pub(super) prospects: u64,
}

impl AgentState {
    /// A session for a place. `installed` says which versions were found.
    pub(crate) fn new(
        dialect: &'static dyn Dialect,
        installed: Option<Version>,
        asked: Option<&Version>,
    ) -> AgentState {
        let meant = asked.cloned().or_else(|| installed.clone());
        let (version, basis) = Basis::of(dialect, meant.unwrap_or_else(|| dialects::default_version(dialect)));
        AgentState {
            dialect,
            version,
            installed,
            basis,
            loaded: None,
            stale: Vec::new(),
            changes: 0,
            impact: None,
            prospect: None,
            prospects: 0,
        }
    }

    /// `2.1.329`, and what that rests on.
    pub fn version_words(&self) -> String {
        let words = self.basis.words();
        match &self.installed {
            Some(installed) if *installed == self.basis.of => words,
            Some(installed) => format!("{installed} installed, shown as {words}"),
            None => format!("not installed, as {words}"),
        }
    }

    /// The versions that are known, runs of neighbours as one.
    pub(crate) fn known_words(&self) -> String {
        let mut runs: Vec<(&str, &str)> = Vec::new();
        for range in self.dialect.versions().iter().rev() {
            let follows = |last: &str| match (Version::parse(last), Version::parse(range.from)) {
                (Some(last), Some(next)) => last.precedes(&next),
                _ => false,
            };
            match runs.last_mut() {
                Some((_, to)) if follows(to) => *to = range.to,
                _ => runs.push((range.from, range.to)),
            }
        }
        let words = |(from, to): (&str, &str)| if from == to { to.to_owned() } else { format!("{from} to {to}") };
        runs.into_iter().rev().map(words).collect::<Vec<_>>().join(", ")
    }
}

impl Session {
    /// The settings files that some agent looks at and finds, as opened.
    pub(crate) fn files_in_use(&self) -> HashSet<&str> {
        let layers = self.agents.iter().filter_map(|agent| agent.loaded.as_ref()).flat_map(|loaded| &loaded.layers);
        layers.filter(|layer| layer.state != LayerState::Absent).map(|layer| layer.path.as_str()).collect()
    }
}

/// Definitions of the load before whose file cannot be read any more, until it can again.
pub(super) fn stale_after(agent: &AgentState, now: &Loaded) -> Vec<HookDefinition> {
    let broken: HashSet<&str> = now.broken().map(|layer| layer.file.as_str()).collect();
    if broken.is_empty() {
        return Vec::new();
    }
    let read: HashSet<&str> = now.definitions.iter().map(|d| d.from.file.as_str()).collect();
    let before = agent.loaded.iter().flat_map(|l| l.definitions.iter()).chain(&agent.stale);
    let mut stale: Vec<HookDefinition> = Vec::new();
    // They follow each other in both lists, so that a hook that is in both comes with the same place.
    let mut seen = HashSet::new();
    for definition in before.filter(|d| broken.contains(d.from.file.as_str()) && !read.contains(d.from.file.as_str())) {
        let place = (definition.from.file.as_str(), definition.from.span, definition.event.as_str());
        if seen.insert(place) || !stale.contains(definition) {
            stale.push(definition.clone());
        }
    }
    stale
}
