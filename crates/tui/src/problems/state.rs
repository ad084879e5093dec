//! What only the screen knows of the page. Lines are made when something changes, never while drawing.

use std::sync::Arc;

use super::detail;
use crate::compare::Line;
use crate::model::Model;
use crate::page::Page;
use crate::widgets;
use hookbench_app::lint::{Group, Report, groups};
use hookbench_core::diagnostic::Severity;

/// What of the selected finding has the whole page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The finding itself.
    Finding,
    /// What its code means.
    Explained,
}

/// The page's own state.
#[derive(Default)]
pub struct ProblemsView {
    /// Errors first; the same finding in several agents is one.
    groups: Vec<Group>,
    /// Those that fit the filter, by their number.
    fits: Vec<usize>,
    pub selected: usize,
    pub open: Option<Part>,
    /// First line of what is open.
    pub scroll: usize,
    pub filter: String,
    /// The filter as it is typed, and what it was before.
    pub typing: Option<(widgets::Line, String)>,
    /// The selected finding, in lines that fit.
    pub lines: Vec<Line>,
    /// The report that the groups are of.
    of: Option<Arc<Report>>,
    /// What the lines are of.
    lines_of: Option<LinesOf>,
}

#[derive(PartialEq)]
struct LinesOf {
    group: Group,
    open: Option<Part>,
    columns: u16,
}

/// Errors and warnings, for the tab: the same in several agents is one.
pub fn count(model: &Model) -> usize {
    model.problems.groups.iter().filter(|group| group.finding.severity > Severity::Info).count()
}

impl ProblemsView {
    /// Brings it up to date; does nothing where nothing has changed.
    pub fn refresh(&mut self, model: &Model) {
        let report = model.session.problems.report.as_ref();
        let same = match (&self.of, report) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if !same {
            let before = self.group().cloned();
            self.groups = report.map(|report| groups(&report.findings)).unwrap_or_default();
            // Within one severity they stay in the order of files and lines.
            self.groups.sort_by_key(|group| std::cmp::Reverse(group.finding.severity));
            self.of = report.cloned();
            self.find();
            self.stay_on(before.as_ref());
        }
        if model.page == Page::Problems {
            self.refresh_lines(model);
        }
    }

    /// The cursor stays on the finding that it was on, else on its row.
    fn stay_on(&mut self, before: Option<&Group>) {
        let Some(before) = before else { return };
        let is = |group: &Group| {
            let (a, b) = (&group.finding, &before.finding);
            (a.code, &a.path, &a.line, &a.message) == (b.code, &b.path, &b.line, &b.message)
        };
        match self.fits.iter().position(|index| self.groups.get(*index).is_some_and(is)) {
            Some(row) => self.selected = row,
            // What was open of it is about nothing any more.
            None => (self.open, self.scroll) = (None, 0),
        }
    }

    fn refresh_lines(&mut self, model: &Model) {
        let Some(group) = self.group().cloned() else {
            (self.open, self.lines_of) = (None, None);
            self.lines.clear();
            return;
        };
        let of = LinesOf { group, open: self.open, columns: model.size.0 };
        if self.lines_of.as_ref() != Some(&of) {
            self.lines = match self.open {
                Some(Part::Explained) => detail::explained(model, of.group.finding.code),
                part => detail::finding(model, &of.group, part.is_some()),
            };
            self.lines_of = Some(of);
        }
    }

    /// Finds those that fit the filter.
    pub fn find(&mut self) {
        let words: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let fits = |group: &Group| {
            let found = &group.finding;
            let hook = found.hook.as_ref().map(|hook| format!("{} {}", hook.label, hook.event)).unwrap_or_default();
            let file = found.file.as_deref().unwrap_or("");
            let (severity, agents) = (found.severity.word(), group.agents.join(" "));
            let text = format!("{severity} {} {file} {} {hook} {agents}", found.code, found.message).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        self.fits = self.groups.iter().enumerate().filter(|(_, group)| fits(group)).map(|(index, _)| index).collect();
        self.selected = self.selected.min(self.fits.len().saturating_sub(1));
    }

    /// Those that fit, in their order.
    pub fn shown(&self) -> impl Iterator<Item = &Group> {
        self.fits.iter().filter_map(|index| self.groups.get(*index))
    }

    /// How many fit, and how many there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.fits.len(), self.groups.len())
    }

    /// All of them.
    pub fn all(&self) -> &[Group] {
        &self.groups
    }

    /// The selected one.
    pub fn group(&self) -> Option<&Group> {
        self.groups.get(*self.fits.get(self.selected)?)
    }
}
