//! The program and script that a command would start, and the data to find them.

use std::borrow::Cow;

use crate::config::{Files, Place};
use crate::run::EnvChange;
use crate::script_keys::{CommandWord, RunScript};
use crate::text::{is_absolute_path, normalize_path};

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
    /// Whether `hookbench adapt` starts the script, and reports its failure as the script's own agent sees it.
    pub adapted: bool,
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
    pub fn script_text(&self, files: &dyn Files) -> Option<String> {
        let bytes = files.read(self.script.as_deref()?).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        (text.len() <= LONGEST_SCRIPT && !text.contains('\0')).then_some(text)
    }

    /// The script with this text, and the program that reads it.
    pub fn run_script<'a>(&'a self, text: &'a str) -> Option<RunScript<'a>> {
        let program = self.program.as_deref().filter(|_| self.is_interpreted());
        Some(RunScript { program, path: self.script.as_deref()?, text })
    }

    pub fn new(state: ResolvedState, says: impl Into<String>) -> ResolvedCommand {
        ResolvedCommand {
            program: None,
            script: None,
            state,
            message: says.into(),
            status: None,
            adapted: false,
            words: Vec::new(),
        }
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

impl CommandWord for ResolvedWord {
    fn known_part(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }

    fn is_known(&self) -> bool {
        self.exact
    }
}

/// The process that reads a command line, and the data to resolve it.
#[derive(Clone, Copy)]
pub struct ResolveContext<'a> {
    /// The shell that reads the line.
    pub shell: &'a str,
    pub cwd: &'a str,
    pub env: &'a EnvChange,
    pub place: &'a Place,
    pub files: &'a dyn Files,
}

impl ResolveContext<'_> {
    /// The path to display: relative to the working directory if it is inside.
    pub fn display_path<'b>(&self, path: &'b str) -> &'b str {
        path.strip_prefix(self.cwd).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
    }

    /// A variable in the environment of the process.
    pub fn variable(&self, name: &str) -> Option<String> {
        if let Some(value) = self.env.value(name) {
            return Some(value.to_owned());
        }
        let is_removed = self.env.remove.iter().any(|removed| removed == name);
        self.place.var(name).filter(|_| !is_removed).map(str::to_owned)
    }
}

/// The search for programs. It differs between systems.
pub trait ProgramSearch {
    /// Finds the file of a program, or returns the reason why it is missing, and the status of a shell.
    fn find(&self, program: &str, cwd: &str) -> Result<String, (String, i32)>;

    /// Finds what words start in a directory; `cwd` is `None` if the directory is unknown.
    fn start(&self, words: &[ResolvedWord], cwd: Option<&str>) -> StartTarget;
}

/// The result of finding what a command starts.
pub enum StartTarget {
    File(ResolvedCommand),
    /// The reason why it is unknown.
    Unknown(String),
}

/// Resolves a path against a directory.
pub fn join_path(base: &str, path: &str) -> String {
    let joined = if is_absolute_path(path) { path.to_owned() } else { format!("{base}/{path}") };
    normalize_path(&joined)
}
