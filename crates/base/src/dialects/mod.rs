//! The agents. Each is one directory of data and rules behind one trait; code outside this directory does not name an
//! agent.

mod handler_index;
pub mod headless;
pub mod live;
pub mod plugin_format;
mod rule_context;
mod session_state;
pub mod settings_format;
pub mod verification;
mod versions;

use crate::names::AgentId;
use std::sync::Arc;

use serde_json::Value;

use self::headless::HeadlessFormat;
use self::live::LiveFormat;
use self::plugin_format::PluginFormat;
use self::settings_format::{HookFile, SettingsFormat};
use self::verification::VerificationFormat;
use crate::config::{Files, LoadedConfig, Place, TrackingFiles};
use crate::debug_log::DebugLogFormat;
use crate::decide::{FiringRuns, HookRun, Outcome};
use crate::diagnostic::Diagnostic;
use crate::hook::{EventSpec, ExamplePayload, HookDefinition, HookInput, Layer, Subject};
use crate::matcher::MatcherInterpretation;
use crate::names::RuleId;
use crate::output::{HookOutput, TextRecipient};
use crate::plan::Plan;
use crate::recorded::{SessionDirectory, TranscriptFormat};
use crate::run::{Launch, RunReport};
use crate::text::as_doubles;

pub use handler_index::HandlerIndex;
pub use rule_context::{
    AgentContext, MachineFacts, RuleContext, RunningAgent, Script, ShellLine, StartPrediction, WrittenCommand,
};
pub use session_state::{SessionMemory, SessionState};
pub use versions::{
    BasisKind, BrokenRule, Calibration, NEVER_RELEASED, Version, VersionBasis, VersionRange, default_version,
};

impl std::fmt::Debug for dyn Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id().as_str())
    }
}

impl PartialEq for dyn Dialect {
    fn eq(&self, other: &dyn Dialect) -> bool {
        self.id() == other.id()
    }
}

/// The likelihood that a payload belongs to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    No,
    /// The event is known, and nothing contradicts it.
    Possible,
    /// The payload contains a key that only this agent sends.
    Certain,
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
#[derive(Debug, Clone, PartialEq)]
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
    pub fn for_agent([refuse, tell, stop]: [&'static str; 3]) -> [FirstHook; 3] {
        [
            FirstHook { name: "refuse a command", settings: refuse },
            FirstHook { name: "tell the model something", settings: tell },
            FirstHook { name: "keep it from stopping", settings: stop },
        ]
    }
}

/// The example payloads of an event, built one after the other.
pub type ExampleIter<'a> = Box<dyn Iterator<Item = ExamplePayload> + 'a>;

/// One agent and its rules.
pub trait Dialect: Sync + Send {
    /// The id, as in `--agent`.
    fn id(&self) -> AgentId;
    /// The display name.
    fn name(&self) -> &'static str;
    /// Ranges of versions with known behaviour, newest first. The end of the first range is the default version.
    fn versions(&self) -> &'static [VersionRange];
    /// Whether a program that follows these rules was ever published. What compares, installs or examines agents leaves
    /// out the others; they are used only where a user names one.
    fn is_released(&self) -> bool {
        true
    }
    /// Whether files of the agent's own configure hooks in this place. A file that it shares with another agent does not
    /// count. Only asked of agents that are not listed everywhere.
    fn is_configured(&self, _place: &Place, _files: &dyn Files) -> bool {
        true
    }
    /// The names under which to find an installed copy of the program.
    fn install(&self) -> InstallHint;
    /// Environment variables that move the user's settings directory out of the home directory.
    fn home_variables(&self) -> &'static [&'static str];
    /// Every rule that a plan or a trace of this agent can cite.
    fn rules(&self) -> Vec<RuleId>;
    /// The events of a version.
    fn events(&self, version: &Version) -> Vec<&'static EventSpec>;
    /// How likely a payload belongs to this agent.
    fn recognize(&self, payload: &Value) -> Confidence;
    /// The event with another spelling in this agent's settings and payloads.
    fn event_by_spelling(&self, _name: &str) -> Option<&'static EventSpec> {
        None
    }
    /// The event of a payload that does not name its event.
    fn event_of(&self, _payload: &Value) -> Option<&'static EventSpec> {
        None
    }
    /// The spelling under which hookbench fires an event that has several. A firing runs the hooks of all spellings.
    fn main_spelling<'n>(&self, event: &'n str) -> &'n str {
        event
    }
    /// Whether a hook under one name of an event runs when the event fires under another.
    fn is_same_event(&self, one: &str, other: &str) -> bool {
        self.main_spelling(one) == self.main_spelling(other)
    }
    /// An event in the spelling that a misspelt name is nearest to, for agents with two spellings of an event.
    fn event_spelled_like(&self, event: &'static str, _written: &str) -> &'static str {
        event
    }
    /// The name of a tool that the matchers of an event are compared with, from one of its names.
    fn tool_in_matchers<'n>(&self, _event: &str, tool: &'n str) -> &'n str {
        tool
    }
    /// A payload with the keys that hookbench holds, which are the same for all spellings of the event. `None` if there is
    /// only one spelling.
    fn held_payload(&self, _event: &str, _body: &Value) -> Option<Value> {
        None
    }
    /// The payload that a hook under this name of the event gets, from the one that hookbench holds.
    fn sent_payload(&self, _event: &str, held: &Value) -> Value {
        held.clone()
    }
    /// Reads a payload in an older format. `None` if the payload is not in one.
    fn read_older_payload(&self, _payload: &Value) -> Option<OlderPayload> {
        None
    }
    /// Complete example payloads of an event, the most useful first; never empty for a known event. They have every
    /// key that the agent would send. Keys missing from a user's payload are filled from the first example that
    /// fits.
    fn examples(&self, event: &EventSpec, place: &Place, version: &Version) -> Vec<ExamplePayload> {
        self.iter_examples(event, place, version).collect()
    }
    /// The same examples, of which each is only built when it is reached.
    fn iter_examples<'a>(&self, event: &'a EventSpec, place: &'a Place, version: &'a Version) -> ExampleIter<'a>;
    /// Converts a payload to the values that this agent would hold in memory: JavaScript stores numbers as doubles.
    fn normalize_numbers(&self, body: &mut Value) {
        as_doubles(body);
    }
    /// The keys that this agent would have sent and that `body` lacks, with values. `body` has its event name.
    fn missing_keys(&self, event: &EventSpec, body: &Value, place: &Place, version: &Version) -> Vec<(String, Value)> {
        self.missing_keys_like(&self.examples(event, place, version), event, body, place)
    }
    /// [`Dialect::missing_keys`] for a caller that has the examples of the event already.
    fn missing_keys_like(
        &self,
        examples: &[ExamplePayload],
        event: &EventSpec,
        body: &Value,
        place: &Place,
    ) -> Vec<(String, Value)>;
    /// The payload keys of a tool event for this tool and input.
    fn tool_body(&self, tool: &str, input: Value) -> Vec<(String, Value)> {
        vec![("tool_name".to_owned(), Value::from(tool)), ("tool_input".to_owned(), input)]
    }
    /// The formats of this agent's transcripts, the current one first.
    fn transcripts(&self) -> &'static [&'static dyn TranscriptFormat];
    /// The directories with the sessions of this project.
    fn sessions(&self, place: &Place, files: &dyn Files) -> Vec<SessionDirectory>;
    /// The file in which the agent keeps, or kept, the todos of a session.
    fn todo_file(&self, _place: &Place, _session: &str) -> Option<String> {
        None
    }
    /// The debug log that the agent writes.
    fn debug_log(&self) -> &'static DebugLogFormat;
    /// The starter hooks.
    fn first_hooks(&self) -> [FirstHook; 3];
    /// Reads every file that the agent would read in this place. Only [`Dialect::load`] calls it.
    fn read_configuration(&self, place: &Place, files: &dyn Files, version: &Version) -> LoadedConfig;
    /// Loads the agent's configuration in this place, and records every path that was looked up.
    fn load(&self, place: &Place, files: &dyn Files, version: &Version) -> Arc<LoadedConfig> {
        let files = TrackingFiles::new(files);
        let loaded = self.read_configuration(place, &files, version);
        Arc::new(LoadedConfig { lookups: files.requested(), ..loaded })
    }
    /// The files (path and content) that make the agent trust this project and treat its hooks as reviewed. They
    /// are meant for an empty home directory.
    fn trust_files(&self, place: &Place, files: &dyn Files) -> Vec<(String, String)>;
    /// The value that matchers are matched against.
    fn subject(&self, event: &EventSpec, body: &Value, version: &Version) -> Subject;
    /// Whether a matcher, as written, matches a subject. `None` if that is unknown.
    fn matches(&self, event: &EventSpec, matcher: Option<&Value>, subject: &Subject, version: &Version)
    -> Option<bool>;
    /// The agent's interpretation of a matcher on an event. [`Dialect::matches`] says which subjects it matches.
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherInterpretation;
    /// The settings format.
    fn settings_format(&self) -> &'static SettingsFormat;
    /// The files of a layer to which users can add hooks, the usual one first.
    fn hook_files(&self, place: &Place, layer: Layer) -> Vec<HookFile> {
        self.settings_format().layer_settings(place, layer).into_iter().collect()
    }
    /// The file of a layer to which a hook on this event must be added so that the agent reads it. `None` if the agent has no
    /// such layer that users can edit.
    fn file_for_event(&self, place: &Place, _files: &dyn Files, layer: Layer, _event: &str) -> Option<HookFile> {
        self.settings_format().layer_settings(place, layer)
    }
    /// The form of a plugin that brings hooks. `None` if the agent has none.
    fn plugin_format(&self) -> Option<&'static PluginFormat> {
        None
    }
    /// The key below `hooks` whose list has one entry for each hook. `None` if hooks are grouped by event and matcher.
    fn hook_list_key(&self) -> Option<&'static str> {
        None
    }
    /// How the agent receives decisions from a client.
    fn live_format(&self) -> &'static LiveFormat;
    /// How the agent runs a session without a terminal.
    fn headless_format(&self) -> &'static HeadlessFormat;
    /// How the agent is made to fire an event.
    fn verification_format(&self) -> &'static VerificationFormat;
    /// Plans a firing: which hooks run, in which order.
    fn plan(&self, scene: &Scene) -> Plan;
    /// JSON pointers to the payload values, other than the subject, that [`Dialect::plan`] reads for a definition.
    fn plan_reads(&self, _definition: &HookDefinition) -> Vec<&'static str> {
        Vec::new()
    }
    /// Whether the payload meets a definition's conditions on the values that [`Dialect::plan_reads`] names. `None`
    /// if that is unknown. Together with [`Dialect::matches`] of every definition, it determines which hooks run.
    fn conditions_hold(&self, _definition: &HookDefinition, _input: &HookInput, _place: &Place) -> Option<bool> {
        Some(true)
    }
    /// Builds the command, request or question that runs a definition.
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch;
    /// Interprets the output of a run.
    fn interpret_run(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput;
    /// The recipient of hook output that is not an answer.
    fn text_recipient(&self, event: &EventSpec, version: &Version) -> TextRecipient;
    /// The number of consecutive blocked stops at which the agent stops anyway. `None` if it never does.
    fn stop_cap(&self, _scene: &Scene) -> Option<u32> {
        None
    }
    /// Updates the session's state for later events. `before` is the state that the event depended on.
    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
        match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
            "SubagentStart" => state.forget_stops("SubagentStop"),
            _ => {}
        }
    }
    /// Writes the session's state into the payload of an event, and returns the changed keys. `filled` lists the
    /// keys that hookbench added to the payload.
    fn recall(&self, state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
        state.mark_stop(input, filled)
    }
    /// How a finished run changes the input of the next one in a sequential firing.
    fn after_run(&self, run: &HookRun, scene: &Scene) -> NextStep;
    /// How the hooks that run ahead of the others change the input of those, when all of them have ended.
    fn after_ahead_runs(&self, _plan: &Plan, _runs: FiringRuns<'_>, _scene: &Scene) -> NextStep {
        NextStep::SameInput
    }
    /// Whether a hook that fails, such as one that exits with 1, blocks on this event.
    fn failure_blocks(&self, _event: &EventSpec) -> bool {
        false
    }
    /// Findings about a definition that this agent probably treats differently from what its author meant, and that
    /// apply to no other agent.
    fn definition_findings(&self, _at: &RuleContext<'_>) -> Vec<Diagnostic> {
        Vec::new()
    }
    /// The same for the whole configuration.
    fn agent_findings(&self, _at: &AgentContext<'_>) -> Vec<Diagnostic> {
        Vec::new()
    }
    /// Combines the runs into an outcome. `runs.finished` is empty if no hook ran.
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome;
}

/// A payload that an agent sent, with the keys that hookbench holds. Any other value is returned unchanged.
pub fn held_payload(dialect: &dyn Dialect, sent: Value) -> Value {
    let named = sent.get("hook_event_name").and_then(Value::as_str);
    let event = named.or_else(|| dialect.event_of(&sent).map(|event| event.name));
    event.and_then(|event| dialect.held_payload(event, &sent)).unwrap_or(sent)
}

/// The event with the given name, in a version. For an event with several spellings, any of them.
pub fn find_event(dialect: &dyn Dialect, version: &Version, name: &str) -> Option<&'static EventSpec> {
    let spelled = || dialect.event_by_spelling(name).filter(|event| event.name == name);
    dialect.events(version).into_iter().find(|e| e.name == name).or_else(spelled)
}
