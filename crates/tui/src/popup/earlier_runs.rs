//! The logged runs of earlier sessions, below the runs of this one in the list of runs.

use super::runs_rows::RunRow;
use crate::run_time::seconds;
use hookbench_app::EventListRow;
use hookbench_core::decide::Verdict;
use hookbench_core::recorded::format_time;

/// The length of a day with its time.
const DAY: usize = "2026-11-20 14:31".len();

/// A logged run of an earlier session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EarlierRunRow {
    /// The number of the recorded event.
    pub seq: i64,
    pub row: RunRow,
    /// The lower-case text that the filter matches.
    text: String,
}

impl EarlierRunRow {
    /// Builds the row of a recorded event.
    pub(super) fn of(row: &EventListRow) -> EarlierRunRow {
        // In UTC.
        let day = row.at.and_then(format_time).unwrap_or_default();
        let day = day.get(..DAY).unwrap_or_default().replace('T', " ");
        let verdict = row.verdict.as_deref().and_then(Verdict::from_word);
        let title = verdict.map(Verdict::title).unwrap_or_default();
        let about = [&row.subject, &row.highlight].into_iter().flatten().cloned().collect::<Vec<_>>().join("  ");
        let text = format!("#{} {day} {title} {} {about}", row.seq, row.event).to_lowercase();
        let cells = RunRow {
            label: day,
            verdict,
            word: title.to_uppercase(),
            event: row.event.clone(),
            what: about,
            by: String::new(),
            time: row.took.map_or_else(|| "-".to_owned(), seconds),
            notes: String::new(),
        };
        EarlierRunRow { seq: row.seq, row: cells, text }
    }

    /// Whether it contains every word of the filter.
    pub(super) fn matches(&self, filter: &str) -> bool {
        filter.to_lowercase().split_whitespace().all(|word| self.text.contains(word))
    }

    /// The row as a sentence.
    pub(super) fn sentence(&self) -> String {
        let RunRow { label, word, event, what, .. } = &self.row;
        format!("Event {} of {label}: {}. {event}, {what}", self.seq, word.to_lowercase())
    }
}
