//! The input of linting: a project's files, and the agents with their loaded configuration.

use std::sync::Arc;

use serde_json::Value;

use super::launch_facts::facts_from_launch;
use crate::analysis::resolve::resolve_launch;
use hookbench_core::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_core::dialects::{Agent, Scene, Version, find_event};
use hookbench_core::hook::{EventSpec, HookDefinition, HookInput};
use hookbench_core::lint::{CommandFacts, script_digest};

/// A project with the agents whose configuration is loaded.
pub struct LintInput {
    pub place: Arc<Place>,
    pub files: Arc<dyn Files + Send + Sync>,
    pub agents: Vec<LoadedAgent>,
}

/// An agent in one version, with its loaded configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedAgent {
    pub dialect: &'static Agent,
    pub version: Version,
    pub loaded: Arc<LoadedConfig>,
    /// The runs that were seen to end with a status that does not block.
    pub failed_to_block: Vec<FailedToBlock>,
}

/// A run that ended with an exit status that does not block, although the hook chose it.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedToBlock {
    pub event: String,
    /// The definition as written in the settings.
    pub definition: Value,
    /// The digest of the script at that time. `None` if the hook has none.
    pub script: Option<String>,
    pub status: i32,
}

impl LintInput {
    /// The same project with other files, loaded again.
    pub(super) fn with_files(&self, files: Arc<dyn Files + Send + Sync>) -> LintInput {
        let load = |agent: &LoadedAgent| LoadedAgent {
            dialect: agent.dialect,
            version: agent.version.clone(),
            loaded: agent.dialect.load(&self.place, files.as_ref(), &agent.version),
            failed_to_block: agent.failed_to_block.clone(),
        };
        LintInput { place: Arc::clone(&self.place), agents: self.agents.iter().map(load).collect(), files }
    }
}

impl LoadedAgent {
    /// The agent as it would be if the user trusted the project. `None` if trust holds nothing back.
    pub(super) fn once_trusted(&self, place: &Place, files: &dyn Files) -> Option<LoadedAgent> {
        let held_back = self.loaded.layers.iter().any(|layer| layer.state == LayerState::Untrusted);
        let loaded = (held_back && !place.assumes_trust)
            .then(|| self.dialect.load(&place.as_trusted(), files, &self.version))?;
        Some(LoadedAgent { loaded, ..self.clone() })
    }

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
        // The examples are payloads under the main spelling of an event.
        let event = find_event(self.dialect, &self.version, self.dialect.main_spelling(&definition.event));
        let Some((event, body)) = event.and_then(|event| Some((event, example(event)?))) else {
            return CommandFacts::default();
        };
        let subject = self.dialect.subject(event, &body, &self.version);
        let scene = Scene::new(
            HookInput { event: event.name.to_owned(), subject, body },
            Arc::clone(&self.loaded),
            Arc::clone(place),
            self.version.clone(),
        );
        let launch = self.dialect.launch(definition, &scene);
        let resolved = resolve_launch(&launch, definition, place, files);
        let text = resolved.as_ref().filter(|_| !self.failed_to_block.is_empty()).and_then(|r| r.script_text(files));
        let path = resolved.as_ref().and_then(|resolved| resolved.script.as_deref());
        let script = path.zip(text).map(|(path, text)| script_digest(path, &text, place, files));
        // A run with another script proves nothing about this one.
        let same = |run: &&FailedToBlock| {
            run.event == definition.event && run.definition == definition.raw && run.script == script
        };
        let failed_to_block = self.failed_to_block.iter().find(same).map(|run| run.status);
        CommandFacts { failed_to_block, ..facts_from_launch(&place.project, files, definition, launch, resolved) }
    }
}
