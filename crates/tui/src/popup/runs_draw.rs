//! Drawing of the list of runs, and its keys for the footer.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::runs::{RunList, SelectedRun};
use super::runs_rows::{RunColumns, RunRow};
use super::{foot, frame, row};
use crate::layer_keys::{LayerKey, arrows, fixed_keys, typing_keys};
use crate::model::Model;
use crate::widgets::{ListWindow, RowWriter, width};
use hookbench_app::FiringId;

impl RunList {
    /// Draws the list. Returns the cursor's position while the filter is typed.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, model: &Model) -> Option<(u16, u16)> {
        let (theme, history) = (model.theme, model.session.history());
        let earlier = self.listed_earlier();
        let known = history.len() + self.earlier.as_ref().map_or(0, Vec::len);
        let wants = u16::try_from(known).unwrap_or(u16::MAX).saturating_add(5);
        // A low screen is used completely.
        let most = if area.height < 20 { area.height } else { area.height * 2 / 3 };
        let inner = frame(area, buf, theme, "Runs", 110, wants.max(8).min(most));
        let own = self.len(history);
        let count = own + earlier.len();
        let cursor = self.draw_filter((count, known), inner, buf, model);
        let room = usize::from(inner.height.saturating_sub(3));
        let at = self.selected_place(history).unwrap_or(0);
        let (first, below) = ListWindow::around(at, count, room).hidden();
        let end = count.min(first + room);
        let rows: Vec<(SelectedRun, Cow<'_, RunRow>)> = (first..end)
            .filter_map(|place| match self.at(history, place) {
                Some(run) => Some((SelectedRun::Own(run.id), Cow::Owned(RunRow::of(run, model.shown_firing)))),
                None => {
                    let run = earlier.get(place.checked_sub(own)?)?;
                    Some((SelectedRun::Earlier(run.seq), Cow::Borrowed(&run.row)))
                }
            })
            .collect();
        let newest = history.newest().map_or(0, |run| run.id.0);
        let event = earlier.iter().map(|run| width(&run.row.event)).max().unwrap_or(0).max(history.longest_event());
        let visible: Vec<&RunRow> = rows.iter().map(|(_, row)| &**row).collect();
        let columns = RunColumns::of(&visible, newest, !earlier.is_empty(), event, usize::from(inner.width));
        columns.heading(row(inner, 1), buf, theme);
        for (index, (run, each)) in rows.iter().enumerate() {
            let place = row(inner, 2 + index);
            columns.draw(each, place, buf, theme);
            if *run == self.selected {
                buf.set_style(place, theme.selected());
            }
        }
        if count == 0 {
            let says = match (&self.earlier, self.filter.is_empty()) {
                (_, false) => "no match",
                (None, true) => "reading the log of runs",
                (Some(_), true) => "no runs yet",
            };
            RowWriter::new(row(inner, 2), buf, theme).put(theme.quiet(), says);
        }
        foot(inner, buf, theme, (first, below));
        let below = usize::from(inner.height.saturating_sub(1)).max(2);
        if let Some(run) = self.chosen(history).filter(|run| run.record().is_none()) {
            let says = format!("the output of run {} was dropped", run.id.0);
            RowWriter::new(row(inner, below), buf, theme).put(theme.quiet(), &says);
        }
        cursor
    }

    fn draw_filter(
        &self,
        (count, all): (usize, usize),
        inner: Rect,
        buf: &mut Buffer,
        model: &Model,
    ) -> Option<(u16, u16)> {
        let theme = model.theme;
        let mut cells = RowWriter::new(row(inner, 0), buf, theme);
        cells.put(theme.name(), "/ ").put(theme.strong(), &self.filter);
        let cursor = inner.right() - u16::try_from(cells.left()).unwrap_or(0);
        cells.right(theme.quiet(), &format!("{count} of {all}"));
        if self.filter.is_empty() {
            cells.skip(usize::from(self.typing)).put(theme.quiet(), "event, verdict or any word");
        }
        self.typing.then(|| (cursor.min(inner.right().saturating_sub(1)), inner.y))
    }

    /// The keys of the list and their verbs.
    pub fn footer(&self, model: &Model) -> Vec<LayerKey> {
        if self.typing {
            return typing_keys("apply filter", "clear filter");
        }
        let mut keys = fixed_keys(&[(arrows(model.theme), "move"), ("Enter", "open run")]);
        if let Some(other) = self.chosen(model.session.history()).and_then(|run| compare_partner(model, run.id)) {
            keys.push(("d".to_owned(), format!("compare with {}", other.0)));
        }
        let esc = if self.filter.is_empty() { "close" } else { "clear filter" };
        keys.extend(fixed_keys(&[("/", "filter"), ("Esc", esc)]));
        keys
    }
}

/// The run to compare with: the shown one, otherwise an earlier run.
pub fn compare_partner(model: &Model, id: FiringId) -> Option<FiringId> {
    let shown = model.shown_firing.filter(|shown| *shown != id);
    shown.or_else(|| model.session.history().comparison_run(id).map(|run| run.id))
}
