//! Adds the selected guard to the project settings of the agent on the bench.

use super::presence::LAYER;
use crate::model::Model;
use crate::popup::show_patch_with_note;
use hookbench_app::{GuardInstallRequest, prepare_guards};
use hookbench_core::guard::{GuardMode, GuardName};
use hookbench_core::port::AgentVersion;

/// Shows the settings with the guard as a patch; `Y` writes them.
pub fn show_install(model: &mut Model, guard: GuardName, mode: GuardMode) {
    let Some(state) = model.session.agent(model.session.bench().payload.agent.as_str()) else { return };
    let agent = AgentVersion { dialect: state.dialect, version: state.version.clone() };
    let name = agent.dialect.name();
    let request = GuardInstallRequest { guards: &[guard], agents: &[agent], layer: LAYER };
    let install = match prepare_guards(model.session.place(), model.session.files(), &request) {
        Ok(install) => install,
        Err(why) => {
            model.toast = Some(why.to_string());
            return;
        }
    };
    if install.changes.is_empty() {
        model.toast = Some(format!("{name} has {} already", guard.word()));
        return;
    }
    let effect = match mode {
        GuardMode::Shadow => "it records findings and stops nothing",
        GuardMode::Warn => "it warns you and stops nothing",
        GuardMode::Deny => "it refuses",
        GuardMode::Off => "it does nothing",
    };
    let note = format!("finds {}; mode {}: {effect}", guard.about(), mode.word());
    show_patch_with_note(model, format!("Install guard {} in {name}", guard.word()), Some(note), install.changes);
}
