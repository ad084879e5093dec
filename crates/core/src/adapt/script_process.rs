//! How the script's agent would start the script. This needs none of the agent's settings: an agent waits for the
//! script, so it starts before any settings are read.

use std::sync::Arc;

use serde_json::{Value, json};

use super::adapter::{AdaptedEvent, HookAdapter};
use super::lone_hook::COMMAND;
use crate::config::LoadedConfig;
use crate::dialects::Scene;
use crate::dialects::settings_format::HookFile;
use crate::hook::{CommandHandler, Handler, HookDefinition, Provenance};
use crate::run::{Launch, ProcessSpec};
use crate::text::Span;

impl HookAdapter {
    /// How the script's agent would start the script: the environment, the end of the run, the size of the output.
    /// Its command and its timeout are not those of the script. `None` if users can edit no settings of the agent.
    pub fn process(&self, event: &AdaptedEvent) -> Option<ProcessSpec> {
        let AdaptedEvent { input, .. } = event;
        let dialect = self.script.dialect;
        let (layer, HookFile { path: file, .. }) = dialect.settings_format().usual_settings(&self.place)?;
        let mut loaded = LoadedConfig::default();
        let span = Span::new(loaded.sources.add(file.as_str(), file.as_str(), ""), 0, 0);
        let definition = HookDefinition {
            id: String::new(),
            event: self.script_event(event).to_owned(),
            matcher: None,
            matcher_span: None,
            handler: Handler::Command(CommandHandler { command: COMMAND.to_owned(), ..CommandHandler::default() }),
            name: None,
            condition: None,
            timeout: None,
            detached: false,
            raw: json!({"type": "command", "command": COMMAND}),
            group: Value::Null,
            provenance: Provenance { layer, file, line: 1, column: 1, span, bundle: None },
            rejection: None,
        };
        let scene =
            Scene::new(input.clone(), Arc::new(loaded), Arc::new(self.place.as_trusted()), self.script.version.clone());
        match dialect.launch(&definition, &scene) {
            Launch::Process(spec) => Some(spec),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::LoneHook;
    use crate::config::Place;
    use crate::dialects::{self, default_version};
    use crate::firing::{Firing, FiringStep};
    use crate::port::AgentVersion;

    /// The process that a firing of the hook starts.
    fn started(hook: &LoneHook, event: &AdaptedEvent, side: &AgentVersion) -> Option<ProcessSpec> {
        let (_, steps) = Firing::start(side.dialect, hook.scene(&event.input));
        steps.into_iter().find_map(|step| match step {
            FiringStep::Launch(request) => match request.launch {
                Launch::Process(spec) => Some(spec),
                _ => None,
            },
            _ => None,
        })
    }

    #[test]
    fn the_process_is_that_of_a_hook_in_the_settings() {
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let mut compared = 0;
        for dialect in dialects::released() {
            let side = AgentVersion { dialect, version: default_version(dialect) };
            let adapter = HookAdapter::new(side.clone(), side.clone(), None, place.clone());
            for spec in dialect.events(&side.version) {
                let Some(hook) = LoneHook::on(&side, spec.name, &place) else { continue };
                for input in hook.example_inputs(spec.name) {
                    let event = AdaptedEvent { input, notes: Vec::new() };
                    // A hook that its agent never starts has no process to compare.
                    let Some(want) = started(&hook, &event, &side) else { continue };
                    let Some(got) = adapter.process(&event) else {
                        panic!("{} on {} has no process", dialect.id(), spec.name);
                    };
                    let is_script = dialect.settings_format().script.is_some();
                    let untimed = |spec: ProcessSpec| {
                        // A hook that is a script is started by its path, which the adapter does not have.
                        let words = if is_script { Default::default() } else { (spec.program, spec.args) };
                        ProcessSpec { timeout: None, program: words.0, args: words.1, ..spec }
                    };
                    assert_eq!(untimed(got), untimed(want), "{} on {}", dialect.id(), spec.name);
                    compared += 1;
                }
            }
        }
        assert!(compared > 100, "{compared}");
    }
}
