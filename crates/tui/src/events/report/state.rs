//! The state of a report: the open levels with their rows.

use std::sync::Arc;

use crate::widgets::{self, StyledLine};
use hookbench_app::ReplayResult;
use hookbench_app::document::StatsDoc;
use hookbench_app::impact::Impact;

/// The subject of a report.
#[derive(Debug, Clone)]
pub enum ReportSubject {
    Replay(Arc<ReplayResult>),
    /// The agent's name and the effect.
    Impact(&'static str, Box<Impact>),
    /// The hooks that ran on the listed events, and the filter that was typed for them.
    Stats {
        stats: Arc<StatsDoc>,
        typed_filter: String,
    },
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
    /// The stored replay with this number, in the list of stored replays.
    Replay(i64),
    /// The list of all events, with this filter.
    Filter(String),
    /// The same list of events, with this filter.
    Runs(String),
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
    pub(super) levels: Vec<ReportLevel>,
    pub(super) columns: u16,
}

impl EventsReport {
    /// The open level.
    pub fn current(&self) -> Option<&ReportLevel> {
        self.levels.last()
    }

    /// The target of the row under the cursor.
    pub(super) fn selected_link(&self) -> Option<&RowLink> {
        self.current().and_then(|level| level.rows.get(level.selected)).map(|row| &row.link)
    }

    /// The path from the summary to the open level.
    pub fn levels(&self) -> &[ReportLevel] {
        &self.levels
    }

    /// Goes back one level; returns `false` if that was the last one.
    pub(super) fn back(&mut self) -> bool {
        self.levels.pop();
        !self.levels.is_empty()
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
}
