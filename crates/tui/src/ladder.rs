//! The ladder of the selected hook: its steps, with the findings of lint.

use crate::hook_list::HookListRow;
use crate::model::{DefinitionFacts, Model};
use hookbench_app::lint::Finding;
use hookbench_app::{LadderParts, ladder, ladder_of_file};
use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::{HookDefinition, Rejection};
use hookbench_core::names::RuleId;
use hookbench_core::plan::RungName;
use hookbench_core::run::Launch;

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
        let known = self.definition_facts.clone().filter(|k| k.definition == definition).unwrap_or_else(|| {
            let script = self.session.hook_script(agent, &definition);
            DefinitionFacts {
                prospect: self.session.prospect(agent, &definition),
                missing_for_agent: self.session.missing_for_agent(agent, &definition, script.as_ref()),
                script,
                subjects: self.session.subjects(agent, &definition),
                once_trusted: self.session.causes_once_trusted(agent, &definition),
                log: self.session.log_account(agent, &definition, self.session.debug_logs(agent.dialect.id())),
                definition: definition.clone(),
            }
        });
        let other_event = self.session.bench().payload.event.is_none_or(|e| e.name != definition.event);
        // A hook of another event is checked against its own event.
        let own = hookbench_core::dialects::find_event(agent.dialect, &agent.version, &definition.event);
        let report = self.session.problems().report.as_ref();
        let script = known.resolved().and_then(|resolved| resolved.script.as_deref());
        let of_hook = |f: &&Finding| f.is_about(agent.dialect.id(), &definition, script);
        let findings: Vec<Finding> =
            report.map(|report| report.findings.iter().filter(of_hook).cloned().collect()).unwrap_or_default();
        let parts = LadderParts {
            definition: &definition,
            loaded,
            event: if other_event { own } else { self.session.bench().payload.event },
            entry: if other_event { None } else { self.entry(&definition.id) },
            resolved: known.resolved(),
            missing_for_agent: known.missing_for_agent.as_deref(),
            // Ids are only valid within one load of the settings, and an old run says nothing of the present.
            run: self.run_of(&definition.id).filter(|_| !others && self.stale_reason().is_none()),
            subjects: known.subjects.as_ref().filter(|_| other_event),
            refused: match known.prospect.as_ref().map(|prospect| &prospect.launch) {
                Some(Launch::Refused(why)) => Some(why),
                _ => None,
            },
            tried: self.session.observation(agent, &definition).map(|observed| observed.message.as_str()),
            unread: known.script.as_ref().and_then(|script| script.unread.as_deref()),
            findings: &findings,
            once_trusted: &known.once_trusted,
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
