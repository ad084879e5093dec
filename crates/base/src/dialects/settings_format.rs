//! The settings format of an agent: the paths of its files, the valid keys, the unit of a timeout. It consists of
//! data and small functions, so that hooks of one agent can be converted to another agent's format.

use std::time::Duration;

use serde_json::{Map, Value};

pub use super::hook_list::{FileLanguage, ListForm, toml_table};
use crate::config::Place;
use crate::hook::Layer;
use crate::text::{JsonError, JsonSyntax, Node, SourceId};

/// The meaning of a variable that holds the project's directory.
pub const PROJECT: &str = "the project directory";
/// The meaning of a variable that holds the directory of the plugin that contains the hook.
pub const PLUGIN: &str = "the directory of a plugin";
/// The meaning of a variable that holds the directory in which the agent keeps its plans.
pub const PLANS: &str = "the directory of plans";

/// One type of handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandlerFormat {
    /// The value of its `type` key.
    pub kind: &'static str,
    /// The required keys.
    pub required: &'static [&'static str],
    /// The optional keys, other than `type` and `timeout`.
    pub optional: &'static [&'static str],
}

/// An environment variable that the agent sets for commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentVariable {
    pub name: &'static str,
    /// The meaning, in words that all agents with such a variable share.
    pub meaning: &'static str,
}

/// A way to run an agent in which some of its events do not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surface {
    /// The name, as used inside a sentence.
    pub name: &'static str,
    /// The environment variable that indicates it, with its value.
    pub marker_variable: (&'static str, &'static str),
    /// The events that do not fire.
    pub missing_events: &'static [&'static str],
}

/// The directories above a session's directory whose settings an agent reads, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsAbove {
    None,
    /// The root of the git repository.
    Root,
    /// All directories up to the root of the git repository.
    UpToRoot,
}

/// The settings format of one agent.
#[derive(Debug, Clone, Copy)]
pub struct SettingsFormat {
    /// The types of handlers that the agent runs.
    pub handlers: &'static [HandlerFormat],
    /// The valid keys of a matcher group, other than its matcher and its handlers.
    pub group: &'static [&'static str],
    /// Other keys of a handler that the agent reads in its own files, such as another name for `command`. An agent that has
    /// such keys accepts handlers outside a group.
    pub other_keys: &'static [&'static str],
    /// Variables that commands receive. If several have the same meaning, the agent's preferred one comes first.
    pub variables: &'static [AgentVariable],
    /// Which directories above the session's can hold the settings that a session reads. The variables of these agents
    /// hold the session's directory.
    pub settings_above: SettingsAbove,
    /// Whether the directory that an event names can be another one than that of the session, as after `cd`.
    pub event_directory_moves: bool,
    /// Whether `$NAME` is replaced before the shell sees it, in a way that breaks inside quotes. `${NAME}` is not
    /// replaced.
    pub replaces_text: bool,
    /// Whether variables are expanded anywhere in the settings when they are read.
    pub expands_on_load: bool,
    /// Whether hooks of a project always start in the project's directory, independent of the session's directory.
    pub project_hooks_stay: bool,
    /// Whether a command is a program with its arguments, which no shell reads.
    pub has_no_shell: bool,
    /// The program that starts commands on Windows.
    pub windows_shell: &'static str,
    /// The extensions to strict JSON that the settings file may use.
    pub syntax: JsonSyntax,
    /// The form of a settings file that has a list of hooks. `None` if hooks are grouped by event and matcher.
    pub list: Option<ListForm>,
    /// Set if each hook is a script: the event of the one that `layer_file` names.
    pub script: Option<&'static str>,
    /// The regular-expression dialect of matchers, in words.
    pub pattern_dialect: &'static str,
    /// The text before a matcher that is a regular expression. `None` if there is none.
    pub pattern_prefix: Option<&'static str>,
    /// Events in which a failure refuses only if the handler has a key that is true, each with that key.
    pub strict_keys: &'static [(&'static str, &'static str)],
    /// Ways to run the agent in which some events do not fire.
    pub surfaces: &'static [Surface],
    /// Whether a handler that is configured several times runs several times.
    pub runs_duplicates: bool,
    /// Whether that also holds if one copy is in the settings and the other in a plugin.
    pub runs_duplicates_across_bundles: bool,
    /// The action that makes a running agent reload edited settings, if it reads them only once. `None` if it picks
    /// changes up at once.
    pub reload_action: Option<&'static str>,
    /// The hooks file of a layer. `None` if the agent has no such layer that users can edit.
    pub layer_file: fn(&Place, Layer) -> Option<String>,
    /// Whether the hooks of an event always run one after another.
    pub runs_in_order: bool,
    /// A handler with the keys of [`HandlerFormat`], in which a command is a line under `command` and a limit a `timeout`. Its
    /// settings may write the same in other ways.
    pub plain_handler: fn(&Value) -> Value,
    /// Whether handlers of this type run on this event.
    pub runs_on: fn(kind: &str, event: &str) -> bool,
    /// The reason why the agent does not run a handler that its settings accept, judged from the handler alone.
    pub refusal_reason: fn(&Map<String, Value>) -> Option<String>,
    /// The timeout of a handler that does not set one.
    pub default_timeout: fn(kind: &str, event: &str) -> Duration,
    /// The agent's upper limit for the timeout on this event, whatever the handler sets.
    pub max_timeout: fn(event: &str) -> Option<Duration>,
    /// A time limit as this agent's settings write it, with the effective duration of that value.
    pub timeout: fn(kind: &str, limit: Duration) -> (Value, Duration),
}

/// A file of hooks that users can edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    pub path: String,
    pub form: FileForm,
}

/// The form of a file of hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileForm {
    pub syntax: JsonSyntax,
    /// Whether the events are members of the file itself. In most files, they are below `hooks`.
    pub is_top_level: bool,
    /// Set if the file has a list with one entry for each hook, and no events with groups.
    pub list: Option<ListForm>,
    /// Set if the file is one hook, a script: the event that its name names.
    pub script: Option<&'static str>,
}

impl FileForm {
    /// The form of a script that is the hook of an event.
    pub fn of_script(event: &'static str) -> FileForm {
        FileForm { list: Some(ListForm::SCRIPT), script: Some(event), ..FileForm::default() }
    }

    /// The form of a file whose events are below `hooks`.
    pub fn of_settings(syntax: JsonSyntax) -> FileForm {
        FileForm { syntax, ..FileForm::default() }
    }

    /// Parses a file.
    ///
    /// # Errors
    /// Returns an error if the text does not have the syntax of the file.
    pub fn parse(&self, source: SourceId, text: &str) -> Result<Node, JsonError> {
        if let Some(event) = self.script {
            return Ok(ListForm::read_script(source, text, event));
        }
        self.language().parse(source, text, self.syntax)
    }

    /// The language of the file.
    pub fn language(&self) -> FileLanguage {
        self.list.map_or(FileLanguage::Json, |list| list.language)
    }

    /// The object that has the events as keys. `None` if the file has none.
    pub fn events<'n>(&self, root: &'n Node) -> Option<&'n Node> {
        if self.is_top_level { Some(root) } else { root.get("hooks") }
    }

    /// The handlers of a file, each with its event.
    pub fn handlers<'n>(&self, root: &'n Node) -> Vec<(&'n str, &'n Node)> {
        if let Some(list) = self.list {
            return list.entries(root).collect();
        }
        let mut out = Vec::new();
        for event in self.events(root).and_then(Node::members).unwrap_or_default() {
            let groups = event.value.items().unwrap_or_default().iter();
            let handlers = groups.filter_map(|group| group.get("hooks")?.items()).flatten();
            out.extend(handlers.map(|handler| (event.key.as_str(), handler)));
        }
        out
    }

    /// The text of a file with these events and their groups.
    pub fn whole_file(&self, events: &Map<String, Value>) -> String {
        match self.list {
            Some(list) => list.whole_file(events),
            None => format!("{:#}", Value::Object(self.content(events.clone()))),
        }
    }

    /// The content of a file with these events.
    pub fn content(&self, events: Map<String, Value>) -> Map<String, Value> {
        if self.is_top_level { events } else { Map::from_iter([("hooks".to_owned(), Value::Object(events))]) }
    }
}

impl SettingsFormat {
    /// A format without facts and with the rules of most agents.
    pub const PLAIN: SettingsFormat = SettingsFormat {
        handlers: &[],
        group: &[],
        other_keys: &[],
        variables: &[],
        settings_above: SettingsAbove::None,
        event_directory_moves: false,
        replaces_text: false,
        expands_on_load: false,
        project_hooks_stay: false,
        has_no_shell: false,
        windows_shell: "",
        syntax: JsonSyntax { comments: false, trailing_commas: false, bom: false },
        list: None,
        script: None,
        pattern_dialect: "",
        pattern_prefix: None,
        strict_keys: &[],
        surfaces: &[],
        runs_duplicates: false,
        runs_duplicates_across_bundles: false,
        reload_action: None,
        layer_file: |_, _| None,
        runs_in_order: false,
        plain_handler: Value::clone,
        runs_on: |_, _| true,
        refusal_reason: |_| None,
        default_timeout: |_, _| Duration::ZERO,
        max_timeout: |_| None,
        timeout: |_, limit| (seconds(limit), limit),
    };

    /// The form of the agent's usual files.
    pub fn form(&self) -> FileForm {
        let settings = || FileForm { list: self.list, ..FileForm::of_settings(self.syntax) };
        self.script.map_or_else(settings, FileForm::of_script)
    }

    /// The usual file for hooks that are not of one layer: that of the project, or else that of the user. `None` if users can
    /// edit neither.
    pub fn usual_settings(&self, place: &Place) -> Option<(Layer, HookFile)> {
        [Layer::Project, Layer::User].into_iter().find_map(|layer| Some((layer, self.layer_settings(place, layer)?)))
    }

    /// The file of a layer in the agent's usual form. `None` if the agent has no such layer that users can edit.
    pub fn layer_settings(&self, place: &Place, layer: Layer) -> Option<HookFile> {
        Some(HookFile { path: (self.layer_file)(place, layer)?, form: self.form() })
    }

    /// The format of a handler type. `None` if the agent does not run that type.
    pub fn handler(&self, kind: &str) -> Option<&'static HandlerFormat> {
        self.handlers.iter().find(|form| form.kind == kind)
    }

    /// The key without which a failure refuses nothing on an event. `None` if there is none.
    pub fn strict_key(&self, event: &str) -> Option<&'static str> {
        self.strict_keys.iter().find(|(on, _)| *on == event).map(|(_, key)| *key)
    }

    /// A matcher for each of these names.
    pub fn any_of(&self, names: &[&str]) -> String {
        let prefix = self.pattern_prefix.filter(|_| names.len() > 1).unwrap_or_default();
        format!("{prefix}{}", names.join("|"))
    }

    /// The agent's variable with the given meaning.
    pub fn variable_for(&self, means: &str) -> Option<&'static str> {
        self.variables.iter().find(|v| v.meaning == means).map(|v| v.name)
    }

    /// The meaning of a variable. `None` if the agent does not set it.
    pub fn meaning(&self, name: &str) -> Option<&'static str> {
        self.variables.iter().find(|v| v.name == name).map(|v| v.meaning)
    }
}

/// A number of seconds: an integer if possible, otherwise a fraction.
pub fn seconds(limit: Duration) -> Value {
    if limit.subsec_nanos() == 0 { Value::from(limit.as_secs()) } else { Value::from(limit.as_secs_f64()) }
}

/// The plugin form of one agent. Paths are relative to the plugin's directory.
#[derive(Debug, Clone, Copy)]
pub struct PluginFormat {
    /// The manifest: a JSON object with name, version and description.
    pub manifest: &'static str,
    /// The file of the hooks, with the events below the key `hooks`.
    pub hooks: &'static str,
    /// The directory of skills.
    pub skills: &'static str,
    /// The file with [`PluginFormat::MARKETPLACE`].
    pub marketplace: Option<&'static str>,
    /// The command lines that load the plugin; `DIR` is its directory, and `BASE` the last part of that.
    pub load: &'static [&'static str],
    /// What the user must do before the agent runs the hooks, as a sentence.
    pub note: Option<&'static str>,
}

impl PluginFormat {
    /// A marketplace with this one plugin, in the plugin's own directory. Several agents read this form.
    pub const MARKETPLACE: &str = r#"{
  "name": "hookbench",
  "owner": { "name": "hookbench" },
  "plugins": [{ "name": "hookbench", "source": "./" }]
}
"#;
}
