//! The result of a replay, or the effect of a settings change: a summary whose numbers lead to lists of events.
//!
//! | file | holds |
//! |---|---|
//! | `rows` | the summary and the lists, as rows |
//! | `event_diff` | one event before and after: decision, hooks, output, time |
//! | `keys` | the commands |
//! | `draw` | the layout, the band and the path to the open level |

mod draw;
mod event_diff;
mod keys;
mod rows;

use std::sync::Arc;

use crate::model::Model;
use crate::widgets::{self, StyledLine};
use hookbench_app::ReplayResult;
use hookbench_app::impact::Impact;

pub use draw::{build_band, draw, draw_path, room, row_places};
pub use keys::{on_click, on_command};
pub use rows::counts;

/// The subject of a report.
#[derive(Debug, Clone)]
pub enum ReportSubject {
    Replay(Arc<ReplayResult>),
    /// The agent's name and the effect.
    Impact(&'static str, Box<Impact>),
}

/// The content of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelContent {
    Summary,
    /// Some of the events, by their indexes in the result.
    Events {
        title: String,
        places: Vec<usize>,
    },
    Event(usize),
}

/// The target of Enter on a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowLink {
    Nowhere,
    Level(LevelContent),
    /// The event with this number, in the list of all events.
    Event(i64),
    /// The list of all events, with this filter.
    Filter(String),
}

/// One row.
#[derive(Debug, Clone)]
pub struct ReportRow {
    pub line: StyledLine,
    pub link: RowLink,
}

/// One level, with the cursor on a row.
#[derive(Debug, Clone)]
pub struct ReportLevel {
    pub content: LevelContent,
    pub rows: Vec<ReportRow>,
    pub selected: usize,
}

/// The open levels, the summary first; never empty.
#[derive(Debug, Clone)]
pub struct EventsReport {
    pub subject: ReportSubject,
    levels: Vec<ReportLevel>,
    columns: u16,
}

impl EventsReport {
    /// Opens the summary, or the event if the result has only one.
    pub fn new(model: &Model, about: ReportSubject) -> EventsReport {
        let one = matches!(&about, ReportSubject::Replay(result) if result.events.len() == 1);
        let mut report = EventsReport { subject: about, levels: Vec::new(), columns: model.size.0 };
        report.open(model, if one { LevelContent::Event(0) } else { LevelContent::Summary });
        report
    }

    /// The open level.
    pub fn current(&self) -> Option<&ReportLevel> {
        self.levels.last()
    }

    /// The path from the summary to the open level.
    pub fn levels(&self) -> &[ReportLevel] {
        &self.levels
    }

    fn open(&mut self, model: &Model, showing: LevelContent) {
        let rows = rows::build(model, &self.subject, &showing);
        let selected = rows.iter().position(|row| row.link != RowLink::Nowhere).unwrap_or(0);
        // An event is read from its first row.
        let selected = if matches!(showing, LevelContent::Event(_)) { 0 } else { selected };
        self.levels.push(ReportLevel { content: showing, rows, selected });
    }

    /// Goes back one level; returns `false` if that was the last one.
    fn back(&mut self) -> bool {
        self.levels.pop();
        !self.levels.is_empty()
    }

    /// Replaces the open event by the next or previous one of the list below it.
    fn open_neighbour(&mut self, model: &Model, forward: bool) {
        let Some(ReportLevel { content: LevelContent::Event(place), .. }) = self.current() else { return };
        let place = *place;
        let list = self.levels.iter_mut().rev().nth(1);
        let Some((LevelContent::Events { places, .. }, selected)) = list.map(|l| (&l.content, &mut l.selected)) else {
            return;
        };
        let Some(at) = places.iter().position(|p| *p == place) else { return };
        let next = if forward { at + 1 } else { at.wrapping_sub(1) };
        let Some(other) = places.get(next).copied() else { return };
        *selected = next;
        self.levels.pop();
        self.open(model, LevelContent::Event(other));
    }

    /// Moves the cursor.
    pub fn step(&mut self, by: isize) {
        if let Some(level) = self.levels.last_mut() {
            let last = level.rows.len().saturating_sub(1);
            let mut to = widgets::step(level.selected, by, level.rows.len());
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
                level.rows = rows::build(model, &self.subject, &level.content);
                level.selected = level.selected.min(level.rows.len().saturating_sub(1));
            }
        }
    }
}
