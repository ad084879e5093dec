//! What a command line would really start: the program and the script, as far as that can be told without running
//! anything. `walk` follows the commands of the line as a shell would, `words` expands them, `builtins` answers for the
//! commands whose result follows from the files alone, `program` finds files.

mod builtins;
mod program;
mod walk;
mod words;

use hookbench_core::config::{Files, Place};
use hookbench_core::run::ProcessSpec;

use program::Started;
use walk::Walk;

/// What a command comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The program file, when it is one.
    pub program: Option<String>,
    /// The script that an interpreter is given, or the program itself when it is no interpreter.
    pub script: Option<String>,
    pub state: ResolvedState,
    pub says: String,
    /// The exit status that it will end with, when it cannot work and that is known.
    pub status: Option<i32>,
    /// The words of the command that starts the program, after everything that can be expanded without a shell.
    pub words: Vec<Word>,
}

impl Resolved {
    /// Whether a program reads the script. A file that may not be run was to be started itself.
    pub fn interprets(&self) -> bool {
        self.program != self.script && !(self.program.is_none() && self.status == Some(126))
    }

    fn new(state: ResolvedState, says: impl Into<String>) -> Resolved {
        Resolved { program: None, script: None, state, says: says.into(), status: None, words: Vec::new() }
    }
}

/// Whether it would start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolvedState {
    Ok,
    No,
    Unknown,
}

/// One word of a command line; not `exact` when a shell would still change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub exact: bool,
}

/// What there is to look at.
#[derive(Clone, Copy)]
struct Look<'a> {
    spec: &'a ProcessSpec,
    place: &'a Place,
    files: &'a dyn Files,
}

/// Shells that read a text as POSIX has it.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program.rsplit('/').next().unwrap_or(program))
}

/// Finds out what a process would start, from the command as the agent hands it to a shell or to the system.
/// `direct` is set when no shell stands between.
pub fn resolve_command(spec: &ProcessSpec, direct: bool, place: &Place, files: &dyn Files) -> Resolved {
    let look = Look { spec, place, files };
    let mut walk = Walk::new(look);
    if direct {
        let words: Vec<Word> =
            std::iter::once(&spec.program).chain(&spec.args).map(|w| Word { text: w.clone(), exact: true }).collect();
        // A shell that is named with its text reads that text like any other.
        if is_shell(&spec.program) && program::shell_text(&words).is_some() {
            let found = program::find_program(&spec.program, look, &spec.cwd);
            if let Err((says, _)) = found {
                return Resolved::new(ResolvedState::No, says);
            }
            walk.shell_with_text(&words);
            return walk.resolved();
        }
        let resolved = match program::start(&words, look, Some(&spec.cwd)) {
            Started::File(resolved) => resolved,
            Started::Unknown(says) => Resolved::new(ResolvedState::Unknown, says),
        };
        // Without a shell nothing is left to end with a status, unless the interpreter itself is there.
        let status = resolved.status.filter(|_| resolved.program.is_some());
        return Resolved { status, words, ..resolved };
    }
    if !is_shell(&spec.program) && !spec.program.is_empty() {
        let name = spec.program.rsplit(['/', '\\']).next().unwrap_or_default();
        return Resolved::new(ResolvedState::Unknown, format!("{name} reads this command"));
    }
    let text = spec.args.last().map_or("", String::as_str);
    walk.text(text, &spec.program, &[]);
    walk.resolved()
}

#[cfg(test)]
mod tests;
