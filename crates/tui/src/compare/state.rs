//! The state of the Compare page. The comparison is recomputed when event, settings or outcomes change, and never
//! while drawing.

use std::sync::Arc;
use std::time::Instant;

use ratatui::layout::Rect;

use crate::widgets::{PlacedLine, StyledLine};
use hookbench_app::{AgentDifference, AgentEvent, ComparedAgent, Comparison, CrossAgentEvent, FiringId, ProcessInput};
use hookbench_core::config::LoadedConfig;
use hookbench_core::decide::Verdict;
use hookbench_core::names::AgentId;

hookbench_core::words! {
    /// The tabs of an agent's detail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CompareTab {
        Why = "why",
        Input = "input",
        Runs = "runs",
    }
    /// The display name.
    fn title; const ALL;
}

impl CompareTab {
    /// The next or previous tab.
    pub fn neighbour(self, forward: bool) -> CompareTab {
        let now = CompareTab::ALL.iter().position(|part| *part == self).unwrap_or(0);
        let next = if forward { now + 1 } else { now + CompareTab::ALL.len() - 1 };
        CompareTab::ALL.get(next % CompareTab::ALL.len()).copied().unwrap_or(self)
    }
}

/// The state of the Compare page.
#[derive(Default)]
pub struct CompareView {
    pub shown: Option<ShownComparison>,
    /// The selected agent; `None` for the one on the bench.
    pub(super) agent: Option<AgentId>,
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
    /// Which agents have no column, and why: in full, and for a narrow screen. `None` if each has one.
    pub left_out: Option<(String, String)>,
    pub(super) inputs: ComparisonInputs,
}

/// The inputs that the comparison was computed from.
#[derive(PartialEq)]
pub(super) struct ComparisonInputs {
    pub agent: AgentId,
    pub payload: u64,
    pub loaded: Vec<(AgentId, LoadedIdentity)>,
    pub fired: Vec<(FiringId, bool, Option<OutcomeGlance>)>,
}

/// The visible part of an outcome.
pub(super) type OutcomeGlance = (Verdict, String, Option<String>);

/// Settings compared by identity: they are equal until they are read again.
pub(super) struct LoadedIdentity(pub Arc<LoadedConfig>);

impl PartialEq for LoadedIdentity {
    fn eq(&self, other: &LoadedIdentity) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl ShownComparison {
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

    /// Applies the filter to the differences.
    pub fn apply_filter(&mut self) {
        let wanted = self.filter.to_lowercase();
        let Some(shown) = &mut self.shown else { return };
        let all = shown.comparison.differences.iter().enumerate();
        shown.matches = all.filter(|(_, d)| wanted.is_empty() || fits(d, &wanted)).map(|(index, _)| index).collect();
        self.row = self.row.min(shown.matches.len());
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

/// The target of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareTarget {
    /// An agent, by its index.
    Agent(usize),
    /// A difference, counted from 1.
    Difference(usize),
    /// A tab of the open detail.
    Part(CompareTab),
}

/// Everything on the page below the band.
#[derive(Debug, Clone, Default)]
pub struct CompareSheet {
    pub lines: Vec<PlacedLine>,
    pub rules: Vec<Rect>,
    pub hits: Vec<(CompareTarget, Rect)>,
}

impl CompareSheet {
    /// Adds a line.
    pub fn put(&mut self, at: Rect, line: StyledLine) {
        self.lines.push(PlacedLine::new(at, line));
    }
}
