//! Finds the program and the script that a command line would start, as far as possible without running anything.
//! `walk` follows the commands of the line like a shell, `words` expands their words, `builtins` evaluates commands
//! whose result follows from files alone, and `program` finds files.

mod builtins;
mod expansion;
mod line_walk;
mod program;
mod resolved_command;

use hookbench_core::config::{Files, Place};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::{Launch, ProcessSpec};
use hookbench_core::script_keys::{ScriptSource, is_shell};

use line_walk::LineWalk;
use program::StartTarget;
use resolved_command::ResolveContext;
pub use resolved_command::{ResolvedCommand, ResolvedState, ResolvedWord};

/// Finds out what a process would start, from the command as the agent passes it to a shell or to the system.
/// `direct` is set if no shell is used.
pub fn resolve_command(spec: &ProcessSpec, direct: bool, place: &Place, files: &dyn Files) -> ResolvedCommand {
    let look = ResolveContext { spec, place, files };
    let mut walk = LineWalk::new(look);
    if direct {
        let words: Vec<ResolvedWord> = std::iter::once(&spec.program)
            .chain(&spec.args)
            .map(|w| ResolvedWord { text: w.clone(), exact: true })
            .collect();
        // A shell with `-c` interprets its text like any other.
        if is_shell(&spec.program) && matches!(ScriptSource::of(&words), ScriptSource::Text(_)) {
            let found = program::find_program(&spec.program, look, &spec.cwd);
            if let Err((says, _)) = found {
                return ResolvedCommand::new(ResolvedState::No, says);
            }
            walk.shell_with_text(&words);
            return walk.resolved();
        }
        let resolved = match program::resolve_start(&words, look, Some(&spec.cwd)) {
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
    walk.text(text, &spec.program, &[]);
    walk.resolved()
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
