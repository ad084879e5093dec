//! The settings files: where they are, how each is read, and what happens if one cannot be read.

use serde_json::Value;

use crate::kernel::settings::{
    self, BrokenCause, BrokenEffect, BrokenFile, DefinitionOrigin, read_object, record_layer, report_ignored,
};
use crate::shared::files_above::report_files_above;
use hookbench_base::config::{Files, LayerState, LoadedConfig, Os, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::{Handler, HookDefinition, Layer};
use hookbench_base::text::{JsonError, Node, SourceId, Span, to_js_string, truthy};

/// The names by which one of the agents finds its files.
pub struct FileNames {
    /// The agent's name in sentences.
    pub agent: &'static str,
    /// The directory of settings in a project.
    pub directory: &'static str,
    /// The prefix of the variables that name files.
    pub variables: &'static str,
    /// The settings file of the System layer on Linux, macOS and Windows.
    pub system: [&'static str; 3],
}

impl FileNames {
    /// Returns the path in a variable, unless that is empty.
    pub fn path_in<'a>(&self, place: &'a Place, variable: &str) -> Option<&'a str> {
        place.var(&format!("{}_{variable}", self.variables)).filter(|path| !path.is_empty())
    }

    /// Returns the project's settings file.
    pub fn project_path(&self, place: &Place) -> String {
        format!("{}/{}/settings.json", place.project, self.directory)
    }

    /// Returns the settings file of the System layer.
    pub fn system_path(&self, place: &Place) -> String {
        let [linux, mac, windows] = self.system;
        let default = match place.os {
            Os::Linux => linux,
            Os::MacOs => mac,
            Os::Windows => windows,
        };
        self.path_in(place, "SYSTEM_SETTINGS_PATH").unwrap_or(default).to_owned()
    }

    /// Returns the settings file of the System defaults, next to the System file by default.
    pub fn defaults_path(&self, place: &Place) -> String {
        if let Some(path) = self.path_in(place, "SYSTEM_DEFAULTS_PATH") {
            return path.to_owned();
        }
        let system = self.system_path(place);
        let directory = system.rsplit_once('/').map_or("", |(directory, _)| directory);
        format!("{directory}/system-defaults.json")
    }

    /// Returns the four settings files, in the order in which later ones win.
    pub fn settings_paths(&self, place: &Place, user_dir: &str) -> [(Layer, String); 4] {
        [
            (Layer::SystemDefaults, self.defaults_path(place)),
            (Layer::User, format!("{user_dir}/settings.json")),
            (Layer::Project, self.project_path(place)),
            (Layer::System, self.system_path(place)),
        ]
    }

    /// Reports files that look like configuration but that the agent does not read: local settings, and these paths
    /// in the project, each with the reason.
    pub fn report_ignored(
        &self,
        place: &Place,
        files: &dyn Files,
        user_dir: &str,
        others: &[(&str, &str)],
        loaded: &mut LoadedConfig,
    ) {
        let FileNames { agent, directory, .. } = self;
        let local = |target| format!("{agent} has no local settings file; move the hooks to {target}");
        let candidates = [
            (format!("{}/{directory}/settings.local.json", place.project), local(format!("{directory}/settings.json"))),
            (format!("{user_dir}/settings.local.json"), local("settings.json beside it".to_owned())),
        ];
        let others = others.iter().map(|(path, why)| (format!("{}/{path}", place.project), (*why).to_owned()));
        // Settings of another agent are not a mistake if this one has its own.
        let own = files.exists(&self.project_path(place));
        for (path, message) in candidates.into_iter().chain(others) {
            let foreign = !path.contains(&format!("/{directory}/"));
            if !(own && foreign) {
                report_ignored(loaded, place, files, &path, &message);
            }
        }
        let candidates = |above: &str| vec![format!("{above}/{directory}/settings.json")];
        let why = "the agent reads only the directory in which it starts, not its parent directories";
        report_files_above(place, files, candidates, why, loaded);
    }
}

/// A parsed settings file, with variables in its strings already replaced.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    pub layer: Layer,
    pub path: String,
    pub root: Node,
}

/// Reads these settings files and records the state of each. `skip_reason` returns why the agent does not even open
/// an existing file; `read` returns the file's object, `None` if there is no file, or why it has no effect.
pub fn read_layers(
    place: &Place,
    paths: impl IntoIterator<Item = (Layer, String)>,
    loaded: &mut LoadedConfig,
    skip_reason: impl Fn(Layer, &str) -> Option<String>,
    read: impl Fn(Layer, &str, &mut LoadedConfig) -> Result<Option<Node>, String>,
) -> Vec<SettingsFile> {
    let mut out = Vec::new();
    for (layer, path) in paths {
        let (state, message) = match skip_reason(layer, &path) {
            Some(reason) => (LayerState::Off, Some(reason)),
            None => match read(layer, &path, loaded) {
                Ok(None) => (LayerState::Absent, None),
                Ok(Some(root)) => {
                    out.push(SettingsFile { layer, path: path.clone(), root });
                    (LayerState::Read, None)
                }
                Err(message) => (LayerState::Broken, Some(message)),
            },
        };
        record_layer(loaded, place, layer, &path, state, message);
    }
    out
}

/// Returns why the agent does not read the project's settings file: it was started in the home directory.
pub fn is_home(place: &Place, files: &dyn Files, home: &str) -> Option<String> {
    let real = |dir: &str| files.canonical(dir).unwrap_or_else(|| dir.to_owned());
    (real(&place.project) == real(home))
        .then(|| "the agent reads no project settings when it starts in the home directory".to_owned())
}

/// Returns another value of a setting that the last file with it overrules, with its file.
pub fn overruled<'a>(settings: &'a [SettingsFile], keys: &[&str]) -> Option<(Value, &'a SettingsFile)> {
    let value = |one: &SettingsFile| keys.iter().try_fold(&one.root, |node, key| node.get(key)).map(Node::to_value);
    let mut set = settings.iter().rev().filter_map(|one| Some((value(one)?, one)));
    let (effective, _) = set.next()?;
    set.find(|(value, _)| *value != effective)
}

/// Returns the settings file that a merged setting comes from, with the position of the value.
pub fn set_by<'a>(settings: &'a [SettingsFile], keys: &[&str]) -> Option<(&'a SettingsFile, Span)> {
    settings.iter().rev().find_map(|one| {
        let mut node = &one.root;
        for key in keys {
            node = node.get(key)?;
        }
        Some((one, node.span))
    })
}

/// Returns the hooks of a group, or reports that it has none. `is_flat` is whether the group is itself a handler.
pub fn hooks_of_group<'a>(group: &'a Node, is_flat: bool, notes: &mut Vec<Diagnostic>) -> Option<&'a [Node]> {
    let hooks = group.get("hooks").and_then(Node::items);
    if hooks.is_none() {
        let (message, help) = if is_flat {
            (
                "the handler is beside its matcher instead of in a `hooks` list, so it is skipped",
                "wrap it: { \"hooks\": [ { … } ] }",
            )
        } else {
            (
                "the `hooks` list is missing in this definition, so it is skipped",
                "write { \"matcher\": \"…\", \"hooks\": [ … ] }",
            )
        };
        notes.push(Diagnostic::new(Code::HW103, message).at(group.span).with_help(help));
    }
    hooks
}

/// Reports a matcher on which the agent throws. `example` is a matcher for the help.
pub fn check_matcher(event: &str, group: &Node, example: &str, notes: &mut Vec<Diagnostic>) {
    if let Some(matcher) = group.get("matcher").filter(|m| m.as_str().is_none() && truthy(&m.to_value())) {
        let message = format!(
            "the matcher is {}: the agent throws an error when {event} fires and loses every hook of the event",
            matcher.kind()
        );
        let note = Diagnostic::new(Code::HW102, message).at(matcher.span);
        notes.push(note.with_help(format!("write a string, such as \"{example}\"")));
    }
}

/// Reports a key with a truthy value other than `true`, which has no effect.
pub fn check_true(node: &Node, key: &str, so: &str, notes: &mut Vec<Diagnostic>) {
    if let Some(value) = node.get(key).filter(|v| truthy(&v.to_value()) && v.as_bool() != Some(true)) {
        let message = format!("`{key}` is {}, but only true counts, so {so}", value.kind());
        notes.push(
            Diagnostic::lowered(Code::HW105, Severity::Warning, message)
                .at(value.span)
                .with_help("write true without quotes"),
        );
    }
}

/// Returns the definition of a hook, without timeout and rejection.
pub fn definition(
    loaded: &LoadedConfig,
    event: &str,
    group: &Node,
    hook: &Node,
    handler: Handler,
    origin: &DefinitionOrigin,
) -> HookDefinition {
    let definition = settings::definition(loaded, event, Some(group), hook, handler, origin);
    HookDefinition { name: definition.raw.get("name").filter(|name| truthy(name)).map(to_js_string), ..definition }
}

/// The trust of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Folder trust is switched off: every directory is trusted.
    Off,
    /// An environment variable decides.
    Variable {
        name: &'static str,
        trusted: bool,
    },
    Trusted {
        by: String,
    },
    Untrusted {
        by: String,
    },
    /// The user wants to see what would run if the directory were trusted.
    Assumed,
    /// No rule covers the directory, which counts as untrusted.
    Unknown {
        message: &'static str,
    },
}

impl Trust {
    /// Returns whether hooks that need trust may run.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Trust::Off | Trust::Assumed | Trust::Trusted { .. } | Trust::Variable { trusted: true, .. })
    }

    /// Describes the trust in one sentence.
    pub fn describe(&self) -> String {
        match self {
            Trust::Off => "folder trust is off, so every directory is trusted".to_owned(),
            Trust::Assumed => Place::TRUST_ASSUMED.to_owned(),
            Trust::Variable { name, trusted: true } => format!("{name} marks the directory as trusted"),
            Trust::Variable { name, trusted: false } => format!("{name} marks the directory as untrusted"),
            Trust::Trusted { by } => format!("the rule for {by} trusts the directory"),
            Trust::Untrusted { by } => format!("the directory is not trusted: the rule for {by} is DO_NOT_TRUST"),
            Trust::Unknown { message } => (*message).to_owned(),
        }
    }
}

/// The trust of the project, and the settings that apply under it.
pub struct TrustedSettings<M> {
    pub trust: Trust,
    pub files: Vec<SettingsFile>,
    pub merged: M,
}

/// Decides trust without the project's settings; if they then apply, decides it again with them. `look_up` returns
/// the trust under some merged settings.
pub fn decide_trust<M>(
    names: &FileNames,
    place: &Place,
    settings: &[SettingsFile],
    loaded: &mut LoadedConfig,
    merge: impl Fn(&[SettingsFile]) -> M,
    look_up: impl Fn(&M, &mut LoadedConfig) -> Trust,
) -> TrustedSettings<M> {
    let others: Vec<SettingsFile> = settings.iter().filter(|s| s.layer != Layer::Project).cloned().collect();
    let mut trust = look_up(&merge(&others), loaded);
    let files = if trust.is_trusted() { settings.to_vec() } else { others };
    let merged = merge(&files);
    if trust == Trust::Off {
        trust = look_up(&merged, loaded);
        if !trust.is_trusted() {
            let note = Diagnostic::lowered(
                Code::HW207,
                Severity::Warning,
                "the project switches folder trust on, so it becomes untrusted itself",
            );
            let file = place.display_path(&names.project_path(place));
            loaded.notes.push(note.in_file(file).with_help("move security.folderTrust to the user's settings"));
        }
    }
    TrustedSettings { trust, files, merged }
}

/// Reads `trustedFolders.json`. Returns `None` if there are no rules. `effect` is that of a broken file.
pub fn read_rules(
    names: &FileNames,
    place: &Place,
    files: &dyn Files,
    user_dir: &str,
    parse: impl Fn(SourceId, &str) -> Result<Node, JsonError>,
    effect: impl FnOnce(&str, BrokenFile) -> BrokenEffect,
    loaded: &mut LoadedConfig,
) -> Option<Node> {
    let path = match names.path_in(place, "TRUSTED_FOLDERS_PATH") {
        Some(path) => path.to_owned(),
        None => format!("{user_dir}/trustedFolders.json"),
    };
    let effect = |mut broken: BrokenFile| {
        if broken.cause != BrokenCause::Unreadable {
            broken.help = Some("fix the file, or delete it".to_owned());
        }
        effect(&path, broken)
    };
    read_object(place, &path, files.read(&path), parse, effect, loaded).ok().flatten()
}
