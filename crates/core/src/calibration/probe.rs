//! Probes: sessions whose hooks, settings and model are known, as data.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::probe_files::ProbeDirectories;
use crate::model_interface::{ModelTurn, ScriptedCall};
use hookbench_base::dialects::headless::HeadlessFormat;

/// The hook that every probe adds to each of its events, in one spelling: it prints nothing and shows that the event fired.
pub const KEEPER: &str = "keep";

/// One session.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    pub id: String,
    /// The question of the probe, as a sentence.
    pub says: String,
    /// Whether a quick calibration has it.
    #[serde(default)]
    pub quick: bool,
    /// The scripts of its hooks, by name.
    #[serde(default)]
    pub hooks: BTreeMap<String, HookScript>,
    /// The settings file of the agent. In a list of handlers, the name of a hook is replaced by a command that runs it.
    /// An object with `hook` adds keys to that command.
    #[serde(default)]
    pub settings: Option<Value>,
    /// More files, by path below `{{project}}` or `{{home}}`; an object is written as JSON.
    #[serde(default)]
    pub files: IndexMap<String, Value>,
    /// The model's turns. By default, one call of the shell.
    #[serde(default)]
    pub turns: Option<Vec<ModelTurn>>,
    /// The model's turns in the conversation of a sub-agent whose prompt has the word `SUBAGENT`.
    #[serde(default)]
    pub subagent_turns: Vec<ModelTurn>,
    #[serde(default)]
    pub prompt: Option<String>,
    /// More prompts. For each, the agent is started again and continues the session.
    #[serde(default)]
    pub then: Vec<String>,
    /// The text on the agent's stdin.
    #[serde(default)]
    pub stdin: String,
    /// More arguments of the agent.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Arguments of every session that this probe leaves out.
    #[serde(default)]
    pub omit: Vec<String>,
    /// The only arguments, for a command that does not start a session.
    #[serde(default)]
    pub command: Option<Vec<String>>,
    /// Whether the project and its hooks lack the user's trust.
    #[serde(default)]
    pub untrusted: bool,
    /// More environment variables of the agent.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// The output and the end of a hook.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HookScript {
    /// An object is printed as JSON.
    pub stdout: Option<Value>,
    pub stderr: Option<String>,
    pub exit: i32,
    /// Seconds before it prints.
    pub sleep: f64,
    /// Whether it does nothing when the agent says that a stop was already blocked.
    pub first_stop_only: bool,
}

impl Probe {
    /// The model's turns. The default is one call of the shell, whose file shows whether it ran.
    pub fn model_turns(&self, format: &HeadlessFormat, at: &ProbeDirectories) -> Vec<ModelTurn> {
        let default =
            || serde_json::from_str::<ScriptedCall>(format.shell_call).map(ModelTurn::Call).into_iter().collect();
        filled(self.turns.clone().unwrap_or_else(default), at)
    }

    /// The model's turns in the conversation of a sub-agent.
    pub fn model_turns_of_subagent(&self, at: &ProbeDirectories) -> Vec<ModelTurn> {
        filled(self.subagent_turns.clone(), at)
    }
}

/// Turns with paths in place of the placeholders.
fn filled(mut turns: Vec<ModelTurn>, at: &ProbeDirectories) -> Vec<ModelTurn> {
    for call in turns.iter_mut().flat_map(ModelTurn::calls_mut) {
        call.input = at.fill_value(&call.input);
    }
    turns
}
