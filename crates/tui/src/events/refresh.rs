//! Computes the lines of the selected event again when it has changed, and never while drawing.

use std::sync::Arc;

use super::detail;
use super::state::{EventLinesInputs, EventsView};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::widgets::{TreeAction, TreeSource};
use hookbench_app::ReplaySelection;
use hookbench_core::text::pluralize;

/// A payload of up to so many rows is unfolded at first.
const ROOM: usize = 60;

impl EventsView {
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
            let columns = usize::from(model.size.0).saturating_sub(3).max(8);
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
            let columns = usize::from(model.size.0).saturating_sub(3).max(8);
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

/// The events that can be replayed: the selected one, the marked ones, all that match the filter. No hook runs.
pub fn replay_orders(model: &Model) -> Vec<(&'static str, String, ReplaySelection)> {
    let list = model.session.event_list();
    let Some(row) = list.window.row() else { return Vec::new() };
    let filter = current_filter(model);
    let marked = if filter.is_empty() { "~marked".to_owned() } else { format!("~marked {filter}") };
    let shown = list.matching.map_or_else(|| "the listed events".to_owned(), |count| pluralize(count, "listed event"));
    vec![
        ("selected", format!("event {}", row.seq), ReplaySelection::One(row.seq)),
        ("marked", format!("{} marks events", model.key(UiCommand::LeaveOut)), ReplaySelection::Matching(marked)),
        ("listed", shown, ReplaySelection::Matching(filter)),
    ]
}

/// The current filter as text; empty if all events are listed.
fn current_filter(model: &Model) -> String {
    let shelf = model.session.event_list();
    shelf.combined_filter().to_string()
}
