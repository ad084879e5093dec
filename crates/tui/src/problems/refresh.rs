//! Updates groups and lines when their inputs have changed, and never while drawing.

use std::sync::Arc;

use super::detail;
use super::state::{FindingLinesInputs, ProblemTab, ProblemsView};
use crate::model::Model;
use crate::page::Page;
use hookbench_app::lint::group_findings;

/// Minimum height of a screen that has room for the explanation of a code below a finding, in rows.
const TALL: u16 = 45;

impl ProblemsView {
    /// Updates groups and lines if their inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        let report = model.session.problems().report.as_ref();
        let same = match (&self.report, report) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if !same {
            let before = self.group().cloned();
            self.groups = report.map(|report| group_findings(&report.findings)).unwrap_or_default();
            // The numbers of the codes go from whole files through events and matchers to scripts, so what stops most
            // hooks comes first. Within one code the findings stay in the order of files and lines.
            self.groups.sort_by_key(|group| (std::cmp::Reverse(group.finding.severity), group.finding.code));
            self.report = report.cloned();
            self.apply_filter();
            self.stay_on(before.as_ref());
        }
        if model.page == Page::Problems {
            self.refresh_lines(model);
        }
    }

    fn refresh_lines(&mut self, model: &Model) {
        let Some(group) = self.group().cloned() else {
            (self.open, self.lines_inputs) = (None, None);
            self.lines.clear();
            return;
        };
        let of = FindingLinesInputs { group, open: self.open, size: model.size };
        if self.lines_inputs.as_ref() != Some(&of) {
            self.lines = match self.open {
                Some(ProblemTab::Explanation) => {
                    detail::explained(model, of.group.finding.code, detail::page_columns(model))
                }
                part => detail::finding(model, &of.group, part.is_some()),
            };
            let explains = self.open.is_none() && model.size.1 >= TALL;
            self.explanation = if explains {
                detail::explained(model, of.group.finding.code, detail::page_columns(model))
            } else {
                Vec::new()
            };
            self.lines_inputs = Some(of);
        }
    }
}
