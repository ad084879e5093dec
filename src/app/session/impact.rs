//! What a change of settings comes to for the recorded events: asked for, and told.

use std::sync::Arc;

use super::agent::AgentState;
use super::state::Session;
use crate::app::impact::Impact;
use crate::app::job::Job;
use crate::core::config::Loaded;

impl AgentState {
    /// Takes what was loaded. When it is not the first, what the change comes to is to be found out.
    pub(super) fn changed(&mut self, loaded: Arc<Loaded>, headless: bool) -> Option<Job> {
        self.changes += 1;
        self.impact = None;
        let before = self.loaded.replace(Arc::clone(&loaded))?;
        Some(Job::Impact {
            agent: self.dialect.id(),
            version: self.version.clone(),
            headless,
            before,
            after: loaded,
            change: self.changes,
        })
    }
}

impl Session {
    /// Keeps what a change comes to, unless something has changed since, and says it once.
    pub(super) fn take_impact(&mut self, change: u64, impact: Impact) {
        let agent = self.agents.iter_mut().find(|a| a.dialect.id() == impact.agent && a.changes == change);
        let Some(agent) = agent else { return };
        if let Some(words) = impact.words() {
            let whose = if impact.agent == self.bench.agent { "" } else { agent.dialect.name() };
            let between = if whose.is_empty() { "" } else { ", " };
            self.messages.push(format!("recorded events{between}{whose}: {words}"));
        }
        agent.impact = Some(impact);
    }
}
