//! What runs are found by, one after the other in one text: a letter that is typed looks at a hundred thousand of them,
//! and they lie all over memory.

use hookbench_app::{FiringId, History};

/// The words of every run from one on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    first: FiringId,
    text: String,
    /// Where the words of each run end.
    ends: Vec<usize>,
}

impl Index {
    /// The words of all runs.
    pub(super) fn of(history: &History) -> Index {
        let first = history.rows().next().map_or(FiringId(0), |run| run.id);
        let mut index = Index { first, text: String::new(), ends: Vec::with_capacity(history.len()) };
        index.renew(first, history);
        index
    }

    /// From this run on they are others now.
    pub(super) fn renew(&mut self, from: FiringId, history: &History) {
        self.ends.truncate(self.at(from).unwrap_or(0));
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        for run in history.since(from) {
            run.words(&mut self.text);
            self.ends.push(self.text.len());
        }
    }

    /// Whether a word stands in a run. The word is in small letters.
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
