//! The result of a replay, or the effect of a settings change: a summary whose numbers lead to lists of events.
//!
//! | file | holds |
//! |---|---|
//! | `rows` | the summary and the lists, as rows |
//! | `one` | one event before and after: decision, hooks, output, time |
//! | `keys` | the commands |
//! | `draw` | the layout, the band and the path to the open level |

mod draw;
mod keys;
mod one;
mod rows;

use std::sync::Arc;

use crate::compare::Line;
use crate::model::Model;
use hookbench_app::ReplayResult;
use hookbench_app::impact::Impact;

pub use draw::{band_of, draw, places, way};
pub use keys::{click, on_verb, step};
pub use rows::counts;

/// The subject of a report.
#[derive(Debug, Clone)]
pub enum About {
    Replay(Arc<ReplayResult>),
    /// The agent's name and the effect.
    Impact(&'static str, Box<Impact>),
}

/// The content of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Showing {
    Summary,
    /// Some of the events, by their indexes in the result.
    Events {
        title: String,
        places: Vec<usize>,
    },
    One(usize),
}

/// The target of Enter on a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leads {
    Nowhere,
    To(Showing),
    /// The event with this number, in the list of all events.
    Event(i64),
    /// The list of all events, with this filter.
    Filter(String),
}

/// One row.
#[derive(Debug, Clone)]
pub struct ReportRow {
    pub line: Line,
    pub leads: Leads,
}

/// One level, with the cursor on a row.
#[derive(Debug, Clone)]
pub struct Level {
    pub showing: Showing,
    pub rows: Vec<ReportRow>,
    pub selected: usize,
}

/// The open levels, the summary first; never empty.
#[derive(Debug, Clone)]
pub struct Report {
    pub about: About,
    levels: Vec<Level>,
    columns: u16,
}

impl Report {
    /// Opens the summary, or the event if the result has only one.
    pub fn new(model: &Model, about: About) -> Report {
        let one = matches!(&about, About::Replay(result) if result.all.len() == 1);
        let mut report = Report { about, levels: Vec::new(), columns: model.size.0 };
        report.open(model, if one { Showing::One(0) } else { Showing::Summary });
        report
    }

    /// The open level.
    pub fn top(&self) -> Option<&Level> {
        self.levels.last()
    }

    /// The path from the summary to the open level.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn open(&mut self, model: &Model, showing: Showing) {
        let rows = rows::of(model, &self.about, &showing);
        let selected = rows.iter().position(|row| row.leads != Leads::Nowhere).unwrap_or(0);
        // An event is read from its first row.
        let selected = if matches!(showing, Showing::One(_)) { 0 } else { selected };
        self.levels.push(Level { showing, rows, selected });
    }

    /// Goes back one level; returns `false` if that was the last one.
    fn back(&mut self) -> bool {
        self.levels.pop();
        !self.levels.is_empty()
    }

    /// Replaces the open event by the next or previous one of the list below it.
    fn beside(&mut self, model: &Model, forward: bool) {
        let Some(Level { showing: Showing::One(place), .. }) = self.top() else { return };
        let place = *place;
        let list = self.levels.iter_mut().rev().nth(1);
        let Some((Showing::Events { places, .. }, selected)) = list.map(|l| (&l.showing, &mut l.selected)) else {
            return;
        };
        let Some(at) = places.iter().position(|p| *p == place) else { return };
        let next = if forward { at + 1 } else { at.wrapping_sub(1) };
        let Some(other) = places.get(next).copied() else { return };
        *selected = next;
        self.levels.pop();
        self.open(model, Showing::One(other));
    }

    /// Moves the cursor.
    fn step(&mut self, by: isize) {
        if let Some(level) = self.levels.last_mut() {
            let last = level.rows.len().saturating_sub(1);
            let mut to = level.selected.saturating_add_signed(by).min(last);
            // Empty rows are skipped.
            let air = |to: usize| level.rows.get(to).is_some_and(|row| row.line.is_empty());
            while air(to) && to > 0 && to < last {
                to = if by < 0 { to - 1 } else { to + 1 };
            }
            level.selected = to;
        }
    }

    /// Rebuilds the rows if the width has changed.
    pub fn refresh(&mut self, model: &Model) {
        if self.columns != model.size.0 {
            self.columns = model.size.0;
            for level in &mut self.levels {
                level.rows = rows::of(model, &self.about, &level.showing);
                level.selected = level.selected.min(level.rows.len().saturating_sub(1));
            }
        }
    }
}
