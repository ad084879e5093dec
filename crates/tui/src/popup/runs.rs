//! The list of runs, newest first. Only the visible rows are built, whatever the length of the list.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::PopupResult;
use super::runs_rows::RunRow;
use crate::run_time::seconds;
use crate::widgets::moved_row;
use hookbench_app::{Command, EventListCommand, EventListRow, FiringId, History, PastRun};
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

/// The words of all runs, beginning with `first`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunIndex {
    first: FiringId,
    text: String,
    /// The end of each run's words in the text.
    ends: Vec<usize>,
}

impl RunIndex {
    /// Builds the index of all runs.
    pub(super) fn of(history: &History) -> RunIndex {
        let first = history.rows().next().map_or(FiringId(0), |run| run.id);
        let mut index = RunIndex { first, text: String::new(), ends: Vec::with_capacity(history.len()) };
        index.rebuild_from(first, history);
        index
    }

    /// Rebuilds the index beginning with this run.
    pub(super) fn rebuild_from(&mut self, from: FiringId, history: &History) {
        self.ends.truncate(self.at(from).unwrap_or(0));
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        for run in history.since(from) {
            run.append_search_text(&mut self.text);
            self.ends.push(self.text.len());
        }
    }

    /// Whether a run contains a word, given in lowercase.
    pub(super) fn has(&self, id: FiringId, word: &str) -> bool {
        let Some(at) = self.at(id) else { return false };
        let begin = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let words = self.ends.get(at).and_then(|end| self.text.get(begin..*end));
        words.is_some_and(|words| words.contains(word))
    }

    fn at(&self, id: FiringId) -> Option<usize> {
        usize::try_from(id.0.checked_sub(self.first.0)?).ok()
    }
}

/// The selected run: one of this session, or an earlier one by the number of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectedRun {
    Own(FiringId),
    Earlier(i64),
}

/// The list and its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunList {
    pub(super) selected: SelectedRun,
    /// The logged runs of earlier sessions, the newest first; `None` until they are read.
    pub(super) earlier: Option<Vec<EarlierRunRow>>,
    pub(super) filter: String,
    pub(super) typing: bool,
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
    pub(super) fn listed_earlier(&self) -> Vec<&EarlierRunRow> {
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
    pub(super) fn selected_place(&self, history: &History) -> Option<usize> {
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
}

/// The newest run that is older than all running ones; its words no longer change.
fn last_final(history: &History) -> FiringId {
    match history.running().last() {
        Some(oldest) => FiringId(oldest.id.0.saturating_sub(1)),
        None => history.newest().map_or(FiringId(0), |run| run.id),
    }
}
