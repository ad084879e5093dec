//! What only the screen knows of the page. The lines of the selected event are made when it changes, never while drawing.

use std::sync::Arc;

use super::detail;
use super::report::{About, Report};
use crate::core::filter::FilterError;
use crate::core::recorded::RecordedEvent;
use crate::tui::compare::Line;
use crate::tui::model::Model;
use crate::tui::page::Page;
use crate::tui::widgets;

/// The page's own state.
#[derive(Default)]
pub struct EventsView {
    /// The filter as it is typed, and what it was before.
    pub typing: Option<(widgets::Line, String)>,
    /// What is wrong with what is typed.
    pub wrong: Option<FilterError>,
    /// The selected event has the whole page.
    pub open: bool,
    /// First line of it.
    pub scroll: usize,
    /// What came of firing events again, or what a change comes to; it has the whole page.
    pub report: Option<Report>,
    /// The selected one of the agents' own sessions.
    pub own: usize,
    /// Those were asked for, to be chosen from.
    pub asked_own: bool,
    /// The selected event, in lines that fit.
    pub lines: Vec<Line>,
    of: Option<Of>,
}

/// What the lines are of: the event, its mark and comment, and how wide the screen is.
#[derive(PartialEq)]
struct Of {
    seq: i64,
    event: Option<Arc<RecordedEvent>>,
    columns: u16,
}

impl EventsView {
    /// What came of a replay is open, which can be run again.
    pub fn runs_again(&self) -> bool {
        self.report.as_ref().is_some_and(|report| matches!(report.about, About::Replay(_)))
    }

    /// Brings it up to date; does nothing where nothing has changed.
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
            (self.of, self.open) = (None, false);
            self.lines.clear();
            return;
        };
        let whole = shelf.whole.as_ref().filter(|(seq, _)| *seq == row.seq);
        let event = whole.and_then(|(_, event)| event.clone());
        let of = self.of.as_ref();
        let same = |of: &Of| {
            let alike = match (&of.event, &event) {
                (Some(old), Some(new)) => Arc::ptr_eq(old, new),
                (None, None) => true,
                _ => false,
            };
            of.seq == row.seq && of.columns == model.size.0 && alike
        };
        if of.is_some_and(same) {
            return;
        }
        if of.is_none_or(|of| of.seq != row.seq) {
            self.scroll = 0;
        }
        self.lines = detail::lines(model, row, event.as_deref(), whole.is_some());
        self.of = Some(Of { seq: row.seq, event, columns: model.size.0 });
    }
}
