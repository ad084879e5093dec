//! The state of the Problems page. Lines are computed when their inputs change, and never while drawing.

use std::sync::Arc;

use crate::widgets;
use crate::widgets::StyledLine;
use hookbench_app::lint::{FindingGroup, FindingsReport};
use hookbench_core::diagnostic::Severity;

/// The open part of the selected finding, which fills the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemTab {
    /// The finding itself.
    Finding,
    /// The explanation of its code.
    Explanation,
}

/// The state of the Problems page.
#[derive(Default)]
pub struct ProblemsView {
    /// Errors first; the same finding in several agents is one group.
    pub(super) groups: Vec<FindingGroup>,
    /// The indexes of the groups that match the filter.
    matches: Vec<usize>,
    pub selected: usize,
    pub open: Option<ProblemTab>,
    /// The first visible line of the open part.
    pub scroll: usize,
    pub filter: String,
    /// The filter while it is typed, and its text before.
    pub typing: Option<(widgets::InputLine, String)>,
    /// The wrapped lines of the selected finding.
    pub lines: Vec<StyledLine>,
    /// The explanation of its code, shown below the finding on a tall screen.
    pub(super) explanation: Vec<StyledLine>,
    /// The report that the groups were built from.
    pub(super) report: Option<Arc<FindingsReport>>,
    /// The inputs that the lines were computed from.
    pub(super) lines_inputs: Option<FindingLinesInputs>,
}

#[derive(PartialEq)]
pub(super) struct FindingLinesInputs {
    pub group: FindingGroup,
    pub open: Option<ProblemTab>,
    pub size: (u16, u16),
}

impl ProblemsView {
    /// The number of errors and warnings, for the tab; the same finding in several agents counts once.
    pub fn urgent_count(&self) -> usize {
        self.groups.iter().filter(|group| group.finding.severity > Severity::Info).count()
    }

    /// Whether one of the findings is an error.
    pub fn has_errors(&self) -> bool {
        self.groups.iter().any(|group| group.finding.severity == Severity::Error)
    }

    /// Closes what was opened or typed on the page.
    pub fn close(&mut self) {
        (self.open, self.typing) = (None, None);
    }

    /// Keeps the cursor on the same finding, otherwise on the same row.
    pub(super) fn stay_on(&mut self, before: Option<&FindingGroup>) {
        let Some(before) = before else { return };
        let is = |group: &FindingGroup| {
            let (a, b) = (&group.finding, &before.finding);
            (a.code, &a.path, &a.line, &a.message) == (b.code, &b.path, &b.line, &b.message)
        };
        match self.matches.iter().position(|index| self.groups.get(*index).is_some_and(is)) {
            Some(row) => self.selected = row,
            // The open finding no longer exists.
            None => (self.open, self.scroll) = (None, 0),
        }
    }

    /// Applies the filter.
    pub fn apply_filter(&mut self) {
        let words: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let fits = |group: &FindingGroup| {
            let found = &group.finding;
            let hook = found.hook.as_ref().map(|hook| format!("{} {}", hook.label, hook.event)).unwrap_or_default();
            let file = found.file.as_deref().unwrap_or("");
            let (severity, agents) = (found.severity.word(), group.agent_words().join(" "));
            let text = format!("{severity} {} {file} {} {hook} {agents}", found.code, found.message).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        self.matches =
            self.groups.iter().enumerate().filter(|(_, group)| fits(group)).map(|(index, _)| index).collect();
        self.selected = self.selected.min(self.matches.len().saturating_sub(1));
    }

    /// The groups that match the filter, in order.
    pub fn shown(&self) -> impl Iterator<Item = &FindingGroup> {
        self.matches.iter().filter_map(|index| self.groups.get(*index))
    }

    /// The lines of the selected finding, and of its explanation where both have room.
    pub(super) fn all_lines(&self) -> impl Iterator<Item = &StyledLine> {
        // The first two lines of an explanation repeat the finding.
        self.lines.iter().chain(self.explanation.iter().skip(2))
    }

    /// The number of matching groups, and of all groups.
    pub fn counts(&self) -> (usize, usize) {
        (self.matches.len(), self.groups.len())
    }

    /// All groups.
    pub fn all(&self) -> &[FindingGroup] {
        &self.groups
    }

    /// The selected group.
    pub fn group(&self) -> Option<&FindingGroup> {
        self.groups.get(*self.matches.get(self.selected)?)
    }
}
