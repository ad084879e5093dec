//! The state of one agent in the project: its version, its loaded configuration, and definitions from broken files.

use crate::analysis::lint::FailedToBlock;
use std::collections::HashSet;
use std::sync::Arc;

use crate::environment::installed_agents::Installation;
use crate::recordings::impact::Impact;
use hookbench_core::config::LoadedConfig;
use hookbench_core::dialects::{self, Agent, BasisKind, Calibration, Version, VersionBasis};
use hookbench_core::hook::HookDefinition;

/// The state of one agent in the project.
pub struct AgentState {
    pub dialect: &'static Agent,
    /// The version whose behaviour is modelled.
    pub version: Version,
    pub installed: Installation,
    /// The requested version, and the evidence for its behaviour.
    pub basis: VersionBasis,
    pub loaded: Option<Arc<LoadedConfig>>,
    /// Definitions from files that were readable before and are broken now.
    pub stale: Vec<HookDefinition>,
    /// The number of changes of the loaded configuration.
    pub changes: u64,
    /// The effect of the last change on the recorded events, once it is known.
    pub impact: Option<Impact>,
    /// A previewed change: the text of its file, and its effect once that is known.
    pub preview: Option<(String, Option<Impact>)>,
    /// The last runs of hooks that chose an exit status which does not block.
    pub(super) failed_to_block: Vec<FailedToBlock>,
}

impl AgentState {
    /// Creates the state of an agent. `asked` is the version that the user requested, if any.
    pub(crate) fn new(dialect: &'static Agent, installed: Installation, asked: Option<&Version>) -> AgentState {
        let meant = asked.or_else(|| installed.version()).cloned();
        let (version, basis) = VersionBasis::of(dialect, meant.unwrap_or_else(|| dialects::default_version(dialect)));
        AgentState {
            dialect,
            version,
            installed,
            basis,
            loaded: None,
            stale: Vec::new(),
            changes: 0,
            impact: None,
            preview: None,
            failed_to_block: Vec::new(),
        }
    }

    /// The state after a test of the installed program.
    #[must_use]
    pub(crate) fn with_calibration(self, calibration: Option<&Arc<Calibration>>) -> AgentState {
        AgentState { basis: self.basis.with_calibration(calibration), ..self }
    }

    /// The version and its basis: `2.1.329`, and how it is known.
    pub fn version_words(&self) -> String {
        let words = self.basis.words();
        if !self.dialect.is_released() {
            return words;
        }
        match (&self.installed, self.installed.unknown_words()) {
            (_, Some(why)) => format!("{why}; assuming {words}"),
            (Installation::Version(installed), None) if *installed != self.basis.requested => {
                format!("{installed} installed; assuming {words}")
            }
            _ => words,
        }
    }

    /// Says which version is assumed if the agent is not installed, and how to change that.
    pub fn missing_help(&self) -> Option<String> {
        let missing = !self.installed.is_present() && self.dialect.is_released();
        missing.then(|| {
            let (name, command) = (self.dialect.name(), self.dialect.install().command);
            format!(
                "{name} is not on PATH, so hookbench assumes {}. Put the directory of {command} on PATH and start \
                 hookbench again, or choose a version: hookbench --agent {} --agent-version VERSION",
                self.basis.requested,
                self.dialect.id()
            )
        })
    }

    /// The version as a number and a sign: `✓` for a tested program, `≈` for a version that is assumed.
    pub fn short_version_words(&self) -> String {
        let requested = &self.basis.requested;
        match (self.installed.version(), self.basis.kind) {
            (_, BasisKind::Specified) => self.basis.words(),
            (Some(installed), _) if installed != requested => format!("{requested} ≈"),
            (None, _) | (Some(_), BasisKind::Assumed) => format!("{requested} ≈"),
            (Some(_), BasisKind::Calibrated) => self.basis.calibrated_words(),
            (Some(_), BasisKind::Measured) => requested.to_string(),
        }
    }

    /// The supported versions as text, with consecutive ranges joined.
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

/// Definitions of an earlier load whose file cannot be parsed now.
pub(super) fn stale_after(agent: &AgentState, now: &LoadedConfig) -> Vec<HookDefinition> {
    let broken: HashSet<&str> = now.broken_layers().map(|layer| layer.file.as_str()).collect();
    if broken.is_empty() {
        return Vec::new();
    }
    let read: HashSet<&str> = now.definitions.iter().map(|d| d.provenance.file.as_str()).collect();
    let before = agent.loaded.iter().flat_map(|l| l.definitions.iter()).chain(&agent.stale);
    let mut stale: Vec<HookDefinition> = Vec::new();
    // The lists are concatenated, so a definition in both appears twice with the same place.
    let mut seen = HashSet::new();
    for definition in
        before.filter(|d| broken.contains(d.provenance.file.as_str()) && !read.contains(d.provenance.file.as_str()))
    {
        let place = (definition.provenance.file.as_str(), definition.provenance.span, definition.event.as_str());
        if seen.insert(place) || !stale.contains(definition) {
            stale.push(definition.clone());
        }
    }
    stale
}
