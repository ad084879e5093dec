//! How an agent's settings say what a hook is: where they lie, which keys count, in which unit a timeout is. Data and
//! small functions, so that the hooks of one agent can be written as those of another.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::config::Place;
use crate::hook::Layer;
use crate::text::Syntax;

/// What stands for the folder of the project, of all things that a variable can mean.
pub const PROJECT: &str = "the project's folder";
/// What stands for the folder of the plugin that brings a hook.
pub const PLUGIN: &str = "the folder of a plugin";

/// One type of handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandlerForm {
    /// Its `type`.
    pub kind: &'static str,
    /// The keys without which it is none.
    pub needs: &'static [&'static str],
    /// The other keys that count, beside `type` and `timeout`.
    pub may: &'static [&'static str],
}

/// A variable that the agent sets for commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    /// In words that are the same for every agent that has the like.
    pub means: &'static str,
}

/// A variable with what it means.
pub const fn variable(name: &'static str, means: &'static str) -> Variable {
    Variable { name, means }
}

/// A way to use an agent in which some of its events do not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surface {
    /// In the midst of a sentence.
    pub name: &'static str,
    /// The variable of the environment that says so, with its value.
    pub sign: (&'static str, &'static str),
    /// The events that do not fire.
    pub silent: &'static [&'static str],
}

/// How an agent's settings say what a hook is.
#[derive(Debug, Clone, Copy)]
pub struct SettingsForm {
    /// The handlers that run.
    pub handlers: &'static [HandlerForm],
    /// Keys of a group that count, beside its matcher and its handlers.
    pub group: &'static [&'static str],
    /// Variables that commands get; of several that mean the same the agent's own first.
    pub variables: &'static [Variable],
    /// What a shell says for the project's folder where no variable does.
    pub project_word: Option<&'static str>,
    /// Whether `$NAME` is replaced before the shell sees it, in a way that does not stand quotes; `${NAME}` is not.
    pub replaces_text: bool,
    /// Whether variables are replaced when the settings are read, wherever they stand.
    pub expands_on_load: bool,
    /// Whether hooks of a project always start in its folder, wherever the session is.
    pub project_hooks_stay: bool,
    /// What it starts commands with on Windows.
    pub windows_shell: &'static str,
    /// Variables in the agent's own environment with which it trusts a project, whatever else is known of it.
    pub trusting: &'static [(&'static str, &'static str)],
    /// What the settings file may hold beyond strict JSON.
    pub syntax: Syntax,
    /// Whose patterns matchers are.
    pub patterns: &'static str,
    /// Ways to use the agent in which some events do not fire.
    pub surfaces: &'static [Surface],
    /// Whether the same handler runs as often as it is written.
    pub repeats: bool,
    /// Whether it does when one is written in the settings and the other comes with a plugin.
    pub repeats_across_bundles: bool,
    /// What makes a running agent take edited settings, where it reads them once; none: it takes them at once.
    pub reads_once: Option<&'static str>,
    /// The file with the hooks of a layer; none: the agent has no such layer that a user writes.
    pub file: fn(&Place, Layer) -> Option<String>,
    /// Whether handlers of this type run on this event.
    pub runs: fn(kind: &str, event: &str) -> bool,
    /// Why the agent would not run a handler that its settings may hold, as long as nothing else in them says so.
    pub refuses: fn(&Map<String, Value>) -> Option<String>,
    /// How long a handler may take that does not say.
    pub default_timeout: fn(kind: &str, event: &str) -> Duration,
    /// How long the agent waits at most on this event, whatever a handler says.
    pub longest: fn(event: &str) -> Option<Duration>,
    /// A time limit as this agent's settings write it, and what that comes to.
    pub timeout: fn(kind: &str, limit: Duration) -> (Value, Duration),
}

impl SettingsForm {
    /// The form of a type of handler; none: it does not run here.
    pub fn handler(&self, kind: &str) -> Option<&'static HandlerForm> {
        self.handlers.iter().find(|form| form.kind == kind)
    }

    /// The same place, as somebody has it who trusts the project.
    #[must_use]
    pub fn trusted(&self, place: &Place) -> Place {
        let mut place = place.clone();
        place.env.extend(self.trusting.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        place
    }

    /// The agent's own variable that means the same.
    pub fn variable_for(&self, means: &str) -> Option<&'static str> {
        self.variables.iter().find(|v| v.means == means).map(|v| v.name)
    }

    /// What a variable means here; none: the agent does not set it.
    pub fn meaning(&self, name: &str) -> Option<&'static str> {
        self.variables.iter().find(|v| v.name == name).map(|v| v.means)
    }
}

/// Seconds as a number, whole where they are.
pub fn seconds(limit: Duration) -> Value {
    if limit.subsec_nanos() == 0 { Value::from(limit.as_secs()) } else { Value::from(limit.as_secs_f64()) }
}

/// Every event, every handler.
pub fn runs_everywhere(_kind: &str, _event: &str) -> bool {
    true
}

/// Whatever the settings may hold is run.
pub fn refuses_nothing(_handler: &Map<String, Value>) -> Option<String> {
    None
}

/// No event has a limit of its own.
pub fn no_longest(_event: &str) -> Option<Duration> {
    None
}
