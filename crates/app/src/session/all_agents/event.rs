//! One event in every agent, as data.

use hookbench_core::names::AgentId;
use std::sync::Arc;

use crate::firing::record::{FiringId, is_forwarding};
use hookbench_core::config::LoadedConfig;
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::dialects::{Version, VersionBasis};
use hookbench_core::hook::HookInput;
use hookbench_core::plan::{Plan, PlanEntry};
use hookbench_core::port::{MissingEvent, TranslationNote};
use hookbench_core::run::RunId;

/// One event in every agent.
#[derive(Debug, Clone)]
pub struct CrossAgentEvent {
    /// The agent of the original event.
    pub origin: &'static str,
    /// The agent-independent name of the event.
    pub canonical: Option<&'static str>,
    /// In the order of the agents.
    pub agents: Vec<AgentEvent>,
}

/// The event in one agent.
#[derive(Debug, Clone)]
pub struct AgentEvent {
    pub agent: AgentId,
    pub version: Version,
    /// The requested version, and the evidence for its behaviour.
    pub basis: VersionBasis,
    /// The translated event, or the reason why the agent has no such event.
    pub event: Result<PlannedAgentEvent, MissingEvent>,
}

/// The translated event in an agent.
#[derive(Debug, Clone)]
pub struct PlannedAgentEvent {
    pub input: HookInput,
    /// Missing keys that were filled in as the agent would have sent them.
    pub filled: Vec<String>,
    /// Notes about data that was lost or invented in the translation.
    pub notes: Vec<TranslationNote>,
    pub loaded: Arc<LoadedConfig>,
    pub plan: Plan,
    pub diagnostics: Vec<Diagnostic>,
    /// Its firing, once it was fired.
    pub firing: Option<FiringId>,
}

/// A run whose result is shared with another firing that would start an identical process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) struct SharedRun {
    pub started: (FiringId, RunId),
    pub also: (FiringId, RunId),
}

impl PlannedAgentEvent {
    /// The planned hooks without hookbench's own, which a firing leaves out.
    pub fn entries(&self) -> impl Iterator<Item = &PlanEntry> {
        self.plan.entries.iter().filter(|entry| !self.is_own(entry))
    }

    /// The hooks that run, in order, without hookbench's own.
    pub fn running(&self) -> impl Iterator<Item = &PlanEntry> {
        self.plan.firing().filter(|entry| !self.is_own(entry))
    }

    /// The number of hookbench's own hooks that the agent would run.
    pub fn own_hooks(&self) -> usize {
        self.plan.firing().filter(|entry| self.is_own(entry)).count()
    }

    fn is_own(&self, entry: &PlanEntry) -> bool {
        self.loaded.definition(&entry.hook).is_some_and(is_forwarding)
    }
}

impl CrossAgentEvent {
    /// The agents that have the event.
    pub fn translated(&self) -> impl Iterator<Item = (&AgentEvent, &PlannedAgentEvent)> {
        self.agents.iter().filter_map(|of| Some((of, of.event.as_ref().ok()?)))
    }

    /// Returns whether a firing belongs to this comparison.
    pub fn has_firing(&self, id: FiringId) -> bool {
        self.translated().any(|(_, there)| there.firing == Some(id))
    }

    /// The firing in an agent.
    pub fn firing_in(&self, agent: &str) -> Option<FiringId> {
        self.translated().find(|(of, _)| of.agent == agent)?.1.firing
    }
}
