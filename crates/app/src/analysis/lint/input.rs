//! The input of linting: a project's files, and the agents with their loaded configuration.

use std::sync::Arc;

use serde_json::Value;

use super::facts_from_launch;
use crate::analysis::resolve::resolve_launch;
use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::dialects::{Dialect, Scene, SessionMemory, Version, find_event};
use hookbench_core::hook::{EventSpec, HookDefinition, HookInput};
use hookbench_core::lint::CommandFacts;

/// A project with the agents whose configuration is loaded.
pub struct LintInput {
    pub place: Arc<Place>,
    pub files: Arc<dyn Files + Send + Sync>,
    pub agents: Vec<LoadedAgent>,
}

/// An agent in one version, with its loaded configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedAgent {
    pub dialect: &'static dyn Dialect,
    pub version: Version,
    pub loaded: Arc<LoadedConfig>,
}

impl LintInput {
    /// The same project with other files, loaded again.
    pub(super) fn with_files(&self, files: Arc<dyn Files + Send + Sync>) -> LintInput {
        let load = |agent: &LoadedAgent| LoadedAgent {
            dialect: agent.dialect,
            version: agent.version.clone(),
            loaded: agent.dialect.load(&self.place, files.as_ref(), &agent.version),
        };
        LintInput { place: Arc::clone(&self.place), agents: self.agents.iter().map(load).collect(), files }
    }
}

impl LoadedAgent {
    /// The payload of an event's first example.
    pub(crate) fn first_example(&self, event: &'static EventSpec, place: &Place) -> Option<Value> {
        self.dialect.examples(event, place, &self.version).into_iter().next().map(|example| example.body)
    }

    /// The facts about a definition's command, launched for an example payload of its event.
    pub(crate) fn command_facts(
        &self,
        place: &Arc<Place>,
        files: &dyn Files,
        definition: &HookDefinition,
        example: &dyn Fn(&'static EventSpec) -> Option<Value>,
    ) -> CommandFacts {
        let event = find_event(self.dialect, &self.version, &definition.event);
        let Some((event, body)) = event.and_then(|event| Some((event, example(event)?))) else {
            return CommandFacts::default();
        };
        let subject = self.dialect.subject(event, &body, &self.version);
        let scene = Scene {
            input: HookInput { event: definition.event.clone(), subject, body },
            loaded: Arc::clone(&self.loaded),
            place: Arc::clone(place),
            version: self.version.clone(),
            headless: false,
            memory: SessionMemory::default(),
        };
        let launch = self.dialect.launch(definition, &scene);
        let resolved = resolve_launch(&launch, definition, place, files);
        facts_from_launch(&place.project, files, definition, launch, resolved)
    }
}
