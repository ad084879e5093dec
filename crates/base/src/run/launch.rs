//! What is to be started.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

/// How a definition is run.
#[derive(Debug, Clone, PartialEq)]
pub enum Launch {
    Process(ProcessSpec),
    Http(HttpSpec),
    /// Only the agent itself could answer. Somebody may answer by hand.
    ByHand(Question),
    /// The agent refuses to start it; the text is the error that it keeps.
    Refused(String),
    /// The agent takes this as the answer without starting anything.
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
    /// Changes to the environment that hookbench itself was started in.
    pub env: EnvChange,
    pub stdin: Arc<[u8]>,
    /// From the start of the process; none: no limit.
    pub timeout: Option<Duration>,
    pub finish: Finish,
    pub kill: KillSpec,
    /// How many bytes of each stream the agent keeps from the beginning; the rest is read and dropped.
    pub keep: usize,
    /// The last line of stdout that is not empty names a folder; the report says whether it is there.
    pub names_folder: bool,
}

/// Changes to an inherited environment: first everything under `remove` goes, then `set` is set in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvChange {
    pub remove: Vec<String>,
    pub set: Vec<(String, String)>,
    /// Variables that name an empty file which exists while the run lasts.
    pub scratch_files: Vec<String>,
}

/// When the agent takes the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// When the process ends, whoever still holds its pipes.
    AtExit,
    /// When both pipes are closed, up to the deadline.
    AtEof,
}

/// What happens at the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KillSpec {
    /// Between SIGTERM and SIGKILL.
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
    pub refuse: Vec<Network>,
    pub keep: usize,
}

/// A range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    pub address: std::net::IpAddr,
    /// Leading bits that count.
    pub prefix: u8,
}

impl Network {
    /// Whether an address lies in the range.
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

/// Something that only the agent could answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// `needs the agent's model`, `needs the agent's own process`.
    pub needs: &'static str,
    /// The text that the model would be asked, or what the tool would be given.
    pub asks: String,
    /// A first draft of an answer in the agent's own form.
    pub template: Value,
}
