//! The environment of a hook: what it finds besides the user's own variables, and who sets it.

use crate::config::LoadedVariable;
use crate::hook::HookDefinition;

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
