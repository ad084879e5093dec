//! The state of the Match page. The result is recomputed when the text, the settings or the recorded events
//! change, and never while drawing.

use hookbench_core::names::AgentId;
use std::sync::Arc;

use crate::widgets;
use crate::widgets::StyledLine;
use hookbench_app::{Ladder, MatcherAssessment, SubjectCounts};
use hookbench_core::config::LoadedConfig;
use hookbench_core::matching::{MatchCell, MatchTable};

/// A hook of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherOwner {
    pub agent: AgentId,
    pub hook: String,
}

/// The text that is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypingTarget {
    /// The matcher.
    Matcher,
    /// The filter of the names; a name that is not listed is added.
    Filter,
}

/// The panes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MatchPane {
    #[default]
    Values,
    /// The interpretations and the reasons.
    Interpretation,
}

/// The change of the file, on the line of the matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherLineChange {
    pub line: u32,
    pub before: Option<String>,
    pub after: Vec<String>,
}

/// The state of the Match page.
#[derive(Default)]
pub struct MatchView {
    pub owner: Option<MatcherOwner>,
    /// The matcher being tested.
    pub text: widgets::InputLine,
    pub typing: Option<TypingTarget>,
    /// The matcher before typing began.
    pub text_before: String,
    pub filter: widgets::InputLine,
    /// Names added by the user.
    pub added_names: Vec<String>,
    pub board: Option<MatchTable>,
    pub result: Option<MatcherAssessment>,
    /// The rows of the table, as indexes of values.
    pub rows: Vec<usize>,
    /// The name under the cursor; `None` for the first row.
    pub selected_name: Option<String>,
    pub pane: MatchPane,
    pub zoomed: bool,
    /// The first visible line of the interpretations.
    pub scroll: usize,
    /// The ladder for the selected name.
    pub ladder: Option<Ladder>,
    /// The change of the file, or the reason why it cannot be written; `None` if the matcher is unchanged.
    pub change: Option<Result<MatcherLineChange, String>>,
    /// The interpretations and reasons, not wrapped.
    pub lines: Vec<StyledLine>,
    /// Whether recorded events have been requested.
    pub counts_requested: bool,
    pub(super) board_inputs: Option<BoardInputs>,
    pub(super) result_inputs: Option<String>,
    pub(super) filtered: Option<String>,
    pub(super) lines_inputs: Option<(String, u16)>,
}

/// The inputs that the board was built from.
#[derive(PartialEq)]
pub(super) struct BoardInputs {
    pub whose: Option<MatcherOwner>,
    pub event: String,
    pub loaded: Vec<Option<ArcIdentity<LoadedConfig>>>,
    pub kinds: Option<ArcIdentity<SubjectCounts>>,
    pub typed: Vec<String>,
    pub shown: Vec<AgentId>,
}

/// A value compared by identity: equal until it is read again.
pub(super) struct ArcIdentity<T>(pub Arc<T>);

impl<T> PartialEq for ArcIdentity<T> {
    fn eq(&self, other: &ArcIdentity<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl MatchView {
    /// Closes what was opened or typed on the page.
    pub fn close(&mut self) {
        (self.typing, self.zoomed) = (None, false);
    }

    /// The row under the cursor.
    pub fn row(&self) -> usize {
        let named = |index: &usize| {
            let value = self.board.as_ref().and_then(|board| board.values.get(*index));
            value.is_some_and(|value| Some(&value.name) == self.selected_name.as_ref())
        };
        self.rows.iter().position(named).unwrap_or(0)
    }

    /// The name under the cursor, and its result in each agent.
    pub fn selected(&self) -> Option<(String, Vec<MatchCell>)> {
        let index = *self.rows.get(self.row())?;
        let value = self.board.as_ref()?.values.get(index)?;
        let cells = self.result.as_ref()?.answer.cells.get(index)?;
        Some((value.name.clone(), cells.clone()))
    }

    /// Moves the cursor to a row.
    pub fn select(&mut self, row: usize) {
        let row = row.min(self.rows.len().saturating_sub(1));
        let value = self.rows.get(row).and_then(|index| self.board.as_ref()?.values.get(*index));
        self.selected_name = value.map(|value| value.name.clone());
        self.scroll = 0;
    }
}
