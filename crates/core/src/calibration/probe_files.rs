//! The files of a probe: settings, scripts of hooks, and what they print.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::model_interface::{ModelTurn, ScriptedCall};
use hookbench_base::dialects::Agent;
use hookbench_base::dialects::settings_format::FileLanguage;
use hookbench_base::dialects::verification::HeadlessFormat;

/// The file that the model's shell call writes, below the project.
pub const TOOL_OUTPUT: &str = "out.txt";
/// The file in which hooks note that they start and end.
pub const LOG_FILE: &str = "log";

/// The directories of a probe, as absolute paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeDirectories {
    pub project: String,
    pub home: String,
    /// The scripts of the hooks, and what they print.
    pub hooks: String,
    /// The notes of the hooks.
    pub log: String,
}

impl ProbeDirectories {
    /// Puts the paths in place of `{{project}}`, `{{home}}` and `{{hooks}}`.
    pub fn fill(&self, text: &str) -> String {
        text.replace("{{project}}", &self.project).replace("{{home}}", &self.home).replace("{{hooks}}", &self.hooks)
    }

    /// Puts the paths into every text of a value.
    pub fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| (self.fill(key), self.fill_value(value))).collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeFile {
    pub path: String,
    pub text: String,
    pub executable: bool,
}

/// The files of a probe, in the order in which they are written.
pub fn probe_files(probe: &Probe, dialect: &Agent, at: &ProbeDirectories) -> Vec<ProbeFile> {
    let format = dialect.headless_format();
    let plain = |path: String, text: String| ProbeFile { path, text, executable: false };
    let mut files: Vec<ProbeFile> =
        format.files.iter().map(|(path, text)| plain(at.fill(path), at.fill(text))).collect();
    for (path, content) in &probe.files {
        let path = at.fill(path);
        let needed = files.iter().position(|file| file.path == path).map(|index| files.remove(index));
        let text = match content {
            Value::String(text) => {
                let text = at.fill(text);
                needed.and_then(|needed| FileLanguage::of_path(&path).merged(&text, &needed.text)).unwrap_or(text)
            }
            other => {
                let mut value = at.fill_value(&with_commands(other, at));
                let needed = needed.and_then(|file| serde_json::from_str::<Map<String, Value>>(&file.text).ok());
                if let (Some(keys), Some(map)) = (needed, value.as_object_mut()) {
                    map.extend(keys);
                }
                format!("{value:#}")
            }
        };
        files.push(plain(path, text));
    }
    if let Some(settings) = &probe.settings {
        let settings = at.fill_value(&with_keeper(&with_commands(settings, at), dialect, at));
        let path = at.fill(format.settings);
        let text = match (dialect.settings_format().list, settings.get("hooks")) {
            (Some(list), Some(Value::Object(events))) => {
                let hooks = list.whole_file(events);
                let needed = files.iter().position(|file| file.path == path).map(|index| files.remove(index).text);
                needed.and_then(|needed| list.language.merged(&hooks, &needed)).unwrap_or(hooks)
            }
            _ => format!("{settings:#}"),
        };
        files.push(plain(path, text));
    }
    let keeper = HookScript::default();
    for (name, script) in probe.hooks.iter().map(|(name, script)| (name.as_str(), script)).chain([(KEEPER, &keeper)]) {
        let path = format!("{}/{name}", at.hooks);
        let printed = match &script.stdout {
            None => String::new(),
            Some(Value::String(text)) => at.fill(text),
            Some(other) => at.fill_value(other).to_string(),
        };
        files.push(plain(format!("{path}.stdout"), printed));
        files.push(plain(
            format!("{path}.stderr"),
            script.stderr.as_deref().map(|text| at.fill(text)).unwrap_or_default(),
        ));
        files.push(ProbeFile { path: path.clone(), text: script_text(name, script, &path, at), executable: true });
    }
    files
}

/// The script of a hook: it notes its start, its stdin and its environment, does what it is to do, and notes its end.
fn script_text(name: &str, script: &HookScript, path: &str, at: &ProbeDirectories) -> String {
    let log = &at.log;
    let mut text = format!("#!/bin/sh\nn=\"{log}/{name}.$$\"\ncat > \"$n.stdin\"\nenv > \"$n.env\"\n");
    text.push_str(&format!("echo \"start {name} $$\" >> \"{log}/{LOG_FILE}\"\n"));
    let end = format!("echo \"end {name} $$\" >> \"{log}/{LOG_FILE}\"");
    if script.first_stop_only {
        text.push_str(&format!("grep -q '\"stop_hook_active\": *true' \"$n.stdin\" && {{ {end}; exit 0; }}\n"));
    }
    if script.sleep > 0.0 {
        text.push_str(&format!("sleep {}\n", script.sleep));
    }
    text.push_str(&format!("cat \"{path}.stdout\"\ncat \"{path}.stderr\" >&2\n"));
    text.push_str(&format!("{end}\nexit {}\n", script.exit));
    text
}

/// Puts commands in place of the names of hooks.
fn with_commands(value: &Value, at: &ProbeDirectories) -> Value {
    match value {
        Value::Object(map) => {
            let items = map.iter().map(|(key, value)| match value {
                Value::Array(handlers) if key == "hooks" => {
                    (key.clone(), handlers.iter().map(|handler| with_command(handler, at)).collect())
                }
                other => (key.clone(), with_commands(other, at)),
            });
            items.collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| with_commands(item, at)).collect(),
        other => other.clone(),
    }
}

fn with_command(handler: &Value, at: &ProbeDirectories) -> Value {
    let command = |name: &str| json!({ "type": "command", "command": format!("{}/{name}", at.hooks) });
    match handler {
        Value::String(name) => command(name),
        Value::Object(map) => match map.get("hook").and_then(Value::as_str) {
            Some(name) => {
                let mut whole = command(name).as_object().cloned().unwrap_or_default();
                whole.extend(
                    map.iter().filter(|(key, _)| *key != "hook").map(|(key, value)| (key.clone(), value.clone())),
                );
                whole.into()
            }
            None => handler.clone(),
        },
        other => other.clone(),
    }
}

/// Adds the keeper to each event, ahead of the other groups. Of several spellings of one event, the first has it.
fn with_keeper(settings: &Value, dialect: &Agent, at: &ProbeDirectories) -> Value {
    let mut settings = settings.clone();
    let keeper = json!({ "hooks": [with_command(&json!(KEEPER), at)] });
    if let Some(Value::Object(events)) = settings.get_mut("hooks") {
        let mut kept = BTreeSet::new();
        for (event, groups) in events {
            if let Value::Array(groups) = groups
                && kept.insert(dialect.main_spelling(event).to_owned())
            {
                groups.insert(0, keeper.clone());
            }
        }
    }
    settings
}

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
