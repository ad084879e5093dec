//! Requests and stores the impact of settings changes on the recorded events.

use std::sync::Arc;

use super::agent::AgentState;
use super::state::Session;
use super::update::SessionEffect;
use crate::analysis::matching::MatcherChange;
use crate::recordings::impact::Impact;
use crate::session::job::Job;
use hookbench_core::config::{LoadedConfig, OverlayFiles};

impl AgentState {
    /// Stores a loaded configuration. Unless it is the first, returns a job that computes the impact of the change.
    pub(super) fn set_loaded(&mut self, loaded: Arc<LoadedConfig>, headless: bool) -> Option<Job> {
        self.changes += 1;
        self.impact = None;
        self.preview = None;
        let before = self.loaded.replace(Arc::clone(&loaded))?;
        Some(Job::Impact {
            agent: self.dialect.id(),
            version: self.version.clone(),
            headless,
            before,
            after: loaded,
            change: self.changes,
            previewed: false,
        })
    }
}

impl Session {
    /// Returns a job that computes the impact of a previewed change.
    pub(super) fn preview_impact(&mut self, change: &MatcherChange) -> Vec<Job> {
        let (headless, files) = (self.options.headless, self.files.as_ref());
        let Some(state) = self.agents.iter_mut().find(|state| state.dialect.id() == change.agent) else {
            return Vec::new();
        };
        let Some(before) = state.loaded.clone() else { return Vec::new() };
        let files = OverlayFiles { files, replaced: vec![(&change.path, &change.after)] };
        let after = state.dialect.load(&self.place, &files, &state.version);
        state.previews += 1;
        state.preview = Some((change.after.clone(), None));
        let (agent, version, change) = (state.dialect.id(), state.version.clone(), state.previews);
        vec![Job::Impact { agent, version, headless, before, after, change, previewed: true }]
    }

    /// Stores an impact unless it is outdated, and reports it to the user.
    pub(super) fn set_impact(&mut self, change: u64, previewed: bool, impact: Impact) {
        if previewed {
            let shown = |a: &&mut AgentState| a.dialect.id() == impact.agent && a.previews == change;
            if let Some((_, known)) = self.agents.iter_mut().find(shown).and_then(|agent| agent.preview.as_mut()) {
                *known = Some(impact);
            }
            return;
        }
        let agent = self.agents.iter_mut().find(|a| a.dialect.id() == impact.agent && a.changes == change);
        let Some(agent) = agent else { return };
        if let Some(words) = impact.words() {
            let whose = if impact.agent == self.bench.payload.agent { "" } else { agent.dialect.name() };
            let between = if whose.is_empty() { "" } else { ", " };
            self.effects.push(SessionEffect::ImpactKnown(format!("recorded events{between}{whose}: {words}")));
        }
        agent.impact = Some(impact);
    }
}
