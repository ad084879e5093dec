//! A guard in the agent on the bench: whether it is installed, and where it can be added.

use hookbench_app::guards::GuardOverview;
use hookbench_app::{GuardHook, guard_hooks};
use hookbench_core::config::{Files, Place};
use hookbench_core::hook::Layer;
use hookbench_core::port::AgentVersion;

/// The layer to which the page adds guards.
pub const LAYER: Layer = Layer::Project;

/// A guard in an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardPresence {
    Installed,
    /// It is installed, but the agent runs none of its hooks.
    Inactive,
    /// It can be added to this file.
    Absent {
        file: String,
    },
    /// It cannot be added, for this reason.
    Impossible(String),
}

impl GuardPresence {
    /// The presence of a guard in an agent.
    pub fn of(guard: &GuardOverview, agent: &AgentVersion, place: &Place, files: &dyn Files) -> GuardPresence {
        let mut own = guard.installed.iter().filter(|command| command.agent == agent.dialect.id()).peekable();
        if own.peek().is_some() {
            let runs = own.any(|command| command.inactive.is_none());
            return if runs { GuardPresence::Installed } else { GuardPresence::Inactive };
        }
        let hooks = match guard_hooks(guard.guard, agent) {
            Ok(hooks) => hooks,
            Err(why) => return GuardPresence::Impossible(why),
        };
        let file = |hook: &GuardHook| agent.dialect.file_for_event(place, files, LAYER, &hook.event);
        match hooks.iter().find_map(file) {
            Some(file) => GuardPresence::Absent { file: place.display_path(&file.path) },
            None => GuardPresence::Impossible("it has no settings file in the project".to_owned()),
        }
    }
}
