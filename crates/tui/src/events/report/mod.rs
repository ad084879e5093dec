//! The result of a replay, the effect of a settings change, or the times of hooks: a summary whose numbers lead to lists
//! of events.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the open levels with their rows |
//! | `rows` | the summary and the lists, as rows |
//! | `stats` | the times and failures of hooks |
//! | `event_diff` | one event before and after: decision, hooks, output, time |
//! | `keys` | the commands |
//! | `draw` | the layout, the band and the path to the open level |

mod draw;
mod event_diff;
mod keys;
mod rows;
mod state;
mod stats;

use crate::model::Model;

pub use draw::{build_band, draw, draw_path, panes, path, room, row_places};
pub use keys::{on_click, on_command};
pub use rows::counts;
pub use state::{EventsReport, LevelContent, ReportLevel, ReportRow, ReportSubject, RowLink};

impl EventsReport {
    /// Opens the summary, or the event if the result has only one.
    pub fn new(model: &Model, about: ReportSubject) -> EventsReport {
        let one = matches!(&about, ReportSubject::Replay(result) if result.events.len() == 1);
        let mut report = EventsReport { subject: about, levels: Vec::new(), columns: model.size.0 };
        report.open(model, if one { LevelContent::Event(0) } else { LevelContent::Summary });
        report
    }

    fn open(&mut self, model: &Model, showing: LevelContent) {
        let rows = rows::build(model, &self.subject, &showing);
        let selected = rows.iter().position(|row| row.link != RowLink::Nowhere).unwrap_or(0);
        // An event is read from its first row.
        let selected = if matches!(showing, LevelContent::Event(_)) { 0 } else { selected };
        self.levels.push(ReportLevel { content: showing, rows, selected });
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
