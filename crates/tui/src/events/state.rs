//! The state of the Events page. The lines of the selected event are computed when it changes, and never while
//! drawing.

use std::sync::Arc;

use serde_json::Value;

use super::detail;
use super::report::{About, Report};
use crate::compare::Line;
use crate::model::Model;
use crate::page::Page;
use crate::widgets::{self, JsonTree, TreeMove, TreeOf};
use hookbench_app::live::Became;
use hookbench_core::filter::FilterError;
use hookbench_core::recorded::RecordedEvent;

/// A payload of up to so many rows is unfolded at first.
const ROOM: usize = 60;

/// The state of the Events page.
#[derive(Default)]
pub struct EventsView {
    /// The filter while it is typed, and its text before.
    pub typing: Option<(widgets::Line, String)>,
    /// The error in the typed filter.
    pub wrong: Option<FilterError>,
    /// Whether the selected event fills the page.
    pub open: bool,
    /// The line of the open event under the cursor.
    pub at: usize,
    /// The result of a replay or the effect of a change; it fills the page.
    pub report: Option<Report>,
    /// The index of the selected session among the agents' own sessions.
    pub own: usize,
    /// Whether a list of those sessions to choose from was requested.
    pub asked_own: bool,
    /// The wrapped lines of the selected event.
    pub lines: Vec<Line>,
    /// The tree of its payload, the number of lines before it (`before`), and the tree row of each line after that
    /// (`rows`).
    tree: JsonTree,
    body: Option<Value>,
    before: usize,
    rows: Vec<usize>,
    of: Option<Of>,
}

/// The inputs that the lines were computed from.
#[derive(PartialEq)]
struct Of {
    seq: i64,
    event: Option<Arc<RecordedEvent>>,
    columns: u16,
    /// The answer as far as known.
    answer: Option<Became>,
}

impl EventsView {
    /// Whether the result of a replay is open, which can be replayed again.
    pub fn runs_again(&self) -> bool {
        self.report.as_ref().is_some_and(|report| matches!(report.about, About::Replay(_)))
    }

    /// Whether the open result is of a replay that ran hooks.
    pub fn has_run(&self) -> bool {
        self.report.as_ref().is_some_and(|report| matches!(&report.about, About::Replay(result) if result.order.run))
    }

    /// Recomputes the lines if their inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        if model.page != Page::Events {
            return;
        }
        if let Some(report) = &mut self.report {
            report.refresh(model);
        }
        let shelf = &model.session.shelf;
        let own = shelf.own.as_ref().map_or(0, Vec::len);
        self.own = self.own.min(own.saturating_sub(1));
        let Some(row) = shelf.list.row() else {
            (self.of, self.open, self.body) = (None, false, None);
            self.lines.clear();
            return;
        };
        let whole = shelf.whole.as_ref().filter(|(seq, _)| *seq == row.seq);
        let event = whole.and_then(|(_, event)| event.clone());
        let of = self.of.as_ref();
        let answer = model.session.live().event(&row.id).map(|live| live.became.clone());
        let same = |of: &Of| {
            let alike = match (&of.event, &event) {
                (Some(old), Some(new)) => Arc::ptr_eq(old, new),
                (None, None) => true,
                _ => false,
            };
            of.seq == row.seq && of.columns == model.size.0 && of.answer == answer && alike
        };
        if of.is_some_and(same) {
            return;
        }
        if of.is_none_or(|of| of.seq != row.seq) {
            self.at = 0;
            self.tree.renew();
        }
        self.lines = detail::lines(model, row, event.as_deref(), whole.is_some());
        if let Some(event) = &event {
            let columns = usize::from(model.size.0).saturating_sub(2).max(8);
            detail::payload(model.theme, event, columns, &mut self.lines);
        }
        self.body = event.as_deref().and_then(detail::body);
        self.before = self.lines.len();
        self.rows.clear();
        if let Some(body) = &self.body {
            self.tree.sync(TreeOf { body, own: &|_| true, room: ROOM });
        }
        self.of = Some(Of { seq: row.seq, event, columns: model.size.0, answer });
        self.lay(model);
    }

    /// Recomputes the lines of the payload.
    fn lay(&mut self, model: &Model) {
        self.lines.truncate(self.before);
        self.rows.clear();
        if let Some(body) = &self.body {
            let columns = usize::from(model.size.0).saturating_sub(2).max(8);
            for (row, line) in detail::tree_lines(model.theme, &self.tree, body, columns) {
                self.rows.push(row);
                self.lines.push(line);
            }
        }
        self.at = self.at.min(self.lines.len().saturating_sub(1));
    }

    /// Folds or unfolds the row under the cursor, or moves into or out of it. Returns `false` if the row cannot be
    /// folded.
    pub fn fold(&mut self, model: &Model, what: TreeMove) -> bool {
        let Some(row) = self.at.checked_sub(self.before).and_then(|at| self.rows.get(at)).copied() else {
            return false;
        };
        let Some(body) = &self.body else { return false };
        self.tree.cursor = row;
        if !self.tree.act(TreeOf { body, own: &|_| true, room: ROOM }, what) {
            return false;
        }
        self.lay(model);
        let cursor = self.tree.cursor;
        let line = self.rows.iter().position(|row| *row == cursor).unwrap_or(0);
        self.at = self.before + line;
        true
    }
}
