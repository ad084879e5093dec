//! The inputs of the lint rules, which find mistakes before any hook runs.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hookbench_script::{Given, Run, ScriptModel, Walked};

use super::{Agent, ExampleCache, HandlerIndex, RunEffectCache, Version};
use crate::config::{Files, LoadedConfig, Place};
use crate::hook::{EventSpec, Handler, HookDefinition};
use crate::run::EnvChange;
use crate::text::shell::Shell;
use crate::text::{Literal, SourceId, SourceMap, Span};

/// The loaded configuration of one agent, with its place, files and sources.
#[derive(Clone, Copy)]
pub struct AgentContext<'a> {
    pub dialect: &'a Agent,
    pub version: &'a Version,
    pub place: &'a Arc<Place>,
    pub files: &'a dyn Files,
    pub loaded: &'a LoadedConfig,
    /// The texts of `loaded`, and the scripts that its commands run.
    pub sources: &'a SourceMap,
    pub machine: &'a MachineFacts,
    /// The definitions of `loaded`, indexed by their handlers.
    pub handlers: &'a HandlerIndex<'a>,
    pub examples: &'a ExampleCache,
    pub run_effects: &'a RunEffectCache,
}

/// Facts about the machine other than file contents. Times are milliseconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineFacts {
    /// Processes of the agent that run in this project.
    pub running: Vec<RunningAgent>,
    /// Modification times of files, by the path that was opened.
    pub modified_at: BTreeMap<String, i64>,
    /// The files that git tracks, as absolute paths; a submodule is its directory with a trailing slash. `None` if
    /// unknown.
    pub tracked: Option<Arc<BTreeSet<String>>>,
    /// The PATH that the agent was last seen with. `None` if it was not seen, or if hooks run with a chosen environment.
    pub seen_path: Option<String>,
}

/// A running process of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningAgent {
    pub pid: u32,
    /// The start time.
    pub started_at: i64,
}

/// One definition that its agent does not drop, on an event that the agent knows.
#[derive(Clone, Copy)]
pub struct RuleContext<'a> {
    pub agent: AgentContext<'a>,
    pub definition: &'a HookDefinition,
    pub event: &'static EventSpec,
    /// The script that the command runs.
    pub script: Option<&'a Script>,
    /// Whether and how the command would start.
    pub start: Option<&'a StartPrediction>,
    /// The command as written in the settings, if its place is known.
    pub written: Option<&'a WrittenCommand>,
    /// The durations of recorded runs of the definition.
    pub times: &'a [Duration],
    /// The exit status with which the last run of the definition, with the same script, failed to block.
    pub failed_to_block: Option<i32>,
    /// Whether an earlier definition starts the same script in the same way: what is wrong with the script itself was
    /// found there.
    pub repeats_script: bool,
    /// The walk through the script, or the command, on this event; set by the first rule that needs it.
    pub walked: &'a WalkCell,
}

/// A walk that is taken once. `None` in it: the language is not understood.
pub type WalkCell = OnceCell<Option<Arc<Walked>>>;

/// A command as written in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCommand {
    pub command: Literal,
    /// The arguments, if the command is started without a shell.
    pub args: Option<Vec<Literal>>,
    /// The parsed shell text, if a shell runs the command.
    pub shell_line: Option<ShellLine>,
}

/// A text of the settings that a shell parses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLine {
    pub literal: Literal,
    pub shell: Shell,
    /// The name of the shell.
    pub shell_name: String,
    /// The parsed line, for the walk through it.
    pub model: Option<Arc<ScriptModel>>,
}

/// A script file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub source: SourceId,
    /// The path as opened.
    pub path: String,
    /// The path as displayed.
    pub file: String,
    pub text: String,
    /// Whether the command starts an interpreter with the script as its argument. If not, the script itself is
    /// started.
    pub interpreted: bool,
    /// The name of the interpreter, without a version: `sh`, `bash`, `python`, `node`. Empty if unknown.
    pub interpreter: String,
    /// The parsed text of a shell script.
    pub shell: Option<Shell>,
    /// The parsed script, for the walk through it. `None` if its language is not understood.
    pub model: Option<Arc<ScriptModel>>,
}

/// The predicted result of starting a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartPrediction {
    /// The exit status of a command that cannot work.
    pub status: Option<i32>,
    pub message: String,
    /// Whether the program is searched on PATH.
    pub by_name: bool,
    /// The path of the program file, if it is known.
    pub program: Option<String>,
    /// The script that the program runs, or that is the program. It may be missing.
    pub script: Option<String>,
    /// Whether something that the command needs is missing or not executable.
    pub fails: bool,
    /// Whether `hookbench adapt` starts the script, and reports its failure as the script's own agent sees it.
    pub adapted: bool,
    /// Whether the shell syntax hides which program is started.
    pub unknown: bool,
    /// The reason if the agent itself refuses to start the command.
    pub refused: Option<String>,
    /// Whether the command is started without a shell.
    pub direct: bool,
    /// The shell, or the program itself, that is started first.
    pub first: String,
    /// The directory in which it starts.
    pub cwd: String,
    /// The changes that the agent makes to the environment.
    pub env: EnvChange,
}

impl RuleContext<'_> {
    /// The agent's name, for messages.
    pub fn agent_name(&self) -> &'static str {
        self.agent.dialect.name()
    }

    /// The text that the shell or the program receives.
    pub fn command(&self) -> Option<String> {
        match &self.definition.handler {
            Handler::Command(command) => Some(match &command.args {
                Some(args) => std::iter::once(&command.command).chain(args).cloned().collect::<Vec<_>>().join(" "),
                None => command.command.clone(),
            }),
            _ => None,
        }
    }

    /// The script that the command runs, or else the command itself, for a walk through it. `None` if its language is not
    /// understood.
    pub fn model(&self) -> Option<&ScriptModel> {
        match self.script {
            Some(script) => script.model.as_deref(),
            None => self.written?.shell_line.as_ref()?.model.as_deref(),
        }
    }

    /// The script, unless an earlier definition starts it, too: for rules to which the event is the same.
    pub fn new_script(&self) -> Option<&Script> {
        self.script.filter(|_| !self.repeats_script)
    }

    /// Whether only a file that the script includes has this key or text: it may serve other events and agents, too. In the
    /// script itself, the word can be in a sentence.
    pub fn is_of_library(&self, word: &str) -> bool {
        let is_written = |text: &str| {
            let before = |at: usize| text.get(..at).and_then(|before| before.chars().next_back());
            text.match_indices(word).any(|(at, _)| before(at).is_none_or(|c| !c.is_alphanumeric() && c != ' '))
        };
        self.script.is_some_and(|script| script.inclusion_with(word).is_some() && !is_written(&script.text))
    }

    /// Whether the script can refuse, or ask the user, on one of its ways.
    pub fn may_object(&self) -> bool {
        self.model().is_some_and(|model| model.walk(&Given::default()).runs.iter().any(Run::objects))
    }

    /// The place of the handler in the settings.
    pub fn handler_span(&self) -> Span {
        self.definition.provenance.span
    }

    /// The matcher's text and place, if the matcher is a string in a file.
    pub fn matcher(&self) -> Option<(&str, Span)> {
        Some((self.definition.matcher.as_ref()?.as_str()?, self.definition.matcher_span?))
    }
}

impl Script {
    /// The span of a byte range of the script.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    /// The statement that includes a file with this word.
    pub fn inclusion_with(&self, word: &str) -> Option<Span> {
        let included = self.model.iter().flat_map(|model| &model.included);
        let mut with_word = included.filter(|(_, file)| file.text.contains(word));
        with_word.next().map(|(at, _)| self.span(at.start, at.end))
    }

    /// The paths of the files that the statement at a place includes.
    pub fn included_at(&self, place: Span) -> Vec<&str> {
        let included = self.model.iter().flat_map(|model| &model.included);
        let same = included.filter(|(at, _)| self.span(at.start, at.end) == place);
        same.map(|(_, file)| file.path.as_str()).collect()
    }

    /// The span of a line (counted from 0), without leading and trailing blanks.
    pub fn line_span(&self, index: usize) -> Span {
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
