//! The instruction for starting a run.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::config::LoadedVariable;
use crate::hook::HookDefinition;

/// How a definition is run.
#[derive(Debug, Clone, PartialEq)]
pub enum Launch {
    Process(ProcessSpec),
    Http(HttpSpec),
    /// Only the agent itself could answer. A user may answer by hand.
    ByHand(Question),
    /// The agent refuses to start it; the text is the error that the agent keeps.
    Refused(String),
    /// The agent uses this as the answer without starting anything.
    Canned {
        stdout: String,
    },
}

/// A process, ready to start.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessSpec {
    pub program: String,
    pub args: Vec<String>,
    /// Working directory, absolute.
    pub cwd: String,
    /// Changes to the environment of hookbench.
    pub env: EnvChange,
    pub stdin: Arc<[u8]>,
    /// Counted from the start of the process. `None` for no limit.
    pub timeout: Option<Duration>,
    pub finish: FinishCondition,
    pub kill: KillSpec,
    /// The number of bytes that the agent keeps of each stream, from its beginning. The rest is read and dropped.
    pub keep: usize,
    /// Whether the last non-empty line of stdout names a directory. The report then says whether that directory exists.
    pub names_directory: bool,
    /// Whether the agent makes a file that the command begins with executable before it runs it.
    pub runs_plain_files: bool,
}

impl ProcessSpec {
    /// The path at the start of the command, if the agent makes its file executable. Paths with quotes are not changed.
    pub fn plain_file(&self) -> Option<&str> {
        let word = self.args.last().filter(|_| self.runs_plain_files)?.split_whitespace().next()?;
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%,".contains(c);
        (word.contains('/') && word.chars().all(is_plain)).then_some(word)
    }
}

/// The moment at which the agent collects the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishCondition {
    /// When the process ends, even if other processes hold its pipes open.
    AtExit,
    /// When both pipes are closed, or at the deadline.
    AtEof,
}

/// How a process is killed at the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KillSpec {
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
}

/// A request, ready to send.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpSpec {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Arc<[u8]>,
    pub timeout: Option<Duration>,
    /// Networks that may not be connected to, checked after name resolution.
    pub forbidden_networks: Vec<Network>,
    pub keep: usize,
}

/// A range of IP addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    pub address: std::net::IpAddr,
    /// The number of leading bits to compare.
    pub prefix: u8,
}

/// The need of a question that a model answers.
pub const NEEDS_MODEL: &str = "needs the agent's model";

impl Question {
    /// Whether a model answers it, so that another model could.
    pub fn is_for_model(&self) -> bool {
        self.requires == NEEDS_MODEL
    }
}

impl Network {
    /// Whether the range contains an address.
    pub fn contains(&self, address: std::net::IpAddr) -> bool {
        use std::net::IpAddr::{V4, V6};
        let (ours, theirs, width) = match (self.address, address) {
            (V4(a), V4(b)) => (u128::from(a.to_bits()), u128::from(b.to_bits()), 32),
            (V6(a), V6(b)) => (a.to_bits(), b.to_bits(), 128),
            _ => return false,
        };
        let shift = width - u32::from(self.prefix).min(width);
        ours.checked_shr(shift) == theirs.checked_shr(shift)
    }
}

/// A question that only the agent could answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The required resource: `needs the agent's model`, `needs the agent's own process`.
    pub requires: &'static str,
    /// The prompt for the model, or the input of the tool.
    pub prompt: String,
    /// A draft of an answer in the agent's format.
    pub template: Value,
}

/// Changes to an inherited environment: first `remove` is applied, then `set` in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvChange {
    pub remove: Vec<String>,
    /// In the agent's order: a later variable replaces an earlier one of the same name.
    pub set: Vec<HookVariable>,
    /// Variables that are set to the path of an empty file, which exists during the run.
    pub scratch_files: Vec<String>,
}

/// A variable that a hook finds besides the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookVariable {
    pub name: String,
    pub value: String,
    pub source: VariableSource,
}

/// The source of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableSource {
    /// The agent: a constant, or a path of the project or of the agent.
    Agent,
    /// The agent: a name that it chooses, and a value of the event or of the session.
    Event,
    /// The event itself: a key of the payload that the agent's events do not have.
    Payload,
    /// A file. Its path is as displayed; lines count from 1.
    File { file: String, line: Option<u32> },
    /// The user, who names another home directory, or hookbench for a run that the user asks for.
    User,
}

impl VariableSource {
    /// The place of a definition.
    pub fn of_definition(definition: &HookDefinition) -> VariableSource {
        VariableSource::File { file: definition.provenance.file.clone(), line: Some(definition.provenance.line) }
    }

    /// The source in words.
    pub fn describe(&self) -> String {
        match self {
            VariableSource::Agent => "the agent".to_owned(),
            VariableSource::Event => "the agent, for this event".to_owned(),
            VariableSource::Payload => "the payload".to_owned(),
            VariableSource::File { file, line: Some(line) } => format!("{file}:{line}"),
            VariableSource::File { file, line: None } => file.clone(),
            VariableSource::User => "your choice".to_owned(),
        }
    }

    /// Whether the user has to see the value before a hook finds it: it comes from a file or from a payload, which can be
    /// part of a project.
    pub fn needs_approval(&self) -> bool {
        matches!(self, VariableSource::File { .. } | VariableSource::Payload)
    }
}

impl HookVariable {
    /// A variable of the agent's own.
    pub fn of_agent(name: impl Into<String>, value: impl Into<String>) -> HookVariable {
        HookVariable { name: name.into(), value: value.into(), source: VariableSource::Agent }
    }

    /// A variable of the agent's own with a value of the event.
    pub fn of_event(name: impl Into<String>, value: impl Into<String>) -> HookVariable {
        HookVariable { name: name.into(), value: value.into(), source: VariableSource::Event }
    }

    /// A variable that a file sets for every hook.
    pub fn of_file(name: impl Into<String>, variable: &LoadedVariable) -> HookVariable {
        let source = VariableSource::File { file: variable.file.clone(), line: variable.line };
        HookVariable { name: name.into(), value: variable.value.clone(), source }
    }

    /// A variable that a definition sets for its own process.
    pub fn of_definition(name: &str, value: &str, definition: &HookDefinition) -> HookVariable {
        let source = VariableSource::of_definition(definition);
        HookVariable { name: name.to_owned(), value: value.to_owned(), source }
    }

    /// A variable that the user asks for.
    pub fn of_user(name: impl Into<String>, value: impl Into<String>) -> HookVariable {
        HookVariable { name: name.into(), value: value.into(), source: VariableSource::User }
    }
}

impl EnvChange {
    /// The value that a variable is set to.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.set.iter().rev().find(|variable| variable.name == name).map(|variable| variable.value.as_str())
    }

    /// The variables with the values that the hook finds, each name once, in the order in which they are first set.
    pub fn effective(&self) -> Vec<&HookVariable> {
        let mut found: Vec<&HookVariable> = Vec::new();
        for variable in &self.set {
            match found.iter_mut().find(|known| known.name == variable.name) {
                Some(known) => *known = variable,
                None => found.push(variable),
            }
        }
        found
    }

    /// The names and values, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.set.iter().map(|variable| (variable.name.as_str(), variable.value.as_str()))
    }
}
