//! An agent: its facts, and the functions that hold its rules. An agent is a value; what most agents do alike is a
//! [`Quirks`] that the others replace.

use std::sync::Arc;

use serde_json::Value;

use super::live::LiveFormat;
use super::settings_format::{HookFile, PluginFormat, SettingsFormat};
use super::verification::{HeadlessFormat, VerificationFormat};
use super::windows_launch::adjust_to_windows;
use super::{
    AgentContext, Confidence, ExampleIter, FirstHook, InstallHint, NextStep, OlderPayload, RuleContext, Scene,
    SessionMemory, SessionState, Version, VersionRange,
};
use crate::config::{AgentFlag, Files, GivenFlags, LoadedConfig, MemoryFiles, Os, Place, TrackingFiles};
use crate::debug_log::DebugLogFormat;
use crate::decide::{FiringRuns, HookRun, Outcome};
use crate::diagnostic::Diagnostic;
use crate::hook::{EventSpec, ExamplePayload, HookDefinition, HookInput, Layer, Subject};
use crate::matcher::MatcherInterpretation;
use crate::names::{AgentId, RuleId};
use crate::output::{HookOutput, TextRecipient};
use crate::plan::Plan;
use crate::recorded::{SessionDirectory, TelemetryFormat, TranscriptFormat};
use crate::run::{Launch, RunReport};
use crate::text::as_doubles;

/// Declares the fields of [`Agent`] and [`Quirks`], and a method for each.
macro_rules! agent {
    (
        facts { $($(#[$fact_doc:meta])* $fact:ident: $type:ty;)* }
        rules { $($(#[$rule_doc:meta])* fn $rule:ident $(<$life:lifetime>)? ($($arg:ident: $arg_type:ty),*) -> $returned:ty;)* }
        quirks { $($(#[$quirk_doc:meta])* fn $quirk:ident $(<$quirk_life:lifetime>)?
            ($($quirk_arg:ident: $quirk_type:ty),*) $(-> $quirk_returned:ty)? = $default:expr;)* }
    ) => {
        /// One agent and its rules.
        pub struct Agent {
            $($(#[$fact_doc])* pub $fact: $type,)*
            $($(#[$rule_doc])* pub $rule: $(for<$life>)? fn($($arg_type),*) -> $returned,)*
            /// The behaviour of this agent that most do not share.
            pub quirks: Quirks,
        }

        /// Behaviour of some agents that most do not share.
        pub struct Quirks {
            $($(#[$quirk_doc])* pub $quirk: $(for<$quirk_life>)? fn($($quirk_type),*) $(-> $quirk_returned)?,)*
        }

        impl Quirks {
            /// The behaviour of most agents.
            pub const NONE: Quirks = Quirks { $($quirk: $default,)* };
        }

        impl Agent {
            $($(#[$fact_doc])* pub fn $fact(&self) -> $type { self.$fact })*
            $($(#[$rule_doc])* pub fn $rule $(<$life>)? (&self, $($arg: $arg_type),*) -> $returned {
                (self.$rule)($($arg),*)
            })*
            $($(#[$quirk_doc])* pub fn $quirk $(<$quirk_life>)? (&self, $($quirk_arg: $quirk_type),*) $(-> $quirk_returned)? {
                (self.quirks.$quirk)($($quirk_arg),*)
            })*
        }
    };
}

agent! {
    facts {
        /// The id, as in `--agent`.
        id: AgentId;
        /// The display name.
        name: &'static str;
        /// Ranges of versions with known behaviour, newest first. The end of the first range is the default version.
        versions: &'static [VersionRange];
        /// Whether a program that follows these rules was ever published. What compares, installs or examines agents leaves
        /// out the others; they are used only where a user names one.
        is_released: bool;
        /// The names under which to find an installed copy of the program.
        install: InstallHint;
        /// Environment variables that move the user's settings directory out of the home directory.
        home_variables: &'static [&'static str];
        /// The formats of this agent's transcripts, the current one first.
        transcripts: &'static [&'static dyn TranscriptFormat];
        /// The debug log that the agent writes.
        debug_log: &'static DebugLogFormat;
        /// The starter hooks.
        first_hooks: [FirstHook; 3];
        /// The settings format.
        settings_format: &'static SettingsFormat;
        /// The form of a plugin that brings hooks. `None` if the agent has none.
        plugin_format: Option<&'static PluginFormat>;
        /// How the agent receives decisions from a client.
        live_format: &'static LiveFormat;
        /// How the agent runs a session without a terminal.
        headless_format: &'static HeadlessFormat;
        /// The flags of the agent's program.
        flags: &'static [AgentFlag];
        /// How the agent is made to fire an event.
        verification_format: &'static VerificationFormat;
    }
    rules {
        /// Every rule that a plan or a trace of this agent can cite.
        fn rules() -> Vec<RuleId>;
        /// The events of a version.
        fn events(version: &Version) -> Vec<&'static EventSpec>;
        /// How likely a payload belongs to this agent.
        fn recognize(payload: &Value) -> Confidence;
        /// The examples of [`Agent::examples`], of which each is only built when it is reached.
        fn iter_examples<'a>(event: &'a EventSpec, place: &'a Place, version: &'a Version) -> ExampleIter<'a>;
        /// [`Agent::missing_keys`] for a caller that has the examples of the event already.
        fn missing_keys_like(examples: &[ExamplePayload], event: &EventSpec, body: &Value, place: &Place) -> Vec<(String, Value)>;
        /// The directories with the sessions of this project.
        fn sessions(place: &Place, files: &dyn Files) -> Vec<SessionDirectory>;
        /// Reads every file that the agent would read in this place. Only [`Agent::load`] calls it.
        fn read_configuration(place: &Place, files: &dyn Files, version: &Version) -> LoadedConfig;
        /// The files (path and content) that make the agent trust this project and treat its hooks as reviewed. They
        /// are meant for an empty home directory.
        fn trust_files(place: &Place, files: &dyn Files) -> Vec<(String, String)>;
        /// The value that matchers are matched against.
        fn subject(event: &EventSpec, body: &Value, version: &Version) -> Subject;
        /// Whether a matcher, as written, matches a subject. `None` if that is unknown.
        fn matches(event: &EventSpec, matcher: Option<&Value>, subject: &Subject, version: &Version) -> Option<bool>;
        /// The agent's interpretation of a matcher on an event. [`Agent::matches`] says which subjects it matches.
        fn read_matcher(event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherInterpretation;
        /// Plans a firing: which hooks run, in which order.
        fn plan(scene: &Scene) -> Plan;
        /// Builds the command, request or question that runs a definition. Only [`Agent::launch`] calls it.
        fn build_launch(definition: &HookDefinition, scene: &Scene) -> Launch;
        /// Interprets the output of a run.
        fn interpret_run(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput;
        /// The recipient of hook output that is not an answer.
        fn text_recipient(event: &EventSpec, version: &Version) -> TextRecipient;
        /// Combines the runs into an outcome. `runs.finished` is empty if no hook ran.
        fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome;
    }
    quirks {
        /// Whether files of the agent's own configure hooks in this place. A file that it shares with another agent does not
        /// count. Only asked of agents that are not listed everywhere.
        fn is_configured(place: &Place, files: &dyn Files) -> bool = |_, _| true;
        /// The OpenTelemetry records of the agent. `None` if none were measured.
        fn telemetry() -> Option<&'static TelemetryFormat> = || None;
        /// The event with another spelling in this agent's settings and payloads.
        fn event_by_spelling(name: &str) -> Option<&'static EventSpec> = |_| None;
        /// The event of a payload that does not name its event.
        fn event_of(payload: &Value) -> Option<&'static EventSpec> = |_| None;
        /// The spelling under which hookbench fires an event that has several. A firing runs the hooks of all spellings.
        fn main_spelling<'n>(event: &'n str) -> &'n str = |event| event;
        /// An event in the spelling that a misspelt name is nearest to, for agents with two spellings of an event.
        fn event_spelled_like(event: &'static str, written: &str) -> &'static str = |event, _| event;
        /// The name of a tool that the matchers of an event are compared with, from one of its names.
        fn tool_in_matchers<'n>(event: &str, tool: &'n str) -> &'n str = |_, tool| tool;
        /// A payload with the keys that hookbench holds, which are the same for all spellings of the event. `None` if there
        /// is only one spelling.
        fn held_payload(event: &str, body: &Value) -> Option<Value> = |_, _| None;
        /// The payload that a hook under this name of the event gets, from the one that hookbench holds.
        fn sent_payload(event: &str, held: &Value) -> Value = |_, held| held.clone();
        /// Reads a payload in an older format. `None` if the payload is not in one.
        fn read_older_payload(payload: &Value) -> Option<OlderPayload> = |_| None;
        /// Converts a payload to the values that this agent would hold in memory: JavaScript stores numbers as doubles.
        fn normalize_numbers(body: &mut Value) = as_doubles;
        /// The file in which the agent keeps, or kept, the todos of a session.
        fn todo_file(place: &Place, session: &str) -> Option<String> = |_, _| None;
        /// JSON pointers to the payload values, other than the subject, that [`Agent::plan`] reads for a definition.
        fn plan_reads(definition: &HookDefinition) -> Vec<&'static str> = |_| Vec::new();
        /// Whether the payload meets a definition's conditions on the values that [`Agent::plan_reads`] names. `None`
        /// if that is unknown. Together with [`Agent::matches`] of every definition, it determines which hooks run.
        fn conditions_hold(definition: &HookDefinition, input: &HookInput, place: &Place) -> Option<bool> = |_, _, _| Some(true);
        /// The number of consecutive blocked stops at which the agent stops anyway. `None` if it never does.
        fn stop_cap(scene: &Scene) -> Option<u32> = |_| None;
        /// Updates the session's state for later events. `before` is the state that the event depended on.
        fn remember(state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) = remember_stops;
        /// Writes the session's state into the payload of an event, and returns the changed keys. `filled` lists the
        /// keys that hookbench added to the payload.
        fn recall(state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> = SessionState::mark_stop;
        /// How a finished run changes the input of the next one in a sequential firing.
        fn after_run(run: &HookRun, scene: &Scene) -> NextStep = |_, _| NextStep::SameInput;
        /// How the hooks that run ahead of the others change the input of those, when all of them have ended.
        fn after_ahead_runs(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> NextStep = |_, _, _| NextStep::SameInput;
        /// Whether a hook that fails, such as one that exits with 1, blocks on this event.
        fn failure_blocks(event: &EventSpec) -> bool = |_| false;
        /// Findings that only this agent has: definitions that it probably treats differently than their author meant.
        fn definition_findings(at: &RuleContext<'_>) -> Vec<Diagnostic> = |_| Vec::new();
        /// The same for the whole configuration.
        fn agent_findings(at: &AgentContext<'_>) -> Vec<Diagnostic> = |_| Vec::new();
        /// The files of a layer to which users can add hooks, the usual one first. `None`: the file of the settings format.
        fn own_hook_files(place: &Place, layer: Layer) -> Option<Vec<HookFile>> = |_, _| None;
        /// The files besides the settings that name MCP servers, each with the keys of the object whose keys are their names.
        fn server_files(place: &Place) -> Vec<(String, Vec<String>)> = |_| Vec::new();
        /// The directory of the profile that a file of the user chooses, and the variable that the agent sets to it.
        fn chosen_profile(place: &Place, files: &dyn Files) -> Option<(&'static str, String)> = |_, _| None;
        /// The file of a layer to which a hook on this event must be added so that the agent reads it. `None`: the file of
        /// the settings format.
        fn own_file_for_event(place: &Place, files: &dyn Files, layer: Layer, event: &str) -> Option<HookFile> = |_, _, _, _| None;
    }
}

impl Agent {
    /// Loads the agent's configuration in this place, and records every path that was looked up.
    pub fn load(&self, place: &Place, files: &dyn Files, version: &Version) -> Arc<LoadedConfig> {
        let files = TrackingFiles::new(files);
        let mut loaded = self.read_configuration(place, &files, version);
        loaded.notes.extend(self.given_flags(place).findings(self.name));
        self.find_unloaded_plugins(place, &files, &mut loaded);
        Arc::new(LoadedConfig { lookups: files.requested(), ..loaded })
    }

    /// The flags with which the user starts this agent.
    pub fn given_flags(&self, place: &Place) -> GivenFlags {
        GivenFlags::of(place, self.id.as_str(), self.flags)
    }

    /// Complete example payloads of an event, the most useful first; never empty for a known event. They have every
    /// key that the agent would send. Keys missing from a user's payload are filled from the first example that
    /// fits.
    pub fn examples(&self, event: &EventSpec, place: &Place, version: &Version) -> Vec<ExamplePayload> {
        let mut examples: Vec<ExamplePayload> = self.iter_examples(event, place, version).collect();
        for example in &mut examples {
            place.write_native_paths(&mut example.body);
        }
        examples
    }

    /// The command, request or question that runs a definition.
    pub fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        let mut launch = self.build_launch(definition, scene);
        if let Launch::Process(spec) = &mut launch
            && scene.place.os == Os::Windows
        {
            adjust_to_windows(spec, self.settings_format.windows_shell, &scene.place);
        }
        launch
    }

    /// The keys that this agent would have sent and that `body` lacks, with values. `body` has its event name.
    pub fn missing_keys(
        &self,
        event: &EventSpec,
        body: &Value,
        place: &Place,
        version: &Version,
    ) -> Vec<(String, Value)> {
        self.missing_keys_like(&self.examples(event, place, version), event, body, place)
    }

    /// The payload keys of a tool event for this tool and input.
    pub fn tool_body(&self, tool: &str, input: Value) -> Vec<(String, Value)> {
        vec![("tool_name".to_owned(), Value::from(tool)), ("tool_input".to_owned(), input)]
    }

    /// Whether a hook under one name of an event runs when the event fires under another.
    pub fn is_same_event(&self, one: &str, other: &str) -> bool {
        self.main_spelling(one) == self.main_spelling(other)
    }

    /// The files of a layer to which users can add hooks, the usual one first.
    pub fn hook_files(&self, place: &Place, layer: Layer) -> Vec<HookFile> {
        let usual = || self.settings_format.layer_settings(place, layer).into_iter().collect();
        self.own_hook_files(place, layer).unwrap_or_else(usual)
    }

    /// The usual file for a hook on this event in an empty project, with its layer. `None` if users can edit none.
    pub fn usual_file_for_event(&self, place: &Place, event: &str) -> Option<(Layer, HookFile)> {
        let (layer, usual) = self.settings_format.usual_settings(place)?;
        Some((layer, self.file_for_event(place, &MemoryFiles::default(), layer, event).unwrap_or(usual)))
    }

    /// The file of a layer to which a hook on this event must be added so that the agent reads it. `None` if the agent
    /// has no such layer that users can edit.
    pub fn file_for_event(&self, place: &Place, files: &dyn Files, layer: Layer, event: &str) -> Option<HookFile> {
        self.own_file_for_event(place, files, layer, event)
            .or_else(|| self.settings_format.layer_settings(place, layer))
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id.as_str())
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Agent) -> bool {
        self.id == other.id
    }
}

/// Counts blocked stops, as most agents name the events.
fn remember_stops(state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
    match input.event.as_str() {
        "SessionStart" => *state = SessionState::default(),
        "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
        "SubagentStart" => state.forget_stops("SubagentStop"),
        _ => {}
    }
}
