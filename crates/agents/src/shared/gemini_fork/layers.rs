//! The settings files: where they are, how each is read, and what happens if one cannot be read.

use crate::kernel::settings::{record_layer, report_ignored};
use crate::shared::files_above::report_files_above;
use hookbench_base::config::{Files, LayerState, LoadedConfig, Os, Place};
use hookbench_base::hook::Layer;
use hookbench_base::text::{Node, Span};
use serde_json::Value;

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
