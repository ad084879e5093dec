//! The search index of the runs, in one contiguous text: every typed letter searches up to a hundred thousand
//! runs, whose own words are scattered in memory.

use hookbench_app::{FiringId, History};

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
