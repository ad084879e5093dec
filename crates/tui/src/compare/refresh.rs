//! Computes the comparison again when event, settings or outcomes have changed, and never while drawing.

use super::detail;
use super::state::{CompareTab, CompareView, ComparisonInputs, LoadedIdentity, ShownComparison};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use hookbench_app::{CrossAgentEvent, FiringId, FiringRecord};
use hookbench_core::decide::Outcome;

impl ComparisonInputs {
    fn now(model: &Model) -> ComparisonInputs {
        let session = &model.session;
        let compared = session.agents().iter().filter(|a| session.compares(a.dialect.id().as_str()));
        let came = |o: &Outcome| (o.verdict, o.agent_does.clone(), o.reason.clone());
        let fired = |firing: &FiringRecord| (firing.id, firing.settled, firing.outcome.as_ref().map(came));
        let firings = session
            .compared()
            .into_iter()
            .flat_map(CrossAgentEvent::translated)
            .filter_map(|(_, t)| session.fired_there(t));
        ComparisonInputs {
            agent: session.bench().payload.agent,
            payload: session.payload_revision(),
            loaded: compared.filter_map(|a| Some((a.dialect.id(), LoadedIdentity(a.loaded.clone()?)))).collect(),
            fired: firings.map(fired).collect(),
        }
    }
}

impl ShownComparison {
    fn of(model: &Model, of: ComparisonInputs) -> Option<ShownComparison> {
        let session = &model.session;
        let unlisted: Vec<&str> = session.unlisted_agents().map(|agent| agent.name()).collect();
        let how = format!("{} on the bench adds one", model.key(UiCommand::Agent));
        let short = match unlisted.len() {
            0..=3 => format!("{}: not installed", unlisted.join(", ")),
            many => format!("{many} agents that are not installed; {how}"),
        };
        let fired = session.fired_everywhere();
        let asks =
            |all: &CrossAgentEvent| !session.options().yes && !session.consent_missing_everywhere(all).is_empty();
        let planned = fired.is_none();
        let all = fired.or_else(|| session.everywhere())?;
        let comparison = session.comparison(&all);
        let handed = session.process_inputs(&all);
        let asks = planned && asks(&all);
        Some(ShownComparison {
            all,
            comparison,
            launch_inputs: handed,
            asks_first: asks,
            matches: Vec::new(),
            left_out: session.left_out(&how).map(|says| (says, short)),
            inputs: of,
        })
    }
}

impl CompareView {
    /// Recomputes the comparison if its inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        let of = ComparisonInputs::now(model);
        if self.shown.as_ref().is_none_or(|shown| shown.inputs != of) {
            self.shown = ShownComparison::of(model, of);
        }
        self.apply_filter();
        let over = |id: FiringId| model.session.firing(id).is_none_or(|firing| firing.settled);
        if self.firings().all(over) {
            self.started = None;
        }
        self.refresh_lines(model);
    }

    /// Recomputes the wrapped lines of the detail.
    pub fn refresh_lines(&mut self, model: &Model) {
        self.lines = match (self.open, &self.shown) {
            (Some(part), Some(shown)) => detail::lines(model, shown, self.selected(model), part),
            _ => Vec::new(),
        };
    }

    /// The index of the selected agent.
    pub fn selected(&self, model: &Model) -> usize {
        let wanted = self.agent.unwrap_or(model.session.bench().payload.agent);
        let place = |id: &str| self.shown.as_ref()?.all.agents.iter().position(|of| of.agent == id);
        place(wanted.as_str()).or_else(|| place(model.session.bench().payload.agent.as_str())).unwrap_or(0)
    }
}

impl Model {
    /// Updates the detail after a hook has written output.
    pub fn refresh_compared_runs(&mut self) {
        if self.page == Page::Compare && self.compare.open == Some(CompareTab::Runs) {
            self.with_part(|model| &mut model.compare, CompareView::refresh_lines);
        }
    }
}
