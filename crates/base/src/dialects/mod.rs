//! The agents. Each is one value with its data and rules; code outside their folders does not name an agent.

mod agent;
mod handler_index;
mod hook_list;
pub mod live;
mod project_plugins;
mod rule_answers;
mod rule_caches;
mod rule_context;
mod session_state;
pub mod settings_format;
pub mod verification;
mod version;
mod versions;
mod windows_launch;

use std::sync::Arc;

use serde_json::Value;

use crate::config::{LoadedConfig, Place};
use crate::hook::{EventSpec, ExamplePayload, HookInput};

pub use agent::{Agent, Quirks};
pub use handler_index::HandlerIndex;
pub use rule_caches::{ExampleCache, RunEffectCache};
pub use rule_context::{
    AgentContext, MachineFacts, RuleContext, RunningAgent, Script, ShellLine, StartPrediction, WalkCell, WrittenCommand,
};
pub use session_state::{SessionMemory, SessionState};
pub use version::{Version, VersionRange};
pub use versions::{BasisKind, BrokenRule, Calibration, NEVER_RELEASED, VersionBasis, default_version};

/// The likelihood that a payload belongs to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    No,
    /// The event is known, and nothing contradicts it.
    Possible,
    /// The payload contains a key that only this agent sends.
    Certain,
    /// The payload names the agent.
    Named,
}

/// A payload of an older format, converted to the current one.
#[derive(Debug, Clone, PartialEq)]
pub struct OlderPayload {
    /// The payload with today's keys. Keys without a counterpart are under `_legacy`.
    pub body: Value,
    /// Facts about the conversion, each as one sentence.
    pub notes: Vec<String>,
}

/// The complete input of a firing.
#[derive(Debug, Clone)]
pub struct Scene {
    pub input: HookInput,
    pub loaded: Arc<LoadedConfig>,
    pub place: Arc<Place>,
    pub version: Version,
    /// Whether there is no user who could be asked.
    pub headless: bool,
    pub memory: SessionMemory,
}

impl Scene {
    /// A scene with a user who can be asked, and without earlier events of the session.
    pub fn new(input: HookInput, loaded: Arc<LoadedConfig>, place: Arc<Place>, version: Version) -> Scene {
        Scene { input, loaded, place, version, headless: false, memory: SessionMemory::default() }
    }

    /// The same scene with another input, for chained hooks.
    #[must_use]
    pub fn with_input(&self, input: HookInput) -> Scene {
        Scene { input, ..self.clone() }
    }
}

/// The continuation of a sequential firing after a run.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    /// The next hook gets the same input.
    SameInput,
    /// The next hook gets this body.
    NewInput(Value),
    /// The firing is aborted; no further hook starts.
    Abort(String),
}

/// The names under which to find the agent's program, so that its version can be read without running it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstallHint {
    /// The name of the command on PATH.
    pub command: &'static str,
    /// The npm package whose `package.json` states the version.
    pub package: &'static str,
}

/// A starter hook for users who have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstHook {
    /// A short description of its effect.
    pub name: &'static str,
    /// The whole settings file. Its command needs only a shell.
    pub settings: &'static str,
}

impl FirstHook {
    /// The same three starter hooks for every agent: one denies a command, one sends the model a text, one keeps
    /// the agent from stopping.
    pub const fn for_agent([refuse, tell, stop]: [&'static str; 3]) -> [FirstHook; 3] {
        [
            FirstHook { name: "refuse a command", settings: refuse },
            FirstHook { name: "tell the model something", settings: tell },
            FirstHook { name: "keep it from stopping", settings: stop },
        ]
    }
}

/// The example payloads of an event, built one after the other.
pub type ExampleIter<'a> = Box<dyn Iterator<Item = ExamplePayload> + 'a>;

/// A payload that an agent sent, with the keys that hookbench holds. Any other value is returned unchanged.
pub fn held_payload(dialect: &Agent, sent: Value) -> Value {
    let named = sent.get("hook_event_name").and_then(Value::as_str);
    let event = named.or_else(|| dialect.event_of(&sent).map(|event| event.name));
    event.and_then(|event| dialect.held_payload(event, &sent)).unwrap_or(sent)
}

/// The event with the given name, in a version. For an event with several spellings, any of them.
pub fn find_event(dialect: &Agent, version: &Version, name: &str) -> Option<&'static EventSpec> {
    let spelled = || dialect.event_by_spelling(name).filter(|event| event.name == name);
    dialect.events(version).into_iter().find(|e| e.name == name).or_else(spelled)
}
