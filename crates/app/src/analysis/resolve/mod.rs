//! Finds the program and the script that the process of a hook would start, without running anything.

mod program;

use hookbench_core::command_line::{LineWalk, ProgramSearch, ResolveContext, StartTarget};
pub use hookbench_core::command_line::{ResolvedCommand, ResolvedState, ResolvedWord};
use hookbench_core::config::{Files, Place};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::{Launch, ProcessSpec};
use hookbench_core::script_keys::{ScriptSource, is_shell};

use program::SystemPrograms;

/// Finds out what a process would start, from the command as the agent passes it to a shell or to the system.
/// `direct` is set if no shell is used.
pub fn resolve_command(spec: &ProcessSpec, direct: bool, place: &Place, files: &dyn Files) -> ResolvedCommand {
    let context = ResolveContext { shell: &spec.program, cwd: &spec.cwd, env: &spec.env, place, files };
    let programs = SystemPrograms { context, plain_file: spec.plain_file() };
    if direct {
        let words: Vec<ResolvedWord> = std::iter::once(&spec.program)
            .chain(&spec.args)
            .map(|w| ResolvedWord { text: w.clone(), exact: true })
            .collect();
        // A shell with `-c` interprets its text like any other.
        if is_shell(&spec.program) && matches!(ScriptSource::of(&words), ScriptSource::Text(_)) {
            return match programs.find(&spec.program, &spec.cwd) {
                Ok(_) => LineWalk::new(context, Some(&programs)).resolve_shell(&words),
                Err((message, _)) => ResolvedCommand::new(ResolvedState::No, message),
            };
        }
        let resolved = match programs.start(&words, Some(&spec.cwd)) {
            StartTarget::File(resolved) => resolved,
            StartTarget::Unknown(says) => ResolvedCommand::new(ResolvedState::Unknown, says),
        };
        // Without a shell, only an existing interpreter can end with a status.
        let status = resolved.status.filter(|_| resolved.program.is_some());
        return ResolvedCommand { status, words, ..resolved };
    }
    if !is_shell(&spec.program) && !spec.program.is_empty() {
        let name = spec.program.rsplit(['/', '\\']).next().unwrap_or_default();
        return ResolvedCommand::new(ResolvedState::Unknown, format!("{name} runs this command"));
    }
    let text = spec.args.last().map_or("", String::as_str);
    LineWalk::new(context, Some(&programs)).resolve_line(text)
}

/// Finds out what a definition would start, if it is launched as a process.
pub(crate) fn resolve_launch(
    launch: &Launch,
    definition: &HookDefinition,
    place: &Place,
    files: &dyn Files,
) -> Option<ResolvedCommand> {
    match (launch, &definition.handler) {
        (Launch::Process(spec), Handler::Command(command)) => {
            Some(resolve_command(spec, command.args.is_some(), place, files))
        }
        _ => None,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
