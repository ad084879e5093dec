//! One agent in this place: which version, what it has loaded, what it had before a file broke.

use std::collections::HashSet;
use std::sync::Arc;

use super::state::Session;
use crate::app::impact::Impact;
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
    /// The version that was asked for or is installed, where it lies outside everything that is known.
    pub unmeasured: Option<Version>,
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
    pub(in crate::app) fn new(
        dialect: &'static dyn Dialect,
        installed: Option<Version>,
        asked: Option<&Version>,
    ) -> AgentState {
        let known = |v: &Version| dialect.versions().iter().any(|range| range.contains(v));
        let wanted = asked.cloned().or_else(|| installed.clone());
        let unmeasured = wanted.clone().filter(|v| !known(v));
        let version = wanted.filter(known).unwrap_or_else(|| dialects::default_version(dialect));
        AgentState {
            dialect,
            version,
            installed,
            unmeasured,
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
        match (&self.unmeasured, &self.installed) {
            (Some(unmeasured), _) => format!("{unmeasured}, shown as {}", self.version),
            (None, Some(installed)) if *installed == self.version => installed.to_string(),
            (None, Some(installed)) => format!("{installed} installed, shown as {}", self.version),
            (None, None) => format!("not installed, as {}", self.version),
        }
    }

    /// `AGENT 9.0.1 was never measured`, where that is so.
    pub fn unmeasured_words(&self) -> Option<String> {
        let version = self.unmeasured.as_ref()?;
        Some(format!("{} {version} was never measured", self.dialect.name()))
    }

    /// The versions that are known, runs of neighbours as one.
    pub(in crate::app) fn known_words(&self) -> String {
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
    pub(in crate::app) fn files_in_use(&self) -> HashSet<&str> {
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

/// The code of what is said of a version that nobody has measured.
pub const UNMEASURED: &str = "agent/version";

/// What is said when a version lies outside everything that is known.
pub(crate) fn out_of_range_note(agent: &AgentState) -> Option<Diagnostic> {
    let says = format!(
        "{} (known: {}); it is shown as {}, and what nobody blocked is unknown",
        agent.unmeasured_words()?,
        agent.known_words(),
        agent.version
    );
    Some(Diagnostic::warning(UNMEASURED, says))
}
