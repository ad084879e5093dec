//! One definition and its conversion.

use serde_json::{Map, Value};

use super::note::ConversionNote;
use super::timeout::ConvertedTimeout;
use crate::hook::{HookDefinition, Layer};
use crate::port::AgentVersion;

/// The source and the target of a conversion.
pub struct ConversionPair<'a> {
    pub from: &'a AgentVersion,
    pub to: &'a AgentVersion,
    /// Whether commands run through `hookbench adapt`, which translates payloads and answers.
    pub adapts: bool,
    /// The expression for the project's directory in the target's settings.
    pub project_directory: String,
}

/// A definition as the other agent's settings express it.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenDefinition {
    pub event: String,
    pub matcher: Option<String>,
    /// The keys of the group other than its matcher and its handlers.
    pub group: Map<String, Value>,
    pub handler: Map<String, Value>,
    /// The script that is the hook, in agents whose hooks are scripts.
    pub script: Option<String>,
    /// The file of that script, as displayed.
    pub file: Option<String>,
    /// It is already in the settings, or was already written for another definition.
    pub exists: bool,
}

impl WrittenDefinition {
    /// Whether a loaded definition is the script of this one.
    pub fn is_script(&self, there: &HookDefinition) -> bool {
        self.file.as_ref() == Some(&there.provenance.file)
    }
}

/// One definition and its conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertedDefinition {
    /// The id of the loaded definition.
    pub hook: String,
    pub label: String,
    pub layer: Layer,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub event: String,
    pub matcher: Option<String>,
    /// `None` if the definition is dropped.
    pub limit: Option<ConvertedTimeout>,
    /// `None` unless the other agent runs the definition from its file, so that nothing is written.
    pub shared: Option<SharedHook>,
    /// Empty if the definition is dropped or shared.
    pub written: Vec<WrittenDefinition>,
    pub notes: Vec<ConversionNote>,
}

/// How the other agent runs a definition from the file in which it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedHook {
    /// The other agent's event.
    pub event: String,
    /// Whether the hook is a command, which ends with an exit status.
    pub is_command: bool,
}

impl ConvertedDefinition {
    /// Whether a definition of the other agent is this one: the agent reads it from the same place.
    pub fn is_shared_with(&self, there: &HookDefinition) -> bool {
        let place = &there.provenance;
        self.shared.is_some() && (&place.file, place.line, place.column) == (&self.file, self.line, self.column)
    }

    /// The other agent's matcher. `None` if it matches everything, or if there are several.
    pub fn matcher_there(&self) -> Option<Value> {
        let [written] = self.written.as_slice() else { return None };
        written.matcher.as_deref().map(Value::from)
    }

    /// The other agent's event on which the hook runs. `None` if it does not run there.
    pub fn event_there(&self) -> Option<&str> {
        self.shared.as_ref().map(|shared| &shared.event).or(self.written.first().map(|w| &w.event)).map(String::as_str)
    }
}
