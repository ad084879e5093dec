//! The logged runs of earlier sessions, below the runs of this one in the list of runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::run_time::seconds;
use crate::theme::Theme;
use crate::widgets::RowWriter;
use hookbench_app::EventListRow;
use hookbench_core::decide::Verdict;
use hookbench_core::recorded::format_time;

/// Widths in columns: a day with its time, the longest verdict, and an event's name.
const DAY: usize = 16;
const VERDICT: usize = 13;
const EVENT: usize = 20;

/// A logged run of an earlier session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EarlierRunRow {
    /// The number of the recorded event.
    pub seq: i64,
    /// Day and time, in UTC.
    day: String,
    verdict: Option<Verdict>,
    event: String,
    about: String,
    time: String,
    /// The lower-case text that the filter matches.
    text: String,
}

impl EarlierRunRow {
    /// Builds the row of a recorded event.
    pub(super) fn of(row: &EventListRow) -> EarlierRunRow {
        let day = row.at.and_then(format_time).unwrap_or_default();
        let day = day.get(..DAY).unwrap_or_default().replace('T', " ");
        let verdict = row.verdict.as_deref().and_then(Verdict::from_word);
        let about = [&row.subject, &row.highlight].into_iter().flatten().cloned().collect::<Vec<_>>().join("  ");
        let title = verdict.map(Verdict::title).unwrap_or_default();
        let text = format!("#{} {day} {title} {} {about}", row.seq, row.event).to_lowercase();
        let time = row.took.map_or_else(|| "-".to_owned(), seconds);
        EarlierRunRow { seq: row.seq, day, verdict, event: row.event.clone(), about, time, text }
    }

    /// Whether it contains every word of the filter.
    pub(super) fn matches(&self, filter: &str) -> bool {
        filter.to_lowercase().split_whitespace().all(|word| self.text.contains(word))
    }

    /// The row as a sentence.
    pub(super) fn sentence(&self) -> String {
        let verdict = self.verdict.map(|verdict| verdict.title().to_lowercase()).unwrap_or_default();
        format!("Event {} of {}: {verdict}. {}, {}", self.seq, self.day, self.event, self.about)
    }

    /// Draws the run.
    pub(super) fn draw(&self, place: Rect, buf: &mut Buffer, theme: Theme) {
        let mut cells = RowWriter::new(place, buf, theme);
        let wide = usize::from(place.width) >= DAY + VERDICT + 2 * EVENT;
        // Without room, the day has neither year nor time.
        let day = if wide { &self.day } else { self.day.get(5..10).unwrap_or_default() };
        cells.cell(theme.quiet(), day, if wide { DAY } else { 5 });
        let style = self.verdict.map_or(theme.plain(), |verdict| theme.verdict(verdict));
        let word = self.verdict.map(|verdict| verdict.title().to_uppercase()).unwrap_or_default();
        cells.cell(style.remove_modifier(Modifier::REVERSED), &word, VERDICT);
        if wide {
            cells.cell(theme.plain(), &self.event, EVENT);
        }
        let time = if wide { self.time.as_str() } else { "" };
        let room = cells.left().saturating_sub(time.len() + 2);
        cells.cell(theme.plain(), &self.about, room);
        cells.right(theme.quiet(), time);
    }
}
