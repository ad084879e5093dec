//! What came of firing events again, and what a change of settings comes to: a summary of which every number is a list
//! one key away, and each entry leads to its events.
//!
//! | file | holds |
//! |---|---|
//! | `rows` | the summary and the lists, as rows |
//! | `one` | one event then and now: the decision first, then who ran, what they printed, the time |
//! | `keys` | the verbs |
//! | `draw` | what stands where, the band and the way that led here |

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

/// What it is about.
#[derive(Debug, Clone)]
pub enum About {
    Replay(Arc<ReplayResult>),
    /// The name of the agent comes with it.
    Impact(&'static str, Box<Impact>),
}

/// What a level shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Showing {
    Summary,
    /// Some of the events, by their places in the result.
    Events {
        title: String,
        places: Vec<usize>,
    },
    One(usize),
}

/// Where Enter on a row leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leads {
    Nowhere,
    To(Showing),
    /// The event with this number, in the list of all.
    Event(i64),
    /// The list of all, with this filter.
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

/// The levels that are open, the summary first. There is always one.
#[derive(Debug, Clone)]
pub struct Report {
    pub about: About,
    levels: Vec<Level>,
    columns: u16,
}

impl Report {
    /// Begins with the summary; what is about one event, with that.
    pub fn new(model: &Model, about: About) -> Report {
        let one = matches!(&about, About::Replay(result) if result.all.len() == 1);
        let mut report = Report { about, levels: Vec::new(), columns: model.size.0 };
        report.open(model, if one { Showing::One(0) } else { Showing::Summary });
        report
    }

    /// The level on top.
    pub fn top(&self) -> Option<&Level> {
        self.levels.last()
    }

    /// What led here, from the summary on.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn open(&mut self, model: &Model, showing: Showing) {
        let rows = rows::of(model, &self.about, &showing);
        let selected = rows.iter().position(|row| row.leads != Leads::Nowhere).unwrap_or(0);
        // Of one event everything is read, from its beginning.
        let selected = if matches!(showing, Showing::One(_)) { 0 } else { selected };
        self.levels.push(Level { showing, rows, selected });
    }

    /// One level back; false: that was the last one.
    fn back(&mut self) -> bool {
        self.levels.pop();
        !self.levels.is_empty()
    }

    /// Another event in the place of the one that is shown, of those in the list that led here.
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
            // Air between rows is passed over.
            let air = |to: usize| level.rows.get(to).is_some_and(|row| row.line.is_empty());
            while air(to) && to > 0 && to < last {
                to = if by < 0 { to - 1 } else { to + 1 };
            }
            level.selected = to;
        }
    }

    /// Lays everything out anew for another width.
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
