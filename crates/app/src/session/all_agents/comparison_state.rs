//! The state of a comparison: which agents are included, how long its results are valid, and moving one agent's
//! event to the bench.

use hookbench_core::dialects::{self, Agent};
use hookbench_core::names::AgentId;
use std::sync::Arc;

use super::{CrossAgentEvent, PlannedAgentEvent, to_diagnostic};
use crate::session::Session;
use crate::session::bench::PayloadOrigin;

impl Session {
    /// Returns whether an agent is included. The agent on the bench always is.
    pub fn compares(&self, agent: &str) -> bool {
        let released = dialects::by_id(agent).is_some_and(Agent::is_released);
        agent == self.bench.payload.agent || released && !self.excluded_agents.iter().any(|excluded| *excluded == agent)
    }

    /// The agents that the user excluded, in the order in which they were excluded.
    pub fn excluded_agents(&self) -> &[AgentId] {
        &self.excluded_agents
    }

    /// The last event that was fired in every agent. `None` if it is not the event on the bench, if its records are
    /// gone, or if the settings have changed.
    pub fn fired_everywhere(&self) -> Option<CrossAgentEvent> {
        let all = self.compared.as_ref()?;
        let own = all.translated().find(|(of, _)| of.agent == self.bench.payload.agent)?.1;
        let wanted = || self.agents.iter().filter(|a| a.loaded.is_some() && self.compares(a.dialect.id().as_str()));
        let fired = |agent: &str| all.agents.iter().any(|of| of.agent == agent);
        let holds = self.bench.payload.input.as_ref() == Some(&own.input)
            && wanted().all(|a| fired(a.dialect.id().as_str()))
            && all
                .translated()
                .all(|(of, there)| !self.compares(of.agent.as_str()) || self.is_valid(of.agent.as_str(), there));
        let agents = || all.agents.iter().filter(|of| self.compares(of.agent.as_str())).cloned().collect();
        holds.then(|| CrossAgentEvent { origin: all.origin, canonical: all.canonical, agents: agents() })
    }

    /// Returns whether a result is still valid. A running firing keeps the settings with which it was started; the
    /// result of a finished one is invalid if they have changed.
    fn is_valid(&self, agent: &str, there: &PlannedAgentEvent) -> bool {
        let (Some(fired), Some(now)) = (self.fired_there(there), self.agent(agent).and_then(|a| a.loaded.as_ref()))
        else {
            return false;
        };
        !fired.settled
            || Arc::ptr_eq(&there.loaded, now)
            || there.loaded.has_same_hooks(now, |event| event == there.input.event)
    }

    pub(in crate::session) fn toggle_compared(&mut self, agent: AgentId) {
        if agent == self.bench.payload.agent {
            self.say("the agent on the bench cannot be hidden: the others are compared with it".to_owned());
        } else if self.excluded_agents.contains(&agent) {
            self.excluded_agents.retain(|other| *other != agent);
        } else {
            self.excluded_agents.push(agent);
        }
    }

    pub(in crate::session) fn take_there(&mut self, agent: AgentId) {
        if agent == self.bench.payload.agent {
            return;
        }
        let Some(all) = self.fired_everywhere().or_else(|| self.everywhere()) else { return };
        let from = self.agent(all.origin).map_or(all.origin, |a| a.dialect.name());
        match all.agents.into_iter().find(|of| of.agent == agent).map(|of| of.event) {
            Some(Ok(there)) => {
                self.put_earlier_input(agent, there.input, there.filled, PayloadOrigin::Agent(from));
                self.bench.payload.diagnostics.extend(there.notes.iter().map(to_diagnostic));
            }
            Some(Err(missing)) => self.say(missing.text()),
            None => {}
        }
    }
}
