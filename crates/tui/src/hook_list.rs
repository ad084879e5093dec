//! The rows of the list of hooks, as data.

use std::sync::Arc;

use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::AgentId;

/// One row of the list of hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookListRow {
    /// A definition of this event, by its id.
    Hook(String),
    /// The fold of the definitions of other events, with their number.
    Others(usize),
    /// The heading of an unfolded event.
    EventName(String),
    /// A definition of another event, by its id.
    Other(String),
    /// The fold of hookbench's own hooks in a file, with their number.
    Own { file: String, hooks: usize },
    /// A definition in a file that is broken now: an index into the agent's stale definitions.
    Stale(usize),
    /// A file that is not loaded: an index into the agent's list.
    NotLoaded(usize),
}

/// The inputs that the rows were built from.
#[derive(Debug, Default)]
pub struct RowsInputs {
    /// The settings of the hooks of this event, and those of all others.
    pub shown: Option<Arc<LoadedConfig>>,
    pub now: Option<Arc<LoadedConfig>>,
    pub event: Option<(AgentId, &'static str)>,
}

impl RowsInputs {
    /// The definition of a row.
    pub fn definition(&self, row: &HookListRow) -> Option<&HookDefinition> {
        match row {
            HookListRow::Hook(id) => self.shown.as_ref()?.definition(id),
            HookListRow::Other(id) => self.now.as_ref()?.definition(id),
            _ => None,
        }
    }
}
