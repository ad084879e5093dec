//! Names and keys that a hook's script expects and that an agent never sends. For users who move hooks from one
//! agent to another or share them between several.

use std::sync::Arc;

use super::lint::outside_of;
use super::resolve::resolve_command;
use hookbench_core::config::{Files, Loaded, Place};
use hookbench_core::dialects::{Around, Dialect, Memory, Scene, Version, event_of};
use hookbench_core::hook::{DefinitionId, Handler, HookDefinition, HookInput};
use hookbench_core::lint::{Outside, Scope, misread};
use hookbench_core::run::Launch;

/// One name or key that is never sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    pub hook: DefinitionId,
    pub code: &'static str,
    /// The location as displayed: `guard.py:3`.
    pub place: String,
    pub message: String,
    pub help: String,
}

/// Finds the names and keys that scripts of these hooks expect but never receive. `outside` resolves what a
/// definition's command starts.
pub fn misreads(
    dialect: &dyn Dialect,
    version: &Version,
    place: &Place,
    files: &dyn Files,
    loaded: &Loaded,
    definitions: &[&HookDefinition],
    outside: &dyn Fn(&HookDefinition) -> Outside,
) -> Vec<Misread> {
    let around = Around::default();
    let scope = Scope { dialect, version, place, files, loaded, around: &around };
    let (found, sources) = misread(scope, definitions, outside);
    found
        .into_iter()
        .map(|(hook, one)| {
            let place = one.place(&sources).map_or_else(String::new, |(file, at)| match at {
                Some((line, _)) => format!("{file}:{line}"),
                None => file,
            });
            Misread { hook, code: one.code, place, message: one.message, help: one.help.unwrap_or_default() }
        })
        .collect()
}

/// Resolves what a definition would start, without an open session.
pub fn outside_here(
    dialect: &dyn Dialect,
    version: &Version,
    place: &Arc<Place>,
    files: &dyn Files,
    loaded: &Arc<Loaded>,
    definition: &HookDefinition,
) -> Option<Outside> {
    let event = event_of(dialect, version, &definition.event)?;
    let body = dialect.examples(event, place, version).into_iter().next()?.body;
    let subject = dialect.subject(event, &body, version);
    let scene = Scene {
        input: HookInput { event: definition.event.clone(), subject, body },
        loaded: Arc::clone(loaded),
        place: Arc::clone(place),
        version: version.clone(),
        headless: false,
        memory: Memory::default(),
    };
    let launch = dialect.launch(definition, &scene);
    let resolved = match (&launch, &definition.handler) {
        (Launch::Process(spec), Handler::Command(command)) => {
            Some(resolve_command(spec, command.args.is_some(), place, files))
        }
        _ => None,
    };
    Some(outside_of(&place.project, files, definition, launch, resolved))
}
