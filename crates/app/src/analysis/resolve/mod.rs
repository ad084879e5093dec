//! Finds the program and the script that a command line would start, as far as possible without running anything.
//! `walk` follows the commands of the line like a shell, `words` expands their words, `builtins` evaluates commands
//! whose result follows from files alone, and `program` finds files.

mod builtins;
mod expansion;
mod line_walk;
mod program;

use hookbench_core::config::{Files, Place};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::{Launch, ProcessSpec};

use line_walk::LineWalk;
use program::StartTarget;

/// Files larger than this (in bytes) are programs, not scripts.
const LONGEST_SCRIPT: usize = 1 << 20;

/// The program and script that a command would start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedCommand {
    /// The path of the program, if it is a file.
    pub program: Option<String>,
    /// The script that an interpreter reads, or the program itself if it is not an interpreter.
    pub script: Option<String>,
    pub state: ResolvedState,
    pub message: String,
    /// The exit status, if the command cannot work and its status is known.
    pub status: Option<i32>,
    /// The words of the command that starts the program, expanded as far as possible without a shell.
    pub words: Vec<ResolvedWord>,
}

impl ResolvedCommand {
    /// Returns whether a program interprets the script. A file that is not executable was meant to be started
    /// directly.
    pub fn is_interpreted(&self) -> bool {
        self.program != self.script && !(self.program.is_none() && self.status == Some(126))
    }

    /// The text of the script. `None` if it is a program, or too large for a script.
    pub(crate) fn script_text(&self, files: &dyn Files) -> Option<String> {
        let bytes = files.read(self.script.as_deref()?).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        (text.len() <= LONGEST_SCRIPT && !text.contains('\0')).then_some(text)
    }

    fn new(state: ResolvedState, says: impl Into<String>) -> ResolvedCommand {
        ResolvedCommand { program: None, script: None, state, message: says.into(), status: None, words: Vec::new() }
    }
}

/// Whether the command would start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolvedState {
    Ok,
    No,
    Unknown,
}

/// One word of a command line; not `exact` if only a shell can expand it completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedWord {
    pub text: String,
    pub exact: bool,
}

/// The process, and the data to resolve it.
#[derive(Clone, Copy)]
struct ResolveContext<'a> {
    spec: &'a ProcessSpec,
    place: &'a Place,
    files: &'a dyn Files,
}

/// POSIX-compatible shells.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program.rsplit('/').next().unwrap_or(program))
}

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
        if is_shell(&spec.program) && program::shell_text(&words).is_some() {
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
        return ResolvedCommand::new(ResolvedState::Unknown, format!("{name} reads this command"));
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

#[cfg(test)]
mod tests;
