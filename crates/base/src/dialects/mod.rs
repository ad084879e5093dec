//! The agents. Each is one folder of data and rules behind one trait; nothing outside this folder names one.

pub mod form;
pub mod live;
mod looked;
mod memory;
mod versions;

use std::sync::Arc;

use serde_json::Value;

use self::form::SettingsForm;
use self::live::LiveForm;
use crate::config::{Files, Loaded, Place};
use crate::decide::{HookRun, Outcome, Runs};
use crate::diagnostic::Diagnostic;
use crate::hook::{EventSpec, Example, HookDefinition, HookInput, Subject};
use crate::matcher::MatcherReading;
use crate::output::{HookOutput, Reach};
use crate::plan::Plan;
use crate::recorded::{SessionFolder, TranscriptFormat};
use crate::run::{Launch, RunReport};
use crate::text::as_doubles;

pub use looked::{Around, Looked, Running, Script, ShellLine, Start, Whole, Written};
pub use memory::{Memory, SessionState};
pub use versions::{Basis, BasisKind, Version, VersionRange, default_version};

impl std::fmt::Debug for dyn Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

/// How sure an agent is that a payload is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    No,
    /// The event is known and nothing speaks against it.
    Possible,
    /// It carries something that only this agent sends.
    Certain,
}

/// Everything that a firing rests on.
#[derive(Debug, Clone)]
pub struct Scene {
    pub input: HookInput,
    pub loaded: Arc<Loaded>,
    pub place: Arc<Place>,
    pub version: Version,
    /// Nobody can be asked.
    pub headless: bool,
    pub memory: Memory,
}

impl Scene {
    /// The same scene with another input (chained hooks).
    #[must_use]
    pub fn with_input(&self, input: HookInput) -> Scene {
        Scene { input, ..self.clone() }
    }
}

/// What follows a run in a sequential firing.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The next hook gets the same input.
    Same,
    /// The next hook gets this body.
    Body(Value),
    /// The firing is broken off; nothing more starts.
    Abort(String),
}

/// Where a program file of the agent would lie, so that its version can be read without running it.
#[derive(Debug, Clone, PartialEq)]
pub struct InstallHint {
    /// The command's name on PATH.
    pub command: &'static str,
    /// The npm package whose `package.json` states the version.
    pub package: &'static str,
}

/// A hook to begin with, for somebody who has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstHook {
    /// What it does.
    pub name: &'static str,
    /// The whole settings file. Its command needs nothing but a shell.
    pub settings: &'static str,
}

impl FirstHook {
    /// The same three for every agent: settings that refuse a command, tell the model something, and hold it back from
    /// stopping.
    pub fn three([refuse, tell, stop]: [&'static str; 3]) -> [FirstHook; 3] {
        [
            FirstHook { name: "refuse a command", settings: refuse },
            FirstHook { name: "tell the model something", settings: tell },
            FirstHook { name: "hold it back from stopping", settings: stop },
        ]
    }
}

/// One agent.
pub trait Dialect: Sync + Send {
    /// As in `--agent`.
    fn id(&self) -> &'static str;
    /// For people.
    fn name(&self) -> &'static str;
    /// Ranges of versions whose behaviour is known, newest first. The end of the first is the default version.
    fn versions(&self) -> &'static [VersionRange];
    /// How to find an installed program.
    fn install(&self) -> InstallHint;
    /// Variables that name another folder than the home folder for the user's own files.
    fn home_variables(&self) -> &'static [&'static str];
    /// The events of a version.
    fn events(&self, version: &Version) -> Vec<&'static EventSpec>;
    /// Whether a payload looks like this agent's.
    fn recognise(&self, payload: &Value) -> Confidence;
    /// Ready payloads of an event, the most useful first; never empty for a known event. Complete: every key that the
    /// agent would send. What the payload of a user lacks is filled from the first one that fits.
    fn examples(&self, event: &EventSpec, place: &Place, version: &Version) -> Vec<Example>;
    /// Turns a payload as it is written into the values that this agent would hold: JavaScript keeps numbers as doubles.
    fn hold(&self, body: &mut Value) {
        as_doubles(body);
    }
    /// The keys of `body` that this agent would have sent and that are missing, with values. `body` has its event name.
    fn fill(&self, event: &EventSpec, body: &Value, place: &Place, version: &Version) -> Vec<(String, Value)>;
    /// A payload of a tool event for this tool and input.
    fn tool_body(&self, tool: &str, input: Value) -> Vec<(String, Value)> {
        vec![("tool_name".to_owned(), Value::from(tool)), ("tool_input".to_owned(), input)]
    }
    /// The kinds of files in which this agent keeps its sessions, today's first.
    fn transcripts(&self) -> &'static [&'static dyn TranscriptFormat];
    /// Where the sessions of this project lie.
    fn sessions(&self, place: &Place, files: &dyn Files) -> Vec<SessionFolder>;
    /// Hooks to begin with.
    fn first_hooks(&self) -> [FirstHook; 3];
    /// Reads every file that the agent would read in this place.
    fn load(&self, place: &Place, files: &dyn Files, version: &Version) -> Loaded;
    /// What lies in the home folder of somebody who trusts this project and has reviewed its hooks: paths, and what is in
    /// the files. Made for a home folder in which nothing lies yet.
    fn trusting(&self, place: &Place, files: &dyn Files) -> Vec<(String, String)>;
    /// What matchers look at.
    fn subject(&self, event: &EventSpec, body: &Value, version: &Version) -> Subject;
    /// Whether a matcher, as written, lets a subject through; none: that is not known.
    fn matches(&self, event: &EventSpec, matcher: Option<&Value>, subject: &Subject, version: &Version)
    -> Option<bool>;
    /// How a matcher, as written, is read on an event. What it lets pass is what [`Dialect::matches`] says.
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherReading;
    /// How its settings say what a hook is.
    fn form(&self) -> &'static SettingsForm;
    /// How it takes an answer that was made elsewhere.
    fn live(&self) -> &'static LiveForm;
    /// Who runs.
    fn plan(&self, scene: &Scene) -> Plan;
    /// What [`Dialect::plan`] reads of the payload for a definition, beside the subject: JSON pointers.
    fn plan_reads(&self, _definition: &HookDefinition) -> Vec<&'static str> {
        Vec::new()
    }
    /// Whether what a definition asks of the payload holds, by what [`Dialect::plan_reads`] names; none: that is not known.
    /// With what [`Dialect::matches`] says of every definition, it settles who runs.
    fn holds(&self, _definition: &HookDefinition, _input: &HookInput, _place: &Place) -> Option<bool> {
        Some(true)
    }
    /// How a definition is run.
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch;
    /// What the agent makes of a run.
    fn read(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput;
    /// Who gets what a hook prints that is no answer.
    fn text_reaches(&self, event: &EventSpec, version: &Version) -> Reach;
    /// The block of a stop, counted in a row, with which the agent stops all the same; none: it never does.
    fn stop_cap(&self, _scene: &Scene) -> Option<u32> {
        None
    }
    /// What an event changes in the session for the events behind it. `before` is what the event rested on.
    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &Memory, outcome: &Outcome) {
        match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
            "SubagentStart" => state.forget_stops("SubagentStop"),
            _ => {}
        }
    }
    /// Writes what the session knows into the payload of an event; returns the keys. `filled`: keys that the payload did
    /// not have before it was completed.
    fn recall(&self, state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
        state.mark_stop(input, filled)
    }
    /// What a finished run changes for the next one of a sequential firing.
    fn after(&self, run: &HookRun, scene: &Scene) -> Next;
    /// What the hooks that run ahead of the others change for those, when they have ended.
    fn after_ahead(&self, _plan: &Plan, _runs: Runs<'_>, _scene: &Scene) -> Next {
        Next::Same
    }
    /// What this agent does otherwise than the author of a definition has probably meant, and no other agent in this way.
    fn remarks(&self, _at: &Looked<'_>) -> Vec<Diagnostic> {
        Vec::new()
    }
    /// The same of everything that was loaded.
    fn remarks_on_all(&self, _at: &Whole<'_>) -> Vec<Diagnostic> {
        Vec::new()
    }
    /// What the agent does. `plan` is what was planned; `runs.finished` is empty when nobody ran.
    fn decide(&self, plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Outcome;
}

/// The event of that name, in a version.
pub fn event_of(dialect: &dyn Dialect, version: &Version, name: &str) -> Option<&'static EventSpec> {
    dialect.events(version).into_iter().find(|e| e.name == name)
}
