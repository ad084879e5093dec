//! The findings to report: those that are selected, not allowed and not in the baseline.

use super::{
    AllowList, AllowedFinding, Finding, HookObservation, LintBaseline, LintInput, LintLevels, LintResult,
    LintSelection, lint_project,
};
use crate::disk::state_dir::StateDir;
use crate::recordings::store::recorded_times;
use hookbench_core::diagnostic::Severity;

/// The filters between the findings and the report.
pub struct ReportFilter<'a> {
    pub selection: &'a LintSelection,
    pub allows: &'a AllowList,
    pub baseline: Option<&'a LintBaseline>,
    /// Whether all agents and all files were linted.
    pub complete: bool,
}

/// The findings to report, and the number of the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingsReport {
    pub findings: Vec<Finding>,
    pub allowed: Vec<AllowedFinding>,
    /// The number of findings that are in the baseline.
    pub known: usize,
    /// The number of findings in the baseline that no longer exist.
    pub gone: usize,
    pub files: usize,
    pub hooks: usize,
}

impl FindingsReport {
    /// The number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Filters findings into a report.
pub fn make_report(linted: LintResult, how: &ReportFilter<'_>) -> FindingsReport {
    let LintResult { findings, files, hooks, comments, .. } = linted;
    let (stay, allowed) = how.allows.split(findings, &comments, how.complete);
    let allowed: Vec<AllowedFinding> = allowed
        .into_iter()
        .filter_map(|a| Some(AllowedFinding { finding: how.selection.apply(a.finding)?, reason: a.reason }))
        .collect();
    let asked: Vec<Finding> = stay.into_iter().filter_map(|finding| how.selection.apply(finding)).collect();
    let before = asked.len();
    let (findings, gone) = match how.baseline {
        Some(baseline) => baseline.new_findings(asked),
        None => (asked, 0),
    };
    FindingsReport { known: before - findings.len(), findings, allowed, gone, files, hooks }
}

/// Lints every loaded agent, adds what trials have shown, and filters the findings by the user's levels and allow entries.
pub fn find_problems(project: &LintInput, levels: LintLevels, observed: &[HookObservation]) -> FindingsReport {
    let allows = AllowList::read(&project.place, project.files.as_ref());
    let choice = LintSelection { levels, ..LintSelection::default() };
    let how = ReportFilter { selection: &choice, allows: &allows, baseline: None, complete: true };
    let times = recorded_times(&StateDir::of(&project.place));
    let mut linted = lint_project(project, None, &[], &times);
    for one in observed {
        linted.add_observed(one);
    }
    make_report(linted, &how)
}
