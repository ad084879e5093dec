//! The rows of the page, and the selection.

use std::sync::Arc;

use hookbench_app::guards::{GuardOverview, GuardsState, JudgedHit};
use hookbench_app::{GuardHook, guard_hooks};
use hookbench_core::config::{Files, Place};
use hookbench_core::hook::Layer;
use hookbench_core::names::AgentId;
use hookbench_core::port::AgentVersion;

/// A row: the index of a guard, or of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardsRow {
    Guard(usize),
    Hit(usize),
}

/// The state of the page.
#[derive(Default)]
pub struct GuardsView {
    pub(super) state: Option<Arc<GuardsState>>,
    /// The agent on the bench.
    pub(super) agent: Option<AgentId>,
    /// Each guard in the agent on the bench, in the order of the guards.
    pub(super) presence: Vec<GuardPresence>,
    /// The directory of the project. Findings of other projects are marked.
    pub(super) project: String,
    pub rows: Vec<GuardsRow>,
    pub selected: usize,
    /// Whether the detail is open on a screen without space for it beside the list.
    pub detail_open: bool,
    /// The first visible line of the detail.
    pub scroll: usize,
}

impl GuardsView {
    /// Closes what was opened on the page.
    pub fn close(&mut self) {
        self.detail_open = false;
    }

    /// The guards.
    pub fn guards(&self) -> &[GuardOverview] {
        self.state.as_ref().map_or(&[], |state| &state.guards)
    }

    /// The findings, the newest first.
    pub fn hits(&self) -> &[JudgedHit] {
        self.state.as_ref().map_or(&[], |state| &state.hits)
    }

    /// The selected row.
    pub fn row(&self) -> Option<GuardsRow> {
        self.rows.get(self.selected).copied()
    }

    /// The selected guard.
    pub fn guard(&self) -> Option<&GuardOverview> {
        match self.row()? {
            GuardsRow::Guard(index) => self.guards().get(index),
            GuardsRow::Hit(_) => None,
        }
    }

    /// The selected guard, if the agent on the bench can run it and does not have it.
    pub fn installable(&self) -> Option<&GuardOverview> {
        let GuardsRow::Guard(index) = self.row()? else { return None };
        self.guards().get(index).filter(|_| matches!(self.presence.get(index), Some(GuardPresence::Absent { .. })))
    }

    /// Whether a finding belongs to this project.
    pub(super) fn is_own(&self, one: &JudgedHit) -> bool {
        let rest = one.hit.project.strip_prefix(&self.project);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The number of events that a trial checked.
    pub fn tried(&self) -> Option<u64> {
        self.state.as_ref().and_then(|state| state.tried)
    }

    /// The selected finding.
    pub fn hit(&self) -> Option<&JudgedHit> {
        match self.row()? {
            GuardsRow::Hit(index) => self.hits().get(index),
            GuardsRow::Guard(_) => None,
        }
    }
}

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
