//! The findings to report: those that are selected, not allowed and not in the baseline.

use super::{Allowed, Allows, Baseline, Choice, Finding, Linted};
use hookbench_core::diagnostic::Severity;

/// The filters between the findings and the report.
pub struct Settle<'a> {
    pub choice: &'a Choice,
    pub allows: &'a Allows,
    pub baseline: Option<&'a Baseline>,
    /// Whether all agents and all files were linted.
    pub whole: bool,
}

/// The findings to report, and the number of the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub findings: Vec<Finding>,
    pub allowed: Vec<Allowed>,
    /// The number of findings that are in the baseline.
    pub known: usize,
    /// The number of findings in the baseline that no longer exist.
    pub gone: usize,
    pub files: usize,
    pub hooks: usize,
}

impl Report {
    /// The number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Filters findings into a report.
pub fn settle(linted: Linted, how: &Settle<'_>) -> Report {
    let Linted { findings, files, hooks, comments, .. } = linted;
    let (stay, allowed) = how.allows.part(findings, &comments, how.whole);
    let allowed: Vec<Allowed> = allowed
        .into_iter()
        .filter_map(|a| Some(Allowed { finding: how.choice.take(a.finding)?, reason: a.reason }))
        .collect();
    let asked: Vec<Finding> = stay.into_iter().filter_map(|finding| how.choice.take(finding)).collect();
    let before = asked.len();
    let (findings, gone) = match how.baseline {
        Some(baseline) => baseline.beyond(asked),
        None => (asked, 0),
    };
    Report { known: before - findings.len(), findings, allowed, gone, files, hooks }
}
