//! Read access to the state of a session. Only commands and facts change it.

use std::sync::Arc;

use super::agent::AgentState;
use super::all_agents::CrossAgentEvent;
use super::auto_fire::AutoFire;
use super::event_list::EventListState;
use super::firing_start::WaitingStart;
use super::options::SessionOptions;
use super::problems::Problems;
use super::state::Session;
use crate::environment::installed_agents::Installation;
use crate::firing::history::{History, PastRun};
use crate::firing::record::{FiringId, FiringRecord};
use crate::live::LivePath;
use crate::recordings::run_log::OpenedRun;
use crate::session::bench::Bench;
use hookbench_core::config::{LoadedConfig, Place};

impl Session {
    /// The options of the session.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// The place in which the agents run.
    pub fn place(&self) -> &Arc<Place> {
        &self.place
    }

    /// The agents, in the order in which they are shown.
    pub fn agents(&self) -> &[AgentState] {
        &self.agents
    }

    /// The event being edited and fired.
    pub fn bench(&self) -> &Bench {
        &self.bench
    }

    /// A number that changes whenever the payload on the bench is replaced.
    pub fn payload_revision(&self) -> u64 {
        self.payload_revision
    }

    /// All firings, one row each.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The pins, and the state of auto-fire.
    pub fn auto_fire(&self) -> &AutoFire {
        &self.auto_fire
    }

    /// The lint findings about the loaded configuration.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Whether the next firings are isolated from the project and the home directory.
    pub fn is_contained(&self) -> bool {
        self.contain
    }

    /// The question about the commands that wait for consent. `None` if they wait for one firing.
    pub fn consent_purpose(&self) -> Option<&'static str> {
        let is_missing = |agent: &AgentState| agent.installed == Installation::Missing;
        match &self.waiting_start {
            WaitingStart::Bench | WaitingStart::AllAgents => None,
            WaitingStart::Stress(_) => Some("Run this command many times, with variants of the event?"),
            WaitingStart::Trial(_) => Some("Try this command, in a copy of the project?"),
            WaitingStart::Verification { .. } if self.current().is_some_and(is_missing) => {
                Some("Run these commands here? (The agent is not installed.)")
            }
            WaitingStart::Verification { .. } => Some("Run these commands here and in the installed agent?"),
        }
    }

    /// The last event that was fired in every agent.
    pub fn compared(&self) -> Option<&CrossAgentEvent> {
        self.compared.as_ref()
    }

    /// The guards and their findings, once they were read.
    pub fn guards(&self) -> Option<&Arc<crate::guards::GuardsState>> {
        self.guards.as_ref()
    }

    /// The recorded events that are loaded.
    pub fn event_list(&self) -> &EventListState {
        &self.event_list
    }

    /// The state of an agent. Always present for the agent on the bench.
    pub fn agent(&self, id: &str) -> Option<&AgentState> {
        self.agents.iter().find(|a| a.dialect.id() == id)
    }

    /// The agent on the bench.
    pub fn current(&self) -> Option<&AgentState> {
        self.agent(self.bench.payload.agent.as_str())
    }

    /// The loaded configuration of the agent on the bench.
    pub fn loaded(&self) -> Option<&Arc<LoadedConfig>> {
        self.current()?.loaded.as_ref()
    }

    /// The record of a firing, while it is kept.
    pub fn firing(&self, id: FiringId) -> Option<&FiringRecord> {
        self.history.record(id)
    }

    /// The last firing of the event on the bench, with any result.
    pub fn last_of_bench(&self) -> Option<&PastRun> {
        let agent = self.current()?;
        self.history.last_of(agent.dialect.id(), &agent.version, self.bench.payload.input.as_ref()?)
    }

    /// The state of the live path.
    pub fn live(&self) -> &LivePath {
        &self.live_path
    }

    /// Returns whether a firing or a verification is running.
    pub fn busy(&self) -> bool {
        !self.machines.is_empty() || self.verification.is_some() || self.model_call.is_some()
    }

    /// The logged run whose event is on the bench, until the event changes or is fired.
    pub fn opened_run(&self) -> Option<&OpenedRun> {
        self.opened_run.as_ref()
    }

    /// Whether runs are being stored in the log.
    pub fn is_logging(&self) -> bool {
        self.runs_in_writing > 0
    }
}
