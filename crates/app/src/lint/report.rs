//! What is left to be said: without what is allowed, was not asked for, or was known before.

use super::{Allowed, Allows, Baseline, Choice, Finding, Linted};
use hookbench_core::diagnostic::Severity;

/// What stands between what is found and what is said.
pub struct Settle<'a> {
    pub choice: &'a Choice,
    pub allows: &'a Allows,
    pub baseline: Option<&'a Baseline>,
    /// Everything was looked at: all agents, all files.
    pub whole: bool,
}

/// What is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub findings: Vec<Finding>,
    pub allowed: Vec<Allowed>,
    /// Findings that the baseline has.
    pub known: usize,
    /// Findings of the baseline that are not there any more.
    pub gone: usize,
    pub files: usize,
    pub hooks: usize,
}

impl Report {
    /// How many are so bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Settles what is said of what was found.
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
