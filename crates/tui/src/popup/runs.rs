//! The list of runs, newest first. Only the visible rows are built, whatever the length of the list.

use std::sync::Arc;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::earlier_runs::EarlierRunRow;
use super::footer::arrows;
use super::runs_index::RunIndex;
use super::runs_rows::{RunColumns, RunRow};
use super::{PopupResult, foot, frame, moved_row, row};
use crate::layer_keys::{LayerKey, fixed_keys, typing_keys};
use crate::model::Model;
use crate::widgets::{ListWindow, RowWriter};
use hookbench_app::{Command, EventListCommand, EventListRow, FiringId, History, PastRun};

/// The selected run: one of this session, or an earlier one by the number of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelectedRun {
    Own(FiringId),
    Earlier(i64),
}

/// The list and its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunList {
    selected: SelectedRun,
    /// The logged runs of earlier sessions, the newest first; `None` until they are read.
    earlier: Option<Vec<EarlierRunRow>>,
    filter: String,
    typing: bool,
    /// The matches after each letter of the filter, oldest first. A further letter only searches the previous
    /// matches, and deleting a letter costs nothing.
    matches: Vec<Arc<Vec<FiringId>>>,
    /// Built with the first letter.
    index: Option<RunIndex>,
    /// The newest run whose words are indexed and no longer change.
    indexed_up_to: FiringId,
}

impl RunList {
    /// Opens the list with the newest run selected.
    pub fn of(history: &History) -> RunList {
        RunList {
            selected: SelectedRun::Own(history.newest().map_or(FiringId(0), |run| run.id)),
            earlier: None,
            filter: String::new(),
            typing: false,
            matches: Vec::new(),
            index: None,
            indexed_up_to: FiringId(0),
        }
    }

    /// Adds the logged runs of earlier sessions.
    pub fn set_earlier(&mut self, rows: &[EventListRow], history: &History) {
        if self.earlier.is_none() {
            self.earlier = Some(rows.iter().map(EarlierRunRow::of).collect());
            self.fix_selection(history);
        }
    }

    /// The listed runs of earlier sessions.
    fn listed_earlier(&self) -> Vec<&EarlierRunRow> {
        self.earlier.iter().flatten().filter(|run| run.matches(&self.filter)).collect()
    }

    /// The run at a place of the whole list.
    fn run_at(&self, history: &History, place: usize) -> Option<SelectedRun> {
        match self.at(history, place) {
            Some(run) => Some(SelectedRun::Own(run.id)),
            None => {
                let earlier = self.listed_earlier();
                Some(SelectedRun::Earlier(earlier.get(place.checked_sub(self.len(history))?)?.seq))
            }
        }
    }

    /// The place of the selected run in the whole list.
    fn selected_place(&self, history: &History) -> Option<usize> {
        match self.selected {
            SelectedRun::Own(id) => self.place(history, id),
            SelectedRun::Earlier(seq) => {
                let place = self.listed_earlier().iter().position(|run| run.seq == seq)?;
                Some(self.len(history) + place)
            }
        }
    }

    /// Adds text to the filter.
    pub fn push(&mut self, text: &str, history: &History) {
        self.typing = true;
        for letter in text.chars() {
            self.filter.push(letter);
            let fits = self.narrowed(history);
            self.matches.push(fits);
        }
        self.selected = self.run_at(history, 0).unwrap_or(self.selected);
    }

    /// Selects a run; returns `false` if it is not listed.
    pub fn select(&mut self, id: FiringId, history: &History) -> bool {
        let there = self.place(history, id).is_some();
        if there {
            self.selected = SelectedRun::Own(id);
        }
        there
    }

    /// Updates the list after runs were added or removed, or have ended.
    pub fn sync(&mut self, history: &History) {
        let oldest = history.recent(history.len().saturating_sub(1)).map_or(FiringId(0), |run| run.id);
        let words = self.words();
        let from = FiringId(self.indexed_up_to.0 + 1).max(oldest);
        let Some(index) = self.index.as_mut() else { return self.fix_selection(history) };
        index.rebuild_from(from, history);
        for (letters, fits) in self.matches.iter_mut().enumerate() {
            let new =
                |run: &&PastRun| words.get(letters).is_some_and(|words| words.iter().all(|w| index.has(run.id, w)));
            let added: Vec<FiringId> = history.since(from).filter(new).map(|run| run.id).collect();
            let gone = fits.first().is_some_and(|id| *id < oldest) || fits.last().is_some_and(|id| *id >= from);
            if gone || !added.is_empty() {
                let fits = Arc::make_mut(fits);
                fits.retain(|id| *id >= oldest && *id < from);
                fits.extend(added);
            }
        }
        self.indexed_up_to = last_final(history);
        self.fix_selection(history);
    }

    /// Makes sure that the selected run is listed.
    fn fix_selection(&mut self, history: &History) {
        if self.selected_place(history).is_none() {
            self.selected = self.run_at(history, 0).unwrap_or(self.selected);
        }
    }

    /// The number of listed runs of this session.
    pub fn len(&self, history: &History) -> usize {
        self.matches.last().map_or(history.len(), |fits| fits.len())
    }

    /// The run at a place; the newest is at 0.
    pub fn at<'a>(&self, history: &'a History, place: usize) -> Option<&'a PastRun> {
        match self.matches.last() {
            Some(fits) => history.get(*fits.get(fits.len().checked_sub(place + 1)?)?),
            None => history.recent(place),
        }
    }

    /// The selected run, if it is of this session.
    pub fn chosen<'a>(&self, history: &'a History) -> Option<&'a PastRun> {
        let SelectedRun::Own(id) = self.selected else { return None };
        self.place(history, id).and_then(|_| history.get(id))
    }

    /// Handles a key.
    pub fn key(&mut self, code: KeyCode, control: bool, history: &History) -> PopupResult {
        let last = (self.len(history) + self.listed_earlier().len()).saturating_sub(1);
        let place = self.selected_place(history).unwrap_or(0);
        let to = match code {
            KeyCode::Home => Some(0),
            KeyCode::End => Some(last),
            KeyCode::Char('g') if !self.typing => Some(0),
            KeyCode::Char('G') if !self.typing => Some(last),
            KeyCode::Char('j') if !self.typing => moved_row(KeyCode::Down, false, place, last),
            KeyCode::Char('k') if !self.typing => moved_row(KeyCode::Up, false, place, last),
            code => moved_row(code, control, place, last),
        };
        if let Some(run) = to.and_then(|to| self.run_at(history, to)) {
            self.selected = run;
        } else if self.typing {
            return self.type_key(code, control, history);
        } else {
            return self.act(code, history);
        }
        PopupResult::Stay
    }

    fn type_key(&mut self, code: KeyCode, control: bool, history: &History) -> PopupResult {
        match code {
            KeyCode::Esc => self.forget(),
            KeyCode::Enter => self.typing = false,
            KeyCode::Backspace => {
                self.filter.pop();
                self.matches.pop();
                self.fix_selection(history);
            }
            KeyCode::Char('u') if control => self.forget(),
            KeyCode::Char(c) if !control => self.push(c.encode_utf8(&mut [0; 4]), history),
            _ => return PopupResult::Unknown,
        }
        PopupResult::Stay
    }

    fn act(&mut self, code: KeyCode, history: &History) -> PopupResult {
        let chosen = self.chosen(history).map(|run| run.id);
        match code {
            KeyCode::Esc if !self.filter.is_empty() => self.forget(),
            KeyCode::Esc => return PopupResult::Close,
            KeyCode::Char('/') => self.typing = true,
            KeyCode::Enter => {
                if let SelectedRun::Earlier(seq) = self.selected {
                    return PopupResult::Run(vec![Command::EventList(EventListCommand::OpenRun(seq))]);
                }
                return chosen.map_or(PopupResult::Stay, |id| PopupResult::Run(vec![Command::UsePastRun(id)]));
            }
            KeyCode::Char('d') => return chosen.map_or(PopupResult::Stay, PopupResult::Compare),
            _ => return PopupResult::Unknown,
        }
        PopupResult::Stay
    }

    fn forget(&mut self) {
        self.typing = false;
        self.filter.clear();
        self.matches.clear();
    }

    /// The words of the filter after each of its letters.
    fn words(&self) -> Vec<Vec<String>> {
        let mut so_far = String::new();
        let words = |letter| {
            so_far.push(letter);
            so_far.to_lowercase().split_whitespace().map(str::to_owned).collect()
        };
        self.filter.chars().map(words).collect()
    }

    /// The matches after the last letter of the filter: the previous matches that contain its last word.
    fn narrowed(&mut self, history: &History) -> Arc<Vec<FiringId>> {
        let word = self.filter.to_lowercase().split_whitespace().next_back().unwrap_or("").to_owned();
        let open = !self.filter.ends_with(char::is_whitespace);
        if self.index.is_none() {
            self.indexed_up_to = last_final(history);
        }
        let index = self.index.get_or_insert_with(|| RunIndex::of(history));
        match self.matches.last() {
            Some(before) if !open => Arc::clone(before),
            Some(before) => {
                let fits: Vec<FiringId> = before.iter().filter(|id| index.has(**id, &word)).copied().collect();
                if fits.len() == before.len() { Arc::clone(before) } else { Arc::new(fits) }
            }
            None => Arc::new(history.rows().filter(|run| index.has(run.id, &word)).map(|run| run.id).collect()),
        }
    }

    fn place(&self, history: &History, id: FiringId) -> Option<usize> {
        match self.matches.last() {
            Some(fits) => fits.binary_search(&id).ok().map(|index| fits.len() - 1 - index),
            None => history.place(id),
        }
    }

    /// The newest matches as sentences, and their number.
    pub fn sentences(&self, history: &History, shown: Option<FiringId>) -> Vec<String> {
        const SAID: usize = 20;
        let count = self.len(history);
        let mut all = vec![format!("{count} of {} runs, newest first.", history.len())];
        let runs = (0..count.min(SAID)).filter_map(|place| self.at(history, place));
        all.extend(runs.map(|run| format!("{}.", RunRow::of(run, shown).sentence())));
        if count > SAID {
            all.push(format!("And {} more.", count - SAID));
        }
        let earlier = self.listed_earlier();
        all.extend(earlier.iter().take(SAID).map(|run| format!("{}.", run.sentence())));
        if earlier.len() > SAID {
            all.push(format!("And {} earlier ones.", earlier.len() - SAID));
        }
        all
    }

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
        let rows: Vec<RunRow> = (first..end.min(own))
            .filter_map(|place| self.at(history, place))
            .map(|run| RunRow::of(run, model.shown_firing))
            .collect();
        let newest = history.newest().map_or(0, |run| run.id.0);
        let columns = RunColumns::of(&rows, newest, history.longest_event(), usize::from(inner.width));
        columns.heading(row(inner, 1), buf, theme);
        for (index, each) in rows.iter().enumerate() {
            let place = row(inner, 2 + index);
            columns.draw(each, place, buf, theme);
            if SelectedRun::Own(each.id) == self.selected {
                buf.set_style(place, theme.selected());
            }
        }
        for place in first.max(own)..end {
            let Some(run) = place.checked_sub(own).and_then(|at| earlier.get(at)) else { continue };
            let line = row(inner, 2 + place - first);
            run.draw(line, buf, theme);
            if SelectedRun::Earlier(run.seq) == self.selected {
                buf.set_style(line, theme.selected());
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

/// The newest run that is older than all running ones; its words no longer change.
fn last_final(history: &History) -> FiringId {
    match history.running().last() {
        Some(oldest) => FiringId(oldest.id.0.saturating_sub(1)),
        None => history.newest().map_or(FiringId(0), |run| run.id),
    }
}

/// The run to compare with: the shown one, otherwise an earlier run.
pub fn compare_partner(model: &Model, id: FiringId) -> Option<FiringId> {
    let shown = model.shown_firing.filter(|shown| *shown != id);
    shown.or_else(|| model.session.history().comparison_run(id).map(|run| run.id))
}
