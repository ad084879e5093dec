//! HW7xx: layers, policy, trust and freshness.

mod bare_worktree;
mod duplicates;
mod home_project;
mod other_checkout;
mod stale_session;
mod untracked_script;
mod untrusted_files;

use super::LintRule;

pub use untrusted_files::untrusted_files;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Agent(untrusted_files::check),
    LintRule::Agent(|at| bare_worktree::check(at).into_iter().collect()),
    LintRule::Agent(duplicates::check),
    LintRule::Agent(home_project::check),
    LintRule::Agent(stale_session::check),
    LintRule::One(other_checkout::check),
    LintRule::One(untracked_script::check),
];
