//! The rows of the list of runs, and their columns. Columns that do not fit are hidden; the verdict is always
//! shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::run_time::seconds;
use crate::theme::Theme;
use crate::widgets::{RowWriter, width};
use hookbench_app::{FiringId, PastRun};
use hookbench_core::config::EnvironmentSource;
use hookbench_core::decide::Verdict;

/// Width of the longest verdict, in columns.
const VERDICT: usize = 13;
/// Maximum width of an event's and of a hook's name, in columns.
const NAME: usize = 20;
const TIME: usize = 7;
/// Width of the event's gist below which other columns are hidden.
const WHAT: usize = 14;
/// Widths of a day with its time, and of month and day alone.
const DAY: usize = 16;
const SHORT_DAY: usize = 5;
/// The width of the list from which on days are shown with year and time.
const WIDE: usize = 100;

/// The words of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunRow {
    /// The number of the run, or the day of a run of an earlier session.
    pub label: String,
    pub verdict: Option<Verdict>,
    /// The verdict in a word, or that the run was cancelled.
    pub word: String,
    pub event: String,
    pub what: String,
    pub by: String,
    pub time: String,
    pub notes: String,
}

impl RunRow {
    /// Builds the row of a run.
    pub(super) fn of(run: &PastRun, shown: Option<FiringId>) -> RunRow {
        let event = &run.event;
        let env = (run.env_source != EnvironmentSource::Shell).then(|| format!("{} env", run.env_source.word()));
        let notes = [(run.assumed, "supposed"), (run.auto_fired, "auto"), (shown == Some(run.id), "shown")];
        let notes = notes.into_iter().filter(|(so, _)| *so).map(|(_, word)| word);
        let notes: Vec<&str> = env.as_deref().into_iter().chain(notes).collect();
        let time = match run.verdict() {
            None => "...".to_owned(),
            Some(_) if run.duration.is_zero() => "-".to_owned(),
            Some(_) => seconds(run.duration),
        };
        let by = run.decision.as_ref().and_then(|d| d.decider.as_ref());
        RunRow {
            label: run.id.0.to_string(),
            verdict: run.verdict(),
            word: run.cancel_reason.or(run.verdict().map(Verdict::title)).unwrap_or_default().to_uppercase(),
            event: event.event.clone().into_string(),
            what: [&event.subject, &event.gist]
                .into_iter()
                .flatten()
                .map(|text| &**text)
                .collect::<Vec<_>>()
                .join("  "),
            by: by.map(|by| by.label.clone()).unwrap_or_default(),
            time,
            notes: notes.join(", "),
        }
    }

    /// The row as a sentence.
    pub(super) fn sentence(&self) -> String {
        let verdict = if self.verdict.is_some() { self.word.to_lowercase() } else { "running".to_owned() };
        let parts = [&self.event, &self.what, &self.notes].into_iter().filter(|part| !part.is_empty());
        let by = if self.by.is_empty() { String::new() } else { format!(" by {}", self.by) };
        let about = parts.map(String::as_str).collect::<Vec<_>>().join(", ");
        format!("{}: {verdict}{by}. {about}", self.label)
    }
}

/// The width of each column; 0 if it is hidden.
pub(super) struct RunColumns {
    label: usize,
    event: usize,
    what: usize,
    by: usize,
    time: usize,
    notes: usize,
}

impl RunColumns {
    /// Chooses the columns for these rows. Columns whose width depends on the rows are on the right, so that
    /// little moves while scrolling. `newest` is the highest number of a run; `has_days` says that runs of earlier
    /// sessions are listed.
    pub(super) fn of(rows: &[&RunRow], newest: u64, has_days: bool, event: usize, room: usize) -> RunColumns {
        let longest = |text: fn(&RunRow) -> &str| rows.iter().map(|r| width(text(r))).max().unwrap_or(0);
        let day = match has_days {
            true if room >= WIDE => DAY,
            true => SHORT_DAY,
            false => 0,
        };
        let mut columns = RunColumns {
            label: newest.to_string().len().max(3).max(day),
            event: event.clamp(5, NAME),
            what: 0,
            by: longest(|r| &r.by).min(NAME),
            time: TIME,
            notes: longest(|r| &r.notes),
        };
        let left = |columns: &RunColumns| {
            let side = |wide: usize| if wide > 0 { wide + 2 } else { 0 };
            let RunColumns { label, event, by, time, notes, .. } = *columns;
            room.saturating_sub(label + 2 + VERDICT + 2 + side(event) + side(by) + side(time) + side(notes))
        };
        let drops: [fn(&mut RunColumns); 4] = [|c| c.time = 0, |c| c.by = 0, |c| c.event = 0, |c| c.notes = 0];
        for drop in drops {
            if left(&columns) >= WHAT {
                break;
            }
            drop(&mut columns);
        }
        columns.what = left(&columns);
        columns
    }

    /// Draws the column titles.
    pub(super) fn heading(&self, place: Rect, buf: &mut Buffer, theme: Theme) {
        let quiet = theme.quiet();
        let mut cells = RowWriter::new(place, buf, theme);
        cells.cell(quiet, &format!("{:>1$}", "run", self.label), self.label).cell(quiet, "verdict", VERDICT);
        self.rest(&mut cells, quiet, ["event", "about", "by", "time", ""]);
    }

    /// Draws one run.
    pub(super) fn draw(&self, row: &RunRow, place: Rect, buf: &mut Buffer, theme: Theme) {
        let mut cells = RowWriter::new(place, buf, theme);
        // Without room, a day has neither year nor time.
        let label = row.label.get(5..10).filter(|_| row.label.len() > self.label).unwrap_or(&row.label);
        cells.cell(theme.plain(), &format!("{label:>0$}", self.label), self.label);
        match row.verdict {
            // Only the band shows verdicts as a block.
            Some(verdict) => {
                let style = theme.verdict(verdict).remove_modifier(Modifier::REVERSED);
                cells.cell(style, &row.word, VERDICT)
            }
            None => cells.cell(theme.warn(), "running", VERDICT),
        };
        self.rest(&mut cells, theme.plain(), [&row.event, &row.what, &row.by, &row.time, &row.notes]);
    }

    fn rest(&self, cells: &mut RowWriter<'_>, style: Style, [event, what, by, time, notes]: [&str; 5]) {
        let time = format!("{time:>0$}", self.time);
        let all = [(event, self.event), (what, self.what), (by, self.by), (&time, self.time), (notes, self.notes)];
        for (text, wide) in all.into_iter().filter(|(_, wide)| *wide > 0) {
            cells.cell(style, text, wide);
        }
    }
}
