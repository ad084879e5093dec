//! The ladder of the selected hook: its steps, with the findings of lint.

use crate::hook_list::HookListRow;
use crate::model::Model;
use hookbench_app::lint::Finding;
use hookbench_app::{LadderParts, ladder, ladder_of_file};
use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::{HookDefinition, Rejection};
use hookbench_core::names::RuleId;
use hookbench_core::plan::RungName;

impl Model {
    /// Computes the ladder of the selected row.
    pub(super) fn refresh_ladder(&mut self) {
        let Some(definition) = self.definition().cloned() else {
            let not_loaded = match self.rows.get(self.selected) {
                Some(HookListRow::NotLoaded(index)) => self.session.loaded().and_then(|l| l.ignored_files.get(*index)),
                _ => None,
            };
            self.ladder = not_loaded.map(ladder_of_file);
            self.definition_facts = None;
            return;
        };
        let Some(agent) = self.session.current() else { return };
        let others = matches!(self.rows.get(self.selected), Some(HookListRow::Other(_)));
        let Some(loaded) = (if others { self.session.loaded() } else { self.loaded() }) else { return };
        if let Some(HookListRow::Stale(_)) = self.rows.get(self.selected) {
            self.ladder = Some(ladder(LadderParts::of(&with_current_error(definition, loaded), loaded)));
            self.definition_facts = None;
            return;
        }
        let known = self.definition_facts.clone().filter(|known| known.definition == definition);
        let known = known.unwrap_or_else(|| self.session.hook_facts(agent, &definition));
        let other_event = self.session.bench().payload.event.is_none_or(|e| e.name != definition.event);
        // A hook of another event is checked against its own event.
        let own = hookbench_core::dialects::find_event(agent.dialect, &agent.version, &definition.event);
        let report = self.session.problems().report.as_ref();
        let script = known.resolved().and_then(|resolved| resolved.script.as_deref());
        let of_hook = |f: &&Finding| f.is_about(agent.dialect.id(), &definition, script);
        let findings: Vec<Finding> =
            report.map(|report| report.findings.iter().filter(of_hook).cloned().collect()).unwrap_or_default();
        let parts = LadderParts {
            event: if other_event { own } else { self.session.bench().payload.event },
            entry: if other_event { None } else { self.entry(&definition.id) },
            // Ids are only valid within one load of the settings, and an old run says nothing of the present.
            run: self.run_of(&definition.id).filter(|_| !others && self.stale_reason().is_none()),
            subjects: known.subjects.as_ref().filter(|_| other_event),
            tried: self.session.observation(agent, &definition).map(|observed| observed.message.as_str()),
            findings: &findings,
            ..known.ladder_parts(loaded)
        };
        self.ladder = Some(ladder(parts));
        self.definition_facts = Some(known);
        self.hook_findings = findings;
    }
}

/// The definition with its current problem: its file cannot be read.
fn with_current_error(mut definition: HookDefinition, loaded: &LoadedConfig) -> HookDefinition {
    let finding =
        loaded.notes.iter().find(|d| d.place(&loaded.sources).is_some_and(|(f, _)| f == definition.provenance.file));
    let says = finding.map_or_else(|| format!("{} is broken", definition.provenance.file), |d| d.message.clone());
    definition.rejection =
        Some(Rejection { rung: RungName::Parsed, rule: RuleId::new("config.broken"), message: says });
    definition
}
