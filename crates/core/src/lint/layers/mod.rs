//! HW7xx: layers, policy, trust and freshness.

mod checkout;
mod duplicates;
mod home;
mod stale;
mod tracked;
mod untrusted;

use super::Rule;
use crate::config::LayerState;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialects::Whole;
use crate::hook::Layer;

pub(super) const RULES: &[Rule] = &[
    Rule::Whole(untrusted::look),
    Rule::Whole(duplicates::look),
    Rule::Whole(home::look),
    Rule::Whole(stale::look),
    Rule::One(checkout::look),
    Rule::One(tracked::look),
];

/// Lowers missing trust to an info on a machine where the user has no settings of the agent (a build server, a new
/// home folder): trust is given on the machine where the agent runs, so it is not a mistake in the project.
pub(super) fn settle(at: &Whole<'_>, found: &mut [Diagnostic]) {
    let of_user = |layer: &crate::config::LayerFile| {
        layer.layer == Layer::User && layer.state != LayerState::Absent && layer.path.starts_with(&at.place.home)
    };
    if at.loaded.layers.iter().any(of_user) {
        return;
    }
    for one in found.iter_mut().filter(|one| matches!(one.code, "HW703" | "HW704")) {
        one.severity = Severity::Info;
        one.note.get_or_insert_with(|| format!("{} has no settings in this home folder", at.dialect.name()));
    }
}
