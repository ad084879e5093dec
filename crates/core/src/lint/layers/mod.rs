//! HW7xx: layers, policy, trust and freshness.

mod duplicates;
mod home_project;
mod other_checkout;
mod stale_session;
mod untracked_script;
mod untrusted_files;

use super::LintRule;
use crate::config::LayerState;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::AgentContext;
use crate::hook::Layer;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Agent(untrusted_files::check),
    LintRule::Agent(duplicates::check),
    LintRule::Agent(home_project::check),
    LintRule::Agent(stale_session::check),
    LintRule::One(other_checkout::check),
    LintRule::One(untracked_script::check),
];

/// Lowers missing trust to an info on a machine where the user has no settings of the agent (a build server, a new
/// home directory): trust is given on the machine where the agent runs, so it is not a mistake in the project.
pub(super) fn settle(at: &AgentContext<'_>, found: &mut [Diagnostic]) {
    let of_user = |layer: &crate::config::LayerFile| {
        layer.layer == Layer::User && layer.state != LayerState::Absent && layer.path.starts_with(&at.place.home)
    };
    if at.loaded.layers.iter().any(of_user) {
        return;
    }
    for one in found.iter_mut().filter(|one| matches!(one.code, Code::HW703 | Code::HW704)) {
        one.severity = Severity::Info;
        one.note.get_or_insert_with(|| format!("{} has no settings in this home directory", at.dialect.name()));
    }
}
