//! What rules look at that find mistakes before anything fires.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::{Dialect, Version};
use crate::config::{Files, Loaded, Place};
use crate::hook::{EventSpec, Handler, HookDefinition};
use crate::run::EnvChange;
use crate::script_keys::ScriptKey;
use crate::text::shell::Shell;
use crate::text::{Literal, SourceId, SourceMap, Span};

/// Everything that one agent has loaded, and where.
#[derive(Clone, Copy)]
pub struct Whole<'a> {
    pub dialect: &'a dyn Dialect,
    pub version: &'a Version,
    pub place: &'a Place,
    pub files: &'a dyn Files,
    pub loaded: &'a Loaded,
    /// The texts of `loaded`, and the scripts of its commands.
    pub sources: &'a SourceMap,
    pub around: &'a Around,
}

/// What is known of the machine beside its files. Times are milliseconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Processes of the agent that run in this project.
    pub running: Vec<Running>,
    /// When files were last changed, by the path that was opened.
    pub changed: BTreeMap<String, i64>,
    /// The files that git tracks, as absolute paths, a submodule as its folder with a slash; none: that is not known.
    pub tracked: Option<Arc<BTreeSet<String>>>,
}

/// A process of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    pub pid: u32,
    /// When it was started.
    pub since: i64,
}

/// One definition of it that its agent does not drop, on an event that its agent knows.
#[derive(Clone, Copy)]
pub struct Looked<'a> {
    pub whole: Whole<'a>,
    pub definition: &'a HookDefinition,
    pub event: &'static EventSpec,
    /// The script that the command comes to.
    pub script: Option<&'a Script>,
    /// Whether it would start, and in what.
    pub start: Option<&'a Start>,
    /// The command as it is written, where that can be told.
    pub written: Option<&'a Written>,
    /// How long recorded runs of it took.
    pub times: &'a [Duration],
}

/// A command as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub command: Literal,
    /// Present: no shell stands between.
    pub args: Option<Vec<Literal>>,
    /// What a shell reads of it.
    pub line: Option<ShellLine>,
}

/// A text of the settings that a shell reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLine {
    pub literal: Literal,
    pub shell: Shell,
    /// The name of the shell.
    pub by: String,
}

/// A script, as it lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub source: SourceId,
    /// As opened.
    pub path: String,
    /// As shown.
    pub file: String,
    pub text: String,
    /// The command starts an interpreter that is given the script; else the script is started itself.
    pub interpreted: bool,
    /// The name of the program that reads it, without a version: `sh`, `bash`, `python`, `node`; empty: not known.
    pub by: String,
    /// What a shell makes of it, where a shell reads it.
    pub shell: Option<Shell>,
    /// The keys of its payload that it reads.
    pub keys: Vec<ScriptKey>,
}

/// What would become of starting a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The exit status of a command that cannot work.
    pub status: Option<i32>,
    pub says: String,
    /// Its program is looked for on PATH.
    pub by_name: bool,
    /// The program file, when it is one.
    pub program: Option<String>,
    /// The script that the program is given, or that is the program; it need not be there.
    pub script: Option<String>,
    /// Something that it needs is not there or may not be run.
    pub fails: bool,
    /// Only a shell could tell what is started.
    pub unknown: bool,
    /// Why the agent itself does not start it.
    pub refused: Option<String>,
    /// No shell stands between.
    pub direct: bool,
    /// The shell (or the program itself) that is started first.
    pub first: String,
    /// The folder in which it starts.
    pub cwd: String,
    /// What the agent changes in its environment.
    pub env: EnvChange,
}

impl Looked<'_> {
    /// The agent's name, for sentences.
    pub fn agent(&self) -> &'static str {
        self.whole.dialect.name()
    }

    /// The text that a shell or a program is given.
    pub fn command(&self) -> Option<String> {
        match &self.definition.handler {
            Handler::Command(command) => Some(match &command.args {
                Some(args) => std::iter::once(&command.command).chain(args).cloned().collect::<Vec<_>>().join(" "),
                None => command.command.clone(),
            }),
            _ => None,
        }
    }

    /// Where the handler is written.
    pub fn handler(&self) -> Span {
        self.definition.from.span
    }

    /// The text of the matcher and its place, where it is a text that is written somewhere.
    pub fn matcher(&self) -> Option<(&str, Span)> {
        Some((self.definition.matcher.as_ref()?.as_str()?, self.definition.matcher_span?))
    }
}

impl Script {
    /// The place of some bytes of it.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    /// The place of a line (counted from 0), without the blanks around it.
    pub fn line(&self, index: usize) -> Span {
        let mut start = 0;
        for (at, line) in self.text.split('\n').enumerate() {
            if at == index {
                let inner = line.trim();
                let indent = line.len() - line.trim_start().len();
                return self.span(start + indent, start + indent + inner.len());
            }
            start += line.len() + 1;
        }
        self.span(start.saturating_sub(1), start.saturating_sub(1))
    }
}
