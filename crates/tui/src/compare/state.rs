//! The state of the Compare page. The comparison is recomputed when event, settings or outcomes change, and never
//! while drawing.

use hookbench_core::names::AgentId;
use std::sync::Arc;
use std::time::Instant;

use super::detail::{self, CompareTab};
use crate::model::Model;
use crate::page::Page;
use crate::widgets::StyledLine;
use hookbench_app::{
    AgentDifference, AgentEvent, ComparedAgent, Comparison, CrossAgentEvent, FiringId, FiringRecord, ProcessInput,
};
use hookbench_core::config::LoadedConfig;
use hookbench_core::decide::{Outcome, Verdict};

/// The state of the Compare page.
#[derive(Default)]
pub struct CompareView {
    pub shown: Option<ShownComparison>,
    /// The selected agent; `None` for the one on the bench.
    agent: Option<AgentId>,
    /// The selected difference, counted from 1; 0 if an agent is selected.
    pub row: usize,
    /// The open tab of the selected agent; `None` if the detail is closed.
    pub open: Option<CompareTab>,
    /// The first visible line of the detail.
    pub scroll: usize,
    /// The wrapped lines of the detail.
    pub lines: Vec<StyledLine>,
    /// The filter of the differences, and whether it is being typed.
    pub filter: String,
    pub typing: bool,
    /// Start of the running firing; `None` if nothing runs.
    pub started: Option<Instant>,
}

/// One event in every agent, and the comparison.
pub struct ShownComparison {
    pub all: CrossAgentEvent,
    pub comparison: Comparison,
    pub launch_inputs: Vec<Option<ProcessInput>>,
    /// Whether firing asks for consent first.
    pub asks_first: bool,
    /// The indexes of the differences that match the filter.
    pub matches: Vec<usize>,
    inputs: ComparisonInputs,
}

/// The inputs that the comparison was computed from.
#[derive(PartialEq)]
struct ComparisonInputs {
    agent: AgentId,
    payload: u64,
    loaded: Vec<(AgentId, LoadedIdentity)>,
    fired: Vec<(FiringId, bool, Option<OutcomeGlance>)>,
}

/// The visible part of an outcome.
type OutcomeGlance = (Verdict, String, Option<String>);

/// Settings compared by identity: they are equal until they are read again.
struct LoadedIdentity(Arc<LoadedConfig>);

impl PartialEq for LoadedIdentity {
    fn eq(&self, other: &LoadedIdentity) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

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
            inputs: of,
        })
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.all.agents.len()
    }

    /// Whether the event was fired and not only planned.
    pub fn fired(&self) -> bool {
        self.all.translated().any(|(_, there)| there.firing.is_some())
    }

    /// All data about one agent.
    pub fn agent(&self, index: usize) -> Option<(&AgentEvent, &ComparedAgent, Option<&ProcessInput>)> {
        let of = self.all.agents.get(index)?;
        Some((of, self.comparison.rows.get(index)?, self.launch_inputs.get(index)?.as_ref()))
    }

    /// A difference that matches the filter, counted from 1.
    pub fn difference(&self, row: usize) -> Option<&AgentDifference> {
        self.comparison.differences.get(*self.matches.get(row.checked_sub(1)?)?)
    }
}

impl CompareView {
    /// Closes what was opened or typed on the page.
    pub fn close(&mut self) {
        (self.open, self.typing) = (None, false);
    }

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

    /// Applies the filter to the differences.
    pub fn apply_filter(&mut self) {
        let wanted = self.filter.to_lowercase();
        let Some(shown) = &mut self.shown else { return };
        let all = shown.comparison.differences.iter().enumerate();
        shown.matches = all.filter(|(_, d)| wanted.is_empty() || fits(d, &wanted)).map(|(index, _)| index).collect();
        self.row = self.row.min(shown.matches.len());
    }

    /// The index of the selected agent.
    pub fn selected(&self, model: &Model) -> usize {
        let wanted = self.agent.unwrap_or(model.session.bench().payload.agent);
        let place = |id: &str| self.shown.as_ref()?.all.agents.iter().position(|of| of.agent == id);
        place(wanted.as_str()).or_else(|| place(model.session.bench().payload.agent.as_str())).unwrap_or(0)
    }

    /// Selects an agent by its index.
    pub fn select(&mut self, index: usize) {
        self.agent = self.shown.as_ref().and_then(|shown| shown.all.agents.get(index)).map(|of| of.agent);
    }

    /// The visible firings.
    pub fn firings(&self) -> impl Iterator<Item = FiringId> {
        self.shown.iter().flat_map(|shown| shown.all.translated()).filter_map(|(_, there)| there.firing)
    }
}

fn fits(difference: &AgentDifference, wanted: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(wanted);
    let cell = |cell: &hookbench_app::DifferenceCell| {
        has(&cell.text) || cell.reasons.iter().any(|(rule, says)| has(rule) || has(says))
    };
    has(&difference.title) || difference.cells.iter().any(cell)
}

impl Model {
    /// Updates the detail after a hook has written output.
    pub fn refresh_compared_runs(&mut self) {
        if self.page == Page::Compare && self.compare.open == Some(CompareTab::Runs) {
            self.with_part(|model| &mut model.compare, CompareView::refresh_lines);
        }
    }
}
