//! Findings that the user has allowed, with the reason.

use super::finding::GuardFinding;

/// An allowance: findings of one rule that are right to pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowance {
    pub rule: String,
    /// A text that the evidence or the place contains. Empty: any.
    pub text: String,
    /// The project's directory. Empty: any.
    pub project: String,
    pub reason: String,
}

impl Allowance {
    /// Whether it allows a finding in a project.
    pub fn allows(&self, finding: &GuardFinding, project: &str) -> bool {
        let here = self.project.is_empty() || self.project.trim_end_matches('/') == project.trim_end_matches('/');
        let text = [&finding.evidence, &finding.place].iter().any(|own| own.contains(&self.text));
        self.rule == finding.rule && here && text
    }
}
