//! The rows of the list of hooks, and how the selection is kept when they change.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::hook_list::{HookListRow, RowsInputs};
use crate::model::Model;
use hookbench_app::{LEFT_OUT, is_forwarding};
use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::text::stringify;

impl Model {
    /// Rebuilds the rows. The selected hook stays selected, wherever it is now.
    pub(super) fn refresh_rows(&mut self) {
        let event = self.session.bench().payload.event.map(|e| (self.session.bench().payload.agent, e.name));
        let of = RowsInputs { shown: self.loaded().cloned(), now: self.session.loaded().cloned(), event };
        let rows = self.make_rows();
        let old = self.rows.get(self.selected);
        let other_event = self.rows_inputs.event != event;
        let place = match old.and_then(|row| self.rows_inputs.definition(row)) {
            Some(definition) => same_hook(definition, &rows, &of),
            None => rows.iter().position(|row| Some(row) == old).filter(|_| !other_event),
        };
        // A hook of the previous event is not followed into the fold of other events.
        let place = place.filter(|place| !other_event || matches!(rows.get(*place), Some(HookListRow::Hook(_))));
        let last = rows.len().saturating_sub(1);
        self.selected = place.unwrap_or(if other_event { 0 } else { self.selected }).min(last);
        (self.rows, self.rows_inputs) = (rows, of);
        if place.is_none() && other_event {
            self.select_decider();
        }
    }

    /// Selects the hook that decided; otherwise the first failed one.
    pub fn select_decider(&mut self) {
        let decided = self.firing().and_then(|f| {
            let by = f.outcome.as_ref()?.decided_by.first().cloned();
            by.or_else(|| f.first_failed().map(|r| r.hook.clone()))
        });
        let at = |id: &str| self.rows.iter().position(|r| matches!(r, HookListRow::Hook(hook) if hook == id));
        if let Some(index) = decided.as_deref().and_then(at) {
            self.selected = index;
        }
    }

    fn make_rows(&self) -> Vec<HookListRow> {
        let Some(agent) = self.session.current() else { return Vec::new() };
        let (Some(loaded), Some(now)) = (self.loaded(), self.session.loaded()) else { return Vec::new() };
        let event = self.session.bench().payload.event.map_or("", |e| e.name);
        let mut rows: Vec<HookListRow> = Vec::new();
        if let Some(plan) = self.plan() {
            let hooks = plan.entries.iter().filter(|entry| !self.is_recording(loaded, &entry.hook));
            rows.extend(hooks.map(|e| HookListRow::Hook(e.hook.clone())));
        }
        rows.extend((0..agent.stale.len()).map(HookListRow::Stale));
        // An earlier run has its own settings; hooks of other events are listed from the current settings.
        let hooks = rows
            .iter()
            .filter_map(|row| if let HookListRow::Hook(hook) = row { loaded.definition(hook) } else { None });
        let is_other = |d: &HookDefinition| !agent.dialect.is_same_event(&d.event, event);
        let here: Vec<&HookDefinition> = hooks.filter(|d| is_other(d)).collect();
        let known: HashSet<(&str, String)> = here.iter().map(|d| (d.event.as_str(), stringify(&d.raw))).collect();
        let planned = |d: &HookDefinition| !known.is_empty() && known.contains(&(d.event.as_str(), stringify(&d.raw)));
        let (own, others): (Vec<&HookDefinition>, Vec<&HookDefinition>) =
            now.definitions.iter().partition(|d| self.is_recording(now, &d.id));
        let others: Vec<&HookDefinition> = others.into_iter().filter(|d| is_other(d) && !planned(d)).collect();
        if !others.is_empty() {
            rows.push(HookListRow::Others(others.len()));
            if self.unfolded {
                let mut events: IndexMap<&str, Vec<&HookDefinition>> = IndexMap::new();
                for other in &others {
                    events.entry(&other.event).or_default().push(other);
                }
                for (name, hooks) in events {
                    rows.push(HookListRow::EventName(name.to_owned()));
                    rows.extend(hooks.into_iter().map(|d| HookListRow::Other(d.id.clone())));
                }
            }
        }
        let mut files: IndexMap<&str, Vec<&HookDefinition>> = IndexMap::new();
        for hook in own {
            files.entry(&hook.provenance.file).or_default().push(hook);
        }
        for (file, hooks) in files {
            rows.push(HookListRow::Own { file: file.to_owned(), hooks: hooks.len() });
            if self.unfolded_own.contains(file) {
                rows.extend(hooks.into_iter().map(|d| HookListRow::Other(d.id.clone())));
            }
        }
        rows.extend((0..now.ignored_files.len()).map(HookListRow::NotLoaded));
        rows
    }

    /// Whether a hook is one of hookbench's own that works. One that does not work is listed like any other.
    fn is_recording(&self, loaded: &LoadedConfig, hook: &str) -> bool {
        let Some(definition) = loaded.definition(hook) else { return false };
        let is_planned =
            |entry: &PlanEntry| matches!(entry.selection, Selection::Fires { .. }) || entry.why.rule == LEFT_OUT;
        is_forwarding(definition)
            && definition.rejection.is_none()
            && self.entry(hook).is_none_or(is_planned)
            && self.known_problem(hook).is_none()
    }
}

/// The row of a hook after the settings were read again: the same definition, otherwise one with the same handler,
/// otherwise one with the same label.
fn same_hook(old: &HookDefinition, rows: &[HookListRow], of: &RowsInputs) -> Option<usize> {
    let alike = |strict: bool| {
        let same = |new: &HookDefinition| {
            let here = new.event == old.event && new.provenance.file == old.provenance.file && new.raw == old.raw;
            here && (!strict || (new.matcher == old.matcher && new.provenance.line == old.provenance.line))
        };
        rows.iter().position(|row| of.definition(row).is_some_and(same))
    };
    alike(true).or_else(|| alike(false)).or_else(|| {
        let label = old.label();
        rows.iter().position(|row| of.definition(row).is_some_and(|new| new.event == old.event && new.label() == label))
    })
}
