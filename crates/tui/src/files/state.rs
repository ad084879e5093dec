//! The list of files. It is rebuilt when an agent has read its files again, and never while drawing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::calibration::{self, CalibrationSummary};
use crate::model::Model;
use hookbench_app::inventory::{AgentFiles, HookRow, IgnoredFileRow, LayerRow, SwitchRow, inventory};
use hookbench_core::config::LoadedConfig;
use hookbench_core::names::AgentId;

/// A row of the list: the index of the agent, and the index of the thing in that agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesRow {
    Agent(usize),
    Layer(usize, usize),
    Hook(usize, usize, usize),
    Switch(usize, usize),
    NotRead(usize, usize),
}

impl FilesRow {
    /// The index of its agent.
    pub fn agent(self) -> usize {
        match self {
            FilesRow::Agent(agent)
            | FilesRow::Layer(agent, _)
            | FilesRow::Hook(agent, ..)
            | FilesRow::Switch(agent, _)
            | FilesRow::NotRead(agent, _) => agent,
        }
    }
}

/// The state of the Files page.
#[derive(Default)]
pub struct FilesView {
    pub agents: Vec<AgentFiles>,
    /// The evidence for each agent's behaviour.
    pub calibrations: Vec<CalibrationSummary>,
    pub(super) inputs: Vec<(AgentId, Arc<LoadedConfig>)>,
    pub items: Vec<FilesRow>,
    pub selected: usize,
    /// The unfolded files: agent and path.
    unfolded: BTreeSet<(AgentId, String)>,
    /// Whether the detail is open on a screen without space for it beside the list.
    pub detail_open: bool,
    /// The first visible line of the detail.
    pub scroll: usize,
    pub filter: String,
    pub typing: bool,
    /// Whether the agent on the bench was already selected when the page was first opened.
    pub(super) start_selected: bool,
}

impl FilesView {
    /// Closes what was opened or typed on the page.
    pub fn close(&mut self) {
        (self.detail_open, self.typing) = (false, false);
    }

    /// Lists the rows that match the filter and keeps the selection.
    pub fn list(&mut self) {
        let now = self.item();
        let wanted = self.filter.to_lowercase();
        let mut items = Vec::new();
        for (a, agent) in self.agents.iter().enumerate() {
            let before = items.len();
            items.push(FilesRow::Agent(a));
            for (l, layer) in agent.layers.iter().enumerate() {
                let own = fits(&wanted, &[agent.name, layer.layer, &layer.file]);
                let open = self.is_open(agent.agent, layer);
                let hooks = layer.hooks.iter().enumerate();
                let shown: Vec<FilesRow> = hooks
                    .filter(|(_, hook)| if wanted.is_empty() { open } else { hook_fits(&wanted, hook) || own && open })
                    .map(|(h, _)| FilesRow::Hook(a, l, h))
                    .collect();
                if own || !shown.is_empty() {
                    items.push(FilesRow::Layer(a, l));
                    items.extend(shown);
                }
            }
            let switches = agent.switches.iter().enumerate();
            items.extend(
                switches
                    .filter(|(_, s)| fits(&wanted, &[agent.name, &s.name, s.set_by.as_deref().unwrap_or("")]))
                    .map(|(s, _)| FilesRow::Switch(a, s)),
            );
            let not_read = agent.ignored_files.iter().enumerate();
            items.extend(
                not_read.filter(|(_, n)| fits(&wanted, &[agent.name, &n.file])).map(|(n, _)| FilesRow::NotRead(a, n)),
            );
            if !wanted.is_empty() && items.len() == before + 1 {
                items.pop();
            }
        }
        self.items = items;
        let again = now.and_then(|now| self.items.iter().position(|item| *item == now));
        self.selected = again.unwrap_or(self.selected).min(self.items.len().saturating_sub(1));
    }

    /// Forgets the inputs, so that the list is built again.
    pub fn forget(&mut self) {
        self.inputs.clear();
    }

    /// The selected row.
    pub fn item(&self) -> Option<FilesRow> {
        self.items.get(self.selected).copied()
    }

    fn is_open(&self, agent: AgentId, layer: &LayerRow) -> bool {
        self.unfolded.contains(&(agent, layer.path.clone()))
    }

    /// Folds or unfolds the selected file; `None` toggles. Returns `false` if nothing changes.
    pub fn fold(&mut self, open: Option<bool>) -> bool {
        let Some(FilesRow::Layer(a, l) | FilesRow::Hook(a, l, _)) = self.item() else { return false };
        let Some((agent, layer)) = self.layer(a, l).filter(|(_, layer)| !layer.hooks.is_empty()) else { return false };
        let key = (agent.agent, layer.path.clone());
        let now = self.unfolded.contains(&key);
        let wanted = open.unwrap_or(!now);
        if wanted == now {
            return false;
        }
        if wanted {
            self.unfolded.insert(key);
        } else {
            self.unfolded.remove(&key);
            self.selected = self.items.iter().position(|item| *item == FilesRow::Layer(a, l)).unwrap_or(self.selected);
        }
        self.list();
        true
    }

    /// Whether the agent of the selected row can be calibrated, or was calibrated.
    pub(super) fn has_calibration(&self) -> bool {
        let known = self.item().and_then(|row| self.calibrations.get(row.agent()));
        known.is_some_and(|known| known.missing.is_none())
    }

    /// A file.
    pub fn layer(&self, agent: usize, layer: usize) -> Option<(&AgentFiles, &LayerRow)> {
        let agent = self.agents.get(agent)?;
        Some((agent, agent.layers.get(layer)?))
    }

    /// A hook in a file.
    pub fn hook(&self, agent: usize, layer: usize, hook: usize) -> Option<(&AgentFiles, &LayerRow, &HookRow)> {
        let (agent, layer) = self.layer(agent, layer)?;
        Some((agent, layer, layer.hooks.get(hook)?))
    }

    /// A switch.
    pub fn switch(&self, agent: usize, switch: usize) -> Option<(&AgentFiles, &SwitchRow)> {
        let agent = self.agents.get(agent)?;
        Some((agent, agent.switches.get(switch)?))
    }

    /// A file that looks like settings but is not read.
    pub fn not_read(&self, agent: usize, file: usize) -> Option<(&AgentFiles, &IgnoredFileRow)> {
        let agent = self.agents.get(agent)?;
        Some((agent, agent.ignored_files.get(file)?))
    }
}

fn fits(wanted: &str, texts: &[&str]) -> bool {
    wanted.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(wanted))
}

fn hook_fits(wanted: &str, hook: &HookRow) -> bool {
    fits(wanted, &[&hook.event, &hook.matcher, &hook.label, &hook.action])
}

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
