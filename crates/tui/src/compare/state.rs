//! The state of the Compare page. The comparison is recomputed when event, settings or outcomes change, and never
//! while drawing.

use std::sync::Arc;
use std::time::Instant;

use super::Line;
use super::detail::{self, Part};
use crate::model::Model;
use crate::page::Page;
use hookbench_app::{ComparedAgent, Comparison, Difference, Everywhere, FiringId, FiringRecord, Handed, InAgent};
use hookbench_core::config::Loaded;
use hookbench_core::decide::{Outcome, Verdict};

/// The state of the Compare page.
#[derive(Default)]
pub struct Compare {
    pub shown: Option<Shown>,
    /// The selected agent; `None` for the one on the bench.
    agent: Option<&'static str>,
    /// The selected difference, counted from 1; 0 if an agent is selected.
    pub row: usize,
    /// The open tab of the selected agent; `None` if the detail is closed.
    pub open: Option<Part>,
    /// The first visible line of the detail.
    pub scroll: usize,
    /// The wrapped lines of the detail.
    pub lines: Vec<Line>,
    /// The filter of the differences, and whether it is being typed.
    pub filter: String,
    pub typing: bool,
    /// Start of the running firing; `None` if nothing runs.
    pub started: Option<Instant>,
}

/// One event in every agent, and the comparison.
pub struct Shown {
    pub all: Everywhere,
    pub comparison: Comparison,
    pub handed: Vec<Option<Handed>>,
    /// Whether firing asks for consent first.
    pub asks: bool,
    /// The indexes of the differences that match the filter.
    pub fits: Vec<usize>,
    of: Of,
}

/// The inputs that the comparison was computed from.
#[derive(PartialEq)]
struct Of {
    agent: &'static str,
    payload: u64,
    loaded: Vec<(&'static str, Ptr)>,
    fired: Vec<(FiringId, bool, Option<Came>)>,
}

/// The visible part of an outcome.
type Came = (Verdict, String, Option<String>);

/// Settings compared by identity: they are equal until they are read again.
struct Ptr(Arc<Loaded>);

impl PartialEq for Ptr {
    fn eq(&self, other: &Ptr) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Of {
    fn now(model: &Model) -> Of {
        let session = &model.session;
        let compared = session.agents.iter().filter(|a| session.compares(a.dialect.id()));
        let came = |o: &Outcome| (o.verdict, o.agent_does.clone(), o.reason.clone());
        let fired = |firing: &FiringRecord| (firing.id, firing.settled, firing.outcome.as_ref().map(came));
        let firings = session.compared.iter().flat_map(Everywhere::there).filter_map(|(_, t)| session.fired_there(t));
        Of {
            agent: session.bench.agent,
            payload: session.payload_revision,
            loaded: compared.filter_map(|a| Some((a.dialect.id(), Ptr(a.loaded.clone()?)))).collect(),
            fired: firings.map(fired).collect(),
        }
    }
}

impl Shown {
    fn of(model: &Model, of: Of) -> Option<Shown> {
        let session = &model.session;
        let fired = session.fired_everywhere();
        let asks = |all: &Everywhere| !session.options.yes && !session.consent_missing_everywhere(all).is_empty();
        let planned = fired.is_none();
        let all = fired.or_else(|| session.everywhere())?;
        let comparison = session.comparison(&all);
        let handed = session.handed(&all);
        let asks = planned && asks(&all);
        Some(Shown { all, comparison, handed, asks, fits: Vec::new(), of })
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.all.agents.len()
    }

    /// Whether the event was fired and not only planned.
    pub fn fired(&self) -> bool {
        self.all.there().any(|(_, there)| there.firing.is_some())
    }

    /// All data about one agent.
    pub fn agent(&self, index: usize) -> Option<(&InAgent, &ComparedAgent, Option<&Handed>)> {
        let of = self.all.agents.get(index)?;
        Some((of, self.comparison.rows.get(index)?, self.handed.get(index)?.as_ref()))
    }

    /// A difference that matches the filter, counted from 1.
    pub fn difference(&self, row: usize) -> Option<&Difference> {
        self.comparison.differences.get(*self.fits.get(row.checked_sub(1)?)?)
    }
}

impl Compare {
    /// Recomputes the comparison if its inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        if model.page != Page::Compare {
            return;
        }
        let of = Of::now(model);
        if self.shown.as_ref().is_none_or(|shown| shown.of != of) {
            self.shown = Shown::of(model, of);
        }
        self.find();
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
    pub fn find(&mut self) {
        let wanted = self.filter.to_lowercase();
        let Some(shown) = &mut self.shown else { return };
        let all = shown.comparison.differences.iter().enumerate();
        shown.fits = all.filter(|(_, d)| wanted.is_empty() || fits(d, &wanted)).map(|(index, _)| index).collect();
        self.row = self.row.min(shown.fits.len());
    }

    /// The index of the selected agent.
    pub fn selected(&self, model: &Model) -> usize {
        let wanted = self.agent.unwrap_or(model.session.bench.agent);
        let place = |id: &str| self.shown.as_ref()?.all.agents.iter().position(|of| of.agent == id);
        place(wanted).or_else(|| place(model.session.bench.agent)).unwrap_or(0)
    }

    /// Selects an agent by its index.
    pub fn select(&mut self, index: usize) {
        self.agent = self.shown.as_ref().and_then(|shown| shown.all.agents.get(index)).map(|of| of.agent);
    }

    /// The visible firings.
    pub fn firings(&self) -> impl Iterator<Item = FiringId> {
        self.shown.iter().flat_map(|shown| shown.all.there()).filter_map(|(_, there)| there.firing)
    }
}

fn fits(difference: &Difference, wanted: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(wanted);
    let cell =
        |cell: &hookbench_app::Cell| has(&cell.shows) || cell.why.iter().any(|(rule, says)| has(rule) || has(says));
    has(&difference.what) || difference.cells.iter().any(cell)
}

impl Model {
    /// Updates the detail after a hook has written output.
    pub fn refresh_compared_runs(&mut self) {
        if self.page == Page::Compare && self.compare.open == Some(Part::Runs) {
            let mut compare = std::mem::take(&mut self.compare);
            compare.refresh_lines(self);
            self.compare = compare;
        }
    }
}
