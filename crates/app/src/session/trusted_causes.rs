//! The causes that would stop a hook after its user has trusted it.

use std::sync::Arc;

use super::agent::AgentState;
use super::state::Session;
use crate::analysis::ladder::TrustedCause;
use hookbench_core::config::LoadedConfig;
use hookbench_core::dialects::{Scene, SessionMemory, find_event};
use hookbench_core::hook::{HookDefinition, HookInput};
use hookbench_core::plan::RungName;

impl Session {
    /// The causes in the settings that would stop a definition although it is trusted, such as a switch. Empty if
    /// it does not wait for trust.
    pub fn causes_once_trusted(&self, agent: &AgentState, definition: &HookDefinition) -> Vec<TrustedCause> {
        let waits = |found: &HookDefinition| found.rejection.as_ref().is_some_and(|r| r.rung == RungName::Trusted);
        if self.place.assumes_trust || !waits(definition) {
            return Vec::new();
        }
        let place = Arc::new(self.place.as_trusted());
        let loaded = agent.dialect.load(&place, self.files.as_ref(), &agent.version);
        if let Some(refusal) = &loaded.refusal {
            return vec![TrustedCause { rung: RungName::Parsed, message: refusal.message.clone() }];
        }
        let same = |other: &&HookDefinition| {
            let place = |d: &HookDefinition| (d.provenance.file.clone(), d.provenance.line, d.provenance.column);
            place(other) == place(definition) && other.event == definition.event
        };
        let Some(trusted) = loaded.definitions.iter().find(same).cloned() else { return off(&loaded) };
        let event = find_event(agent.dialect, &agent.version, agent.dialect.main_spelling(&definition.event));
        let Some(event) = event else { return Vec::new() };
        let Some(example) = agent.dialect.examples(event, &place, &agent.version).into_iter().next() else {
            return Vec::new();
        };
        let subject = agent.dialect.subject(event, &example.body, &agent.version);
        let scene = Scene {
            input: HookInput { event: event.name.to_owned(), subject, body: example.body },
            loaded,
            place,
            version: agent.version.clone(),
            headless: self.options.headless,
            memory: SessionMemory::default(),
        };
        let plan = agent.dialect.plan(&scene);
        // Later rungs depend on the payload.
        let of_settings = |rung: &RungName| *rung < RungName::Surface;
        let planned = plan.entry(&trusted.id).and_then(|entry| {
            let rung = entry.failed_rung.filter(of_settings)?;
            Some(TrustedCause { rung, message: entry.why.message.clone() })
        });
        let refused = trusted.rejection.map(|r| TrustedCause { rung: r.rung, message: r.message });
        planned.into_iter().chain(refused).collect()
    }
}

/// The switch that turns all hooks off, if one does.
fn off(loaded: &LoadedConfig) -> Vec<TrustedCause> {
    let cause = |message: &String| TrustedCause { rung: RungName::LayerActive, message: message.clone() };
    loaded.hooks_off.iter().map(cause).collect()
}
