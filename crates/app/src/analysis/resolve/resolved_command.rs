//! The program and script that a command would start, and the data to find them.

use std::borrow::Cow;

use hookbench_core::config::{Files, Place};
use hookbench_core::run::ProcessSpec;
use hookbench_core::script_keys::{CommandWord, RunScript};

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
    pub(crate) fn script_text(&self, files: &dyn Files) -> Option<String> {
        let bytes = files.read(self.script.as_deref()?).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        (text.len() <= LONGEST_SCRIPT && !text.contains('\0')).then_some(text)
    }

    /// The script with this text, and the program that reads it.
    pub fn run_script<'a>(&'a self, text: &'a str) -> Option<RunScript<'a>> {
        let program = self.program.as_deref().filter(|_| self.is_interpreted());
        Some(RunScript { program, path: self.script.as_deref()?, text })
    }

    pub(super) fn new(state: ResolvedState, says: impl Into<String>) -> ResolvedCommand {
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

/// The process, and the data to resolve it.
#[derive(Clone, Copy)]
pub(super) struct ResolveContext<'a> {
    pub spec: &'a ProcessSpec,
    pub place: &'a Place,
    pub files: &'a dyn Files,
}
