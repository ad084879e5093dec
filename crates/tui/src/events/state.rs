//! The state of the Events page. The lines of the selected event are computed when it changes, and never while
//! drawing.

use std::sync::Arc;

use serde_json::Value;

use super::detail;
use super::report::{EventsReport, ReportSubject};
use crate::model::Model;
use crate::widgets::{self, JsonTree, StyledLine, TreeAction, TreeSource};
use hookbench_app::live::LiveEventState;
use hookbench_core::filter::FilterError;
use hookbench_core::recorded::RecordedEvent;

/// A payload of up to so many rows is unfolded at first.
const ROOM: usize = 60;

/// The state of the Events page.
#[derive(Default)]
pub struct EventsView {
    /// The filter while it is typed, and its text before.
    pub typing: Option<(widgets::InputLine, String)>,
    /// The error in the typed filter.
    pub filter_error: Option<FilterError>,
    /// Whether the selected event fills the page.
    pub open: bool,
    /// The line of the open event under the cursor.
    pub cursor: usize,
    /// The result of a replay or the effect of a change; it fills the page.
    pub report: Option<EventsReport>,
    /// The index of the selected session among the agents' own sessions.
    pub selected_session: usize,
    /// Whether a list of those sessions to choose from was requested.
    pub sessions_requested: bool,
    /// The wrapped lines of the selected event.
    pub lines: Vec<StyledLine>,
    /// The tree of its payload, the number of lines before it (`lines_before_tree`), and the tree row of each line after that
    /// (`tree_rows`).
    tree: JsonTree,
    body: Option<Value>,
    lines_before_tree: usize,
    tree_rows: Vec<usize>,
    inputs: Option<EventLinesInputs>,
}

/// The inputs that the lines were computed from.
#[derive(PartialEq)]
struct EventLinesInputs {
    seq: i64,
    event: Option<Arc<RecordedEvent>>,
    columns: u16,
    /// The answer as far as known.
    answer: Option<LiveEventState>,
}

impl EventsView {
    /// Closes what was opened or typed on the page.
    pub fn close(&mut self) {
        (self.open, self.typing, self.filter_error) = (false, None, None);
    }

    /// Whether the result of a replay is open, which can be replayed again.
    pub fn can_replay(&self) -> bool {
        self.report.as_ref().is_some_and(|report| matches!(report.subject, ReportSubject::Replay(_)))
    }

    /// Whether the open result is of a replay that ran hooks.
    pub fn ran_hooks(&self) -> bool {
        self.report
            .as_ref()
            .is_some_and(|report| matches!(&report.subject, ReportSubject::Replay(result) if result.order.run))
    }

    /// Recomputes the lines if their inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        if let Some(report) = &mut self.report {
            report.refresh(model);
        }
        let shelf = model.session.event_list();
        let own = shelf.agent_sessions.as_ref().map_or(0, Vec::len);
        self.selected_session = self.selected_session.min(own.saturating_sub(1));
        let Some(row) = shelf.window.row() else {
            (self.inputs, self.open, self.body) = (None, false, None);
            self.lines.clear();
            return;
        };
        let whole = shelf.selected_event.as_ref().filter(|(seq, _)| *seq == row.seq);
        let event = whole.and_then(|(_, event)| event.clone());
        let of = self.inputs.as_ref();
        let answer = model.session.live().event(&row.id).map(|live| live.state.clone());
        let same = |of: &EventLinesInputs| {
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
            self.cursor = 0;
            self.tree.reset();
        }
        self.lines = detail::lines(model, row, event.as_deref(), whole.is_some());
        if let Some(event) = &event {
            let columns = usize::from(model.size.0).saturating_sub(2).max(8);
            detail::add_payload(model.theme, event, columns, &mut self.lines);
        }
        self.body = event.as_deref().and_then(detail::body);
        self.lines_before_tree = self.lines.len();
        self.tree_rows.clear();
        if let Some(body) = &self.body {
            self.tree.rebuild(TreeSource { body, is_own_key: &|_| true, room: ROOM });
        }
        self.inputs = Some(EventLinesInputs { seq: row.seq, event, columns: model.size.0, answer });
        self.rebuild_payload_lines(model);
    }

    /// Recomputes the lines of the payload.
    fn rebuild_payload_lines(&mut self, model: &Model) {
        self.lines.truncate(self.lines_before_tree);
        self.tree_rows.clear();
        if let Some(body) = &self.body {
            let columns = usize::from(model.size.0).saturating_sub(2).max(8);
            for (row, line) in detail::tree_lines(model.theme, &self.tree, body, columns) {
                self.tree_rows.push(row);
                self.lines.push(line);
            }
        }
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
    }

    /// Folds or unfolds the row under the cursor, or moves into or out of it. Returns `false` if the row cannot be
    /// folded.
    pub fn fold(&mut self, model: &Model, what: TreeAction) -> bool {
        let Some(row) = self.cursor.checked_sub(self.lines_before_tree).and_then(|at| self.tree_rows.get(at)).copied()
        else {
            return false;
        };
        let Some(body) = &self.body else { return false };
        self.tree.cursor = row;
        if !self.tree.act(TreeSource { body, is_own_key: &|_| true, room: ROOM }, what) {
            return false;
        }
        self.rebuild_payload_lines(model);
        let cursor = self.tree.cursor;
        let line = self.tree_rows.iter().position(|row| *row == cursor).unwrap_or(0);
        self.cursor = self.lines_before_tree + line;
        true
    }
}
