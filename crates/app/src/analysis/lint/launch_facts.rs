//! Facts about a command outside the settings: the script that it runs, and whether it would start.

use crate::analysis::resolve::{ResolvedCommand, ResolvedState};
use hookbench_core::config::Files;
use hookbench_core::dialects::StartPrediction;
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::lint::{CommandFacts, ScriptFile};
use hookbench_core::run::Launch;

/// The facts about a command outside the settings: the script that it runs, and whether it would start.
pub(crate) fn facts_from_launch(
    project: &str,
    files: &dyn Files,
    definition: &HookDefinition,
    launch: Launch,
    resolved: Option<ResolvedCommand>,
) -> CommandFacts {
    let spec = match launch {
        Launch::Process(spec) => spec,
        Launch::Refused(why) => {
            return CommandFacts {
                script: None,
                start: Some(StartPrediction { refused: Some(why), ..StartPrediction::default() }),
                ..CommandFacts::default()
            };
        }
        _ => return CommandFacts::default(),
    };
    let Some(resolved) = resolved else { return CommandFacts::default() };
    let text = resolved.script_text(files);
    let by_name = resolved.words.first().is_some_and(|word| !word.text.contains('/'));
    let interpreted = resolved.is_interpreted();
    // A program found through PATH is not a script of the user, unless it is inside the project.
    let own = |path: &String| interpreted || !by_name || is_below(path, project);
    let script = resolved.script.clone().filter(own).zip(text);
    CommandFacts {
        script: script.map(|(path, text)| ScriptFile { path, text, interpreted }),
        start: Some(StartPrediction {
            by_name,
            status: resolved.status,
            message: resolved.message,
            program: resolved.program,
            script: resolved.script,
            fails: resolved.state == ResolvedState::No,
            adapted: resolved.adapted,
            unknown: resolved.state == ResolvedState::Unknown,
            refused: None,
            direct: matches!(&definition.handler, Handler::Command(command) if command.args.is_some()),
            first: spec.program,
            cwd: spec.cwd,
            env: spec.env,
        }),
        ..CommandFacts::default()
    }
}

/// Whether a path is below a directory.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}
