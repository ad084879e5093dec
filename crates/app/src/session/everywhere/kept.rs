//! The state of a comparison: which agents are included, how long its results are valid, and moving one agent's
//! event to the bench.

use std::sync::Arc;

use super::{Everywhere, There, remark};
use crate::bench::Origin;
use crate::session::Session;

impl Session {
    /// Returns whether an agent is included. The agent on the bench always is.
    pub fn compares(&self, agent: &str) -> bool {
        agent == self.bench.agent || !self.left_out.contains(&agent)
    }

    /// The last event that was fired in every agent. `None` if it is not the event on the bench, if its records are
    /// gone, or if the settings have changed.
    pub fn fired_everywhere(&self) -> Option<Everywhere> {
        let all = self.compared.as_ref()?;
        let own = all.there().find(|(of, _)| of.agent == self.bench.agent)?.1;
        let wanted = || self.agents.iter().filter(|a| a.loaded.is_some() && self.compares(a.dialect.id()));
        let fired = |agent: &str| all.agents.iter().any(|of| of.agent == agent);
        let holds = self.bench.input.as_ref() == Some(&own.input)
            && wanted().all(|a| fired(a.dialect.id()))
            && all.there().all(|(of, there)| !self.compares(of.agent) || self.holds(of.agent, there));
        let agents = || all.agents.iter().filter(|of| self.compares(of.agent)).cloned().collect();
        holds.then(|| Everywhere { from: all.from, canonical: all.canonical, agents: agents() })
    }

    /// Returns whether a result is still valid. A running firing keeps the settings with which it was started; the
    /// result of a finished one is invalid if they have changed.
    fn holds(&self, agent: &str, there: &There) -> bool {
        let (Some(fired), Some(now)) = (self.fired_there(there), self.agent(agent).and_then(|a| a.loaded.as_ref()))
        else {
            return false;
        };
        !fired.settled
            || Arc::ptr_eq(&there.loaded, now)
            || there.loaded.same_for(now, |event| event == there.input.event)
    }

    pub(in crate::session) fn toggle_compared(&mut self, agent: &'static str) {
        if agent == self.bench.agent {
            self.messages.push("the agent on the bench is what the others are compared with".to_owned());
        } else if self.left_out.contains(&agent) {
            self.left_out.retain(|other| *other != agent);
        } else {
            self.left_out.push(agent);
        }
    }

    pub(in crate::session) fn take_there(&mut self, agent: &'static str) {
        if agent == self.bench.agent {
            return;
        }
        let Some(all) = self.fired_everywhere().or_else(|| self.everywhere()) else { return };
        let from = self.agent(all.from).map_or(all.from, |a| a.dialect.name());
        match all.agents.into_iter().find(|of| of.agent == agent).map(|of| of.there) {
            Some(Ok(there)) => {
                self.put(agent, there.input, there.filled, Origin::Agent(from));
                self.bench.diagnostics.extend(there.notes.iter().map(remark));
            }
            Some(Err(missing)) => self.messages.push(missing.words()),
            None => {}
        }
    }
}
