//! Builds the rows again when the findings were read, and never while drawing.

use std::sync::Arc;

use super::state::GuardPresence;
use super::{GuardsRow, GuardsView};
use crate::model::Model;
use hookbench_app::guards::JudgedHit;
use hookbench_core::port::AgentVersion;

impl GuardsView {
    /// Lists each guard with its findings below it.
    pub fn refresh(&mut self, model: &Model) {
        let now = model.session.guards();
        let agent = model.session.bench().payload.agent;
        let same = match (now, &self.state) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before),
            (now, before) => now.is_none() && before.is_none(),
        };
        if same && self.agent == Some(agent) {
            return;
        }
        let (first, selected) = (self.state.is_none(), self.hit().map(|one| one.hit.id.clone()));
        self.state = now.cloned();
        (self.agent, self.project) = (Some(agent), model.session.place().project.clone());
        let state = model.session.agent(agent.as_str());
        let version = state.map(|state| AgentVersion { dialect: state.dialect, version: state.version.clone() });
        let presence = version.iter().flat_map(|version| {
            self.guards()
                .iter()
                .map(|guard| GuardPresence::of(guard, version, model.session.place(), model.session.files()))
        });
        self.presence = presence.collect();
        let mut rows = Vec::new();
        for (index, guard) in self.guards().iter().enumerate() {
            rows.push(GuardsRow::Guard(index));
            let hits = || self.hits().iter().enumerate().filter(|(_, one)| one.hit.guard == guard.guard.word());
            // Those of this project come first.
            for own in [true, false] {
                rows.extend(hits().filter(|(_, one)| self.is_own(one) == own).map(|(hit, _)| GuardsRow::Hit(hit)));
            }
        }
        self.rows = rows;
        // The newest finding of this project that waits for a judgement comes first.
        let open = |one: &&JudgedHit| one.judged.is_none() && one.hit.allowed.is_none() && self.is_own(one);
        let wanted = if first { self.hits().iter().find(open).map(|one| one.hit.id.clone()) } else { selected };
        let is_it = |row: &GuardsRow| match row {
            GuardsRow::Hit(hit) => self.hits().get(*hit).is_some_and(|one| Some(&one.hit.id) == wanted.as_ref()),
            GuardsRow::Guard(_) => false,
        };
        let found = self.rows.iter().position(is_it);
        self.selected = found.unwrap_or(self.selected).min(self.rows.len().saturating_sub(1));
    }
}
