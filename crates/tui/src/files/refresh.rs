//! Builds the list of files again when an agent has read its files, and never while drawing.

use std::sync::Arc;

use super::{FilesRow, FilesView};
use crate::calibration;
use crate::model::Model;
use hookbench_app::inventory::inventory;

impl FilesView {
    /// Rebuilds the list if an agent has read its files again.
    pub fn refresh(&mut self, model: &Model) {
        let now: Vec<_> =
            model.session.agents().iter().filter_map(|a| Some((a.dialect.id(), a.loaded.clone()?))).collect();
        let same = now.len() == self.inputs.len()
            && now.iter().zip(&self.inputs).all(|(new, old)| new.0 == old.0 && Arc::ptr_eq(&new.1, &old.1));
        if !same {
            self.agents = inventory(&model.session);
            self.calibrations =
                model.session.agents().iter().map(|state| calibration::summary(&model.session, state)).collect();
            self.inputs = now;
        }
        self.list();
        if !self.start_selected && !self.agents.is_empty() {
            self.start_selected = true;
            let of_bench = self.agents.iter().position(|a| a.agent == model.session.bench().payload.agent).unwrap_or(0);
            self.selected = self.items.iter().position(|item| *item == FilesRow::Agent(of_bench)).unwrap_or(0);
        }
    }
}
