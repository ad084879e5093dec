//! How severe missing trust is: one decision for every agent, used by all outputs.

use super::{LayerState, LoadedConfig, Place};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::hook::Layer;

impl LoadedConfig {
    /// Lowers missing trust to an info on a machine where the user has no settings of the agent (a build server, a new
    /// home directory): trust is given on the machine where the agent runs, so it is not a mistake in the project.
    /// `agent` is the agent's name.
    pub fn settle_missing_trust(&self, place: &Place, agent: &str, found: &mut [Diagnostic]) {
        let of_user = |layer: &super::LayerFile| {
            layer.layer == Layer::User && layer.state != LayerState::Absent && layer.path.starts_with(&place.home)
        };
        if self.layers.iter().any(of_user) {
            return;
        }
        for one in found.iter_mut().filter(|one| matches!(one.code, Code::HW703 | Code::HW704)) {
            one.severity = Severity::Info;
            one.note.get_or_insert_with(|| format!("{agent} has no settings in this home directory"));
        }
    }

    /// Settles the agent's own notes about trust; a reader that makes such notes calls it last.
    pub fn settle_trust_notes(&mut self, place: &Place, agent: &str) {
        let mut notes = std::mem::take(&mut self.notes);
        self.settle_missing_trust(place, agent, &mut notes);
        self.notes = notes;
    }
}
