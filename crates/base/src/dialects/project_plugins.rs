//! Plugins that the project itself contains. Their authors work in such a directory, in which the agent runs none of
//! their hooks unless it is told to load the plugin.

use serde_json::Value;

use super::settings_format::PluginFormat;
use super::{Agent, default_version};
use crate::config::{AgentArguments, Files, IgnoredFile, LoadedConfig, Place, UnreadCure};

/// A plugin with hooks in the project.
struct ProjectPlugin {
    /// Relative to the project.
    directory: String,
    /// The path of the file with its hooks.
    hooks: String,
}

impl Agent {
    /// The arguments that load the plugins of the project. `None` if it has none whose hooks the agent does not read
    /// already, or if the agent has to install them.
    pub fn project_plugin_arguments(&self, place: &Place, files: &dyn Files) -> Option<AgentArguments> {
        if project_plugins(self.plugin_format?, place, files).is_empty() {
            return None;
        }
        let loaded = self.load(place, files, &default_version(self));
        let words = loaded.ignored_files.iter().filter_map(|file| match &file.cure {
            Some(UnreadCure::LoadPlugin(words)) => words.get(1..),
            _ => None,
        });
        let words: Vec<String> = words.flatten().cloned().collect();
        (!words.is_empty()).then_some(AgentArguments { agent: self.id, words })
    }

    /// Records the hook files of the project's plugins that are not loaded.
    pub(super) fn find_unloaded_plugins(&self, place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) {
        let Some(format) = self.plugin_format else { return };
        let start = format.load.iter().find_map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [program, flag, "DIR"] if program == self.install.command && flag.starts_with('-') => Some((program, flag)),
            _ => None,
        });
        for plugin in project_plugins(format, place, files) {
            if loaded.existing_layers().any(|layer| layer.path == plugin.hooks) {
                continue;
            }
            let directory = plugin.directory;
            let cure = match start {
                Some((program, flag)) => {
                    UnreadCure::LoadPlugin([program, flag, &directory].map(str::to_owned).to_vec())
                }
                // Other command lines install hookbench's own plugin by its name.
                None => UnreadCure::InstallPlugin(
                    format.load.iter().find_map(|line| Some(format!("{} {directory}", line.strip_suffix(" DIR")?))),
                ),
            };
            loaded.ignored_files.push(IgnoredFile {
                file: place.display_path(&plugin.hooks),
                message: "it belongs to a plugin that is not loaded".to_owned(),
                cure: Some(cure),
            });
        }
    }
}

/// The plugins with hooks: the project, and those that its marketplace lists.
fn project_plugins(format: &PluginFormat, place: &Place, files: &dyn Files) -> Vec<ProjectPlugin> {
    let object = |path: &str| -> Option<Value> { serde_json::from_slice(&files.read(path).ok()?).ok() };
    let marketplace = format.marketplace.and_then(|path| object(&format!("{}/{path}", place.project)));
    let entries = marketplace.as_ref().and_then(|root| root.get("plugins")?.as_array()).into_iter().flatten();
    let listed = entries.filter_map(|entry| entry.get("source")?.as_str()?.strip_prefix("./"));
    let mut plugins: Vec<ProjectPlugin> = Vec::new();
    for directory in std::iter::once(".").chain(listed.map(|source| source.trim_end_matches('/'))) {
        let directory = if directory.is_empty() { "." } else { directory };
        let root = place.absolute(&place.project, directory);
        let manifest_path = format!("{root}/{}", format.manifest);
        let Some(manifest) = object(&manifest_path) else { continue };
        let hooks = match manifest.get("hooks") {
            Some(Value::String(name)) => place.absolute(&root, name),
            Some(Value::Object(_)) => manifest_path,
            _ => format!("{root}/{}", format.hooks),
        };
        if files.exists(&hooks) && plugins.iter().all(|known| known.hooks != hooks) {
            plugins.push(ProjectPlugin { directory: directory.to_owned(), hooks });
        }
    }
    plugins
}
