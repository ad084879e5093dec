//! The instruction for starting a run.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::EnvChange;

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
