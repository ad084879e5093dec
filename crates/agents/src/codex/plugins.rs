//! Hooks of installed plugins. Paths and trust keys are taken from Codex's source and were not tested.

use super::config_node::ConfigNode;
use super::layers::{LayerReader, user_dir};
use hookbench_base::config::LayerState;
use hookbench_base::hook::Layer;

/// One source of a plugin's hooks.
pub struct PluginHooks {
    /// `name@marketplace`.
    pub id: String,
    pub path: String,
    /// The prefix of its trust keys.
    pub key: String,
    pub hooks: ConfigNode,
    /// Variables that are set for its hooks and inserted into their command lines.
    pub env: Vec<(String, String)>,
}

/// Returns the hooks of the plugins that the user's configuration enables.
pub fn read(reading: &mut LayerReader<'_>, config: Option<&ConfigNode>) -> Vec<PluginHooks> {
    let user = user_dir(reading.place);
    let mut out = Vec::new();
    let plugins = config.and_then(|c| c.get("plugins")).and_then(ConfigNode::entries).unwrap_or(&[]);
    for entry in plugins {
        let Some((name, market)) = entry.key.rsplit_once('@') else { continue };
        let versions = format!("{user}/plugins/cache/{market}/{name}");
        let Some(version) = newest(&reading.files.list(&versions)) else { continue };
        let root = format!("{versions}/{version}");
        let off = entry.value.get("enabled").and_then(ConfigNode::as_bool) == Some(false);
        let data = format!("{user}/plugins/data/{name}-{market}");
        let env = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"]
            .map(|name| (name.to_owned(), if name.ends_with("ROOT") { root.clone() } else { data.clone() }));
        let mut add = |path: String, relative: &str, hooks: ConfigNode| {
            let key = format!("{}:{relative}", entry.key);
            out.push(PluginHooks { id: entry.key.clone(), path, key, hooks, env: env.to_vec() });
        };
        if off {
            let path = format!("{root}/hooks/hooks.json");
            let says = format!("the plugin {} is switched off", entry.key);
            reading.record_layer(Layer::Plugin, &path, LayerState::Off, Some(says), Some(&entry.key));
            continue;
        }
        for file in declared_hooks(reading, &root, &entry.key) {
            match file {
                HookDeclaration::File(relative) => {
                    let path = reading.place.absolute(&root, &relative);
                    if let Some(tree) = reading.read_json(Layer::Plugin, &path, Some(&entry.key)) {
                        add(path, &relative, tree);
                    }
                }
                HookDeclaration::Inline(path, index, tree) => add(path, &format!("plugin.json#hooks[{index}]"), tree),
            }
        }
    }
    out
}

enum HookDeclaration {
    /// Relative to the plugin's directory.
    File(String),
    /// In the manifest itself: the manifest's path, the index, the hooks.
    Inline(String, usize, ConfigNode),
}

/// Returns the hooks that the manifest declares, or `hooks/hooks.json` by default.
fn declared_hooks(reading: &mut LayerReader<'_>, root: &str, id: &str) -> Vec<HookDeclaration> {
    let manifests = [".codex-plugin/plugin.json", ".claude-plugin/plugin.json"].map(|file| format!("{root}/{file}"));
    let manifest = manifests.into_iter().find(|path| reading.files.exists(path));
    let tree = manifest.as_ref().and_then(|path| reading.read_json(Layer::Plugin, path, Some(id)));
    let default = || vec![HookDeclaration::File("hooks/hooks.json".to_owned())];
    let (Some(path), Some(hooks)) = (manifest, tree.as_ref().and_then(|t| t.get("hooks"))) else { return default() };
    let items: Vec<&ConfigNode> = hooks.items().map_or_else(|| vec![hooks], |items| items.iter().collect());
    items
        .into_iter()
        .enumerate()
        .filter_map(|(index, item)| match item.as_str() {
            Some(file) => Some(HookDeclaration::File(file.trim_start_matches("./").to_owned())),
            None => item.entries().map(|_| HookDeclaration::Inline(path.clone(), index, item.clone())),
        })
        .collect()
}

/// Returns the version in use: `local`, or the last one by name.
fn newest(versions: &[String]) -> Option<String> {
    versions.iter().find(|v| *v == "local").or_else(|| versions.iter().max()).cloned()
}
