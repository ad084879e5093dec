//! Hooks of installed and enabled plugins (spec §1). Their locations are read leniently from
//! `plugins/installed_plugins.json` in the user's configuration directory.

use crate::claude_code::rules;
use serde_json::{Map, Value};

use super::config::{self, HookOrigin};
use super::layer_reader::{LayerReader, config_dir, refuse_remaining};
use crate::kernel::settings::SchemaError;
use crate::shared::javascript::resolve;
use hookbench_base::config::LayerState;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{HookDefinition, Layer};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, NodeValue};

/// An installed plugin.
struct InstalledPlugin {
    /// `name@marketplace`.
    key: String,
    root: String,
    /// `--plugin-dir` names it: it is enabled unless settings disable it.
    is_given: bool,
}

/// Reads the hooks of all plugins. Records the plugins' directories, which hooks receive in variables.
pub fn load(loading: &mut LayerReader<'_>) {
    let config = config_dir(loading.place);
    let mut roots = Map::new();
    let mut plugins = given_plugins(loading);
    plugins.extend(installed_plugins(loading, &config));
    for plugin in plugins {
        let on = is_enabled(loading, &plugin.key).unwrap_or(plugin.is_given);
        let manifest = format!("{}/.claude-plugin/plugin.json", plugin.root);
        let mut read = PluginHooks { definitions: Vec::new(), skip_reason: None, notes: Vec::new() };
        let main = format!("{}/hooks/hooks.json", plugin.root);
        let mut extra = Vec::new();
        if on && !plugin.is_given {
            read.notes.extend(missing_folder(loading, &plugin, &config));
        }
        if loading.files.exists(&main) {
            read_hooks_file(loading, &plugin, &main, &mut read);
        }
        if loading.files.exists(&manifest)
            && let Some(node) = loading.read_json(Layer::Plugin, &manifest, Some(&plugin.key))
        {
            if let Some(hooks) = node.get("hooks") {
                read_declaration(loading, &plugin, hooks, &mut read, &mut extra);
            }
            loading.record_layer(Layer::Plugin, &manifest, LayerState::Read, None, Some(plugin.key.clone()));
        } else if plugin.is_given && loading.files.exists(&manifest) {
            // Measured on 2.1.332 for a plugin of `--plugin-dir`.
            read.skip_reason.get_or_insert("the whole plugin is ignored: its manifest is not valid JSON".to_owned());
        }
        for path in extra.into_iter().filter(|path| *path != main) {
            read_hooks_file(loading, &plugin, &path, &mut read);
        }
        if let Some(says) = &read.skip_reason {
            refuse_remaining(&mut read.definitions, RungName::Parsed, rules::CONFIG_PLUGIN_DROPPED, says);
        }
        if on {
            loading.loaded.notes.append(&mut read.notes);
        } else {
            let says = format!("the plugin {} is not enabled", plugin.key);
            refuse_remaining(&mut read.definitions, RungName::LayerActive, rules::PLUGIN_DISABLED, &says);
            for layer in loading.loaded.layers.iter_mut().filter(|l| l.bundle.as_deref() == Some(&plugin.key)) {
                layer.state = LayerState::Off;
                layer.message = Some(says.clone());
            }
        }
        loading.loaded.definitions.append(&mut read.definitions);
        let id: String =
            plugin.key.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect();
        let mut places = Map::new();
        places.insert("enabled".to_owned(), Value::from(on));
        places.insert("root".to_owned(), Value::from(plugin.root.clone()));
        places.insert("data".to_owned(), Value::from(format!("{config}/plugins/data/{id}")));
        roots.insert(plugin.key, Value::Object(places));
    }
    loading.loaded.agent_settings.insert("plugins".to_owned(), Value::Object(roots));
}

/// Reports an enabled plugin whose directory no longer exists. The next directory may hold another version of it.
fn missing_folder(loading: &LayerReader<'_>, plugin: &InstalledPlugin, config: &str) -> Option<Diagnostic> {
    let (above, _) = plugin.root.rsplit_once('/')?;
    if loading.files.exists(&plugin.root) || !loading.files.list(&plugin.root).is_empty() {
        return None;
    }
    let shown = |path: &str| loading.place.display_path(path);
    let message = format!(
        "the plugin {} is enabled, but its directory {} no longer exists, so none of its hooks runs",
        plugin.key,
        shown(&plugin.root)
    );
    let other = loading.files.list(above).into_iter().map(|name| format!("{above}/{name}"));
    let other = other.filter(|path| !loading.files.list(path).is_empty()).max();
    let found =
        Diagnostic::new(Code::HW116, message).in_file(shown(&format!("{config}/plugins/installed_plugins.json")));
    let found = found.with_help("install the plugin again, or disable it");
    Some(match other {
        Some(other) => {
            found.with_note(format!("another copy of it is in {}, which the agent does not load", shown(&other)))
        }
        None => found,
    })
}

struct PluginHooks {
    definitions: Vec<HookDefinition>,
    skip_reason: Option<String>,
    /// Diagnostics about files that contribute no hooks.
    notes: Vec<Diagnostic>,
}

/// Returns the plugins of `--plugin-dir`: a directory is a plugin, or has one in each subdirectory. Of two with one name,
/// the first counts; a missing directory is skipped.
fn given_plugins(loading: &mut LayerReader<'_>) -> Vec<InstalledPlugin> {
    let mut plugins: Vec<InstalledPlugin> = Vec::new();
    let manifest = |root: &str| format!("{root}/.claude-plugin/plugin.json");
    let is_plugin = |root: &String| {
        loading.files.exists(&manifest(root)) || loading.files.exists(&format!("{root}/hooks/hooks.json"))
    };
    let mut archives = Vec::new();
    for given in loading.flags.all("--plugin-dir") {
        let root = resolve(loading.place, given.value());
        if given.value().to_lowercase().rsplit('.').next() == Some("zip") {
            archives.push(given.shown.clone());
        }
        let below =
            || loading.files.list(&root).into_iter().map(|name| format!("{root}/{name}")).filter(is_plugin).collect();
        let roots = if is_plugin(&root) { vec![root.clone()] } else { below() };
        for root in roots {
            let manifest: Option<Value> =
                loading.files.read(&manifest(&root)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let name = manifest.as_ref().and_then(|manifest| manifest.get("name")).and_then(Value::as_str);
            let directory = root.rsplit('/').next().unwrap_or(&root);
            let key = format!("{}@inline", name.unwrap_or(directory));
            if plugins.iter().all(|other| other.key != key) {
                plugins.push(InstalledPlugin { key, root, is_given: true });
            }
        }
    }
    for shown in archives {
        let message =
            format!("hookbench does not open the archive of {shown}, so the hooks of that plugin are missing");
        let help = "unpack it, and name the directory";
        loading.loaded.notes.push(Diagnostic::new(Code::HW715, message).in_file("--agent-args").with_help(help));
    }
    plugins
}

/// Returns the installed plugins, each once. An entry for this project, or for all projects, takes precedence over
/// one for another project.
fn installed_plugins(loading: &LayerReader<'_>, config: &str) -> Vec<InstalledPlugin> {
    let Ok(bytes) = loading.files.read(&format!("{config}/plugins/installed_plugins.json")) else { return Vec::new() };
    let Ok(list) = serde_json::from_slice::<Value>(&bytes) else { return Vec::new() };
    let table = list.get("plugins").unwrap_or(&list);
    let mut plugins = Vec::new();
    for (key, entry) in table.as_object().into_iter().flatten() {
        let entries: &[Value] = match entry {
            Value::Array(items) => items,
            other => std::slice::from_ref(other),
        };
        // A plugin that was installed for another project also runs here if it is enabled.
        let is_here =
            |e: &&Value| e.get("projectPath").and_then(Value::as_str).is_none_or(|path| path == loading.place.project);
        let entry = entries.iter().find(is_here).or_else(|| entries.first());
        if let Some(copy) = entry.and_then(|e| e.get("installPath")).and_then(Value::as_str) {
            let root = directory_in_marketplace(loading, config, key).unwrap_or_else(|| copy.to_owned());
            let root = root.trim_end_matches('/').to_owned();
            plugins.push(InstalledPlugin { key: key.clone(), root, is_given: false });
        }
    }
    plugins
}

/// Returns the directory of a plugin whose marketplace is itself a directory. The agent loads such a plugin from there,
/// and not from its installed copy (measured on 2.1.330 and 2.1.331).
fn directory_in_marketplace(loading: &LayerReader<'_>, config: &str, key: &str) -> Option<String> {
    let json = |path: String| -> Option<Value> { serde_json::from_slice(&loading.files.read(&path).ok()?).ok() };
    let (name, marketplace) = key.rsplit_once('@')?;
    let source = |table: &Value| table.get(marketplace)?.get("source").cloned();
    let known = json(format!("{config}/plugins/known_marketplaces.json"));
    let source = known.as_ref().and_then(source).or_else(|| {
        let (_, value, ..) = loading.effective_value("extraKnownMarketplaces")?;
        source(&value)
    })?;
    if source.get("source").and_then(Value::as_str) != Some("directory") {
        return None;
    }
    let directory = source.get("path").and_then(Value::as_str)?.trim_end_matches('/');
    let manifest = json(format!("{directory}/.claude-plugin/marketplace.json"))?;
    let plugins = manifest.get("plugins")?.as_array()?;
    let plugin = plugins.iter().find(|plugin| plugin.get("name").and_then(Value::as_str) == Some(name))?;
    let inner = plugin.get("source")?.as_str()?;
    Some(loading.place.absolute(directory, inner.strip_prefix("./").unwrap_or(inner)))
}

/// Whether `enabledPlugins` enables a plugin, or `None` if no file names it. The layer with the highest precedence that
/// names it decides.
fn is_enabled(loading: &LayerReader<'_>, key: &str) -> Option<bool> {
    const PRECEDENCE: [Layer; 5] = [Layer::Managed, Layer::Flag, Layer::Local, Layer::Project, Layer::User];
    let named = PRECEDENCE.iter().find_map(|layer| {
        loading
            .settings
            .iter()
            .rev()
            .filter(|s| s.layer == *layer)
            .find_map(|s| s.node.get("enabledPlugins").and_then(|plugins| plugins.get(key)))
    });
    named.map(|value| value.as_bool() == Some(true))
}

/// Reads a hooks file, `{"description"?, "hooks": {…}}`. A file without the outer `hooks` key contributes no hooks.
fn read_hooks_file(loading: &mut LayerReader<'_>, plugin: &InstalledPlugin, path: &str, read: &mut PluginHooks) {
    let Some(node) = loading.read_json(Layer::Plugin, path, Some(&plugin.key)) else { return };
    let described = node.get("description").is_none_or(|text| text.as_str().is_some());
    let Some(hooks) = node.get("hooks").filter(|_| described) else {
        let says = if described { "its outer `hooks` key is missing" } else { "its `description` is not a string" };
        let message = format!("the hooks of the plugin {} do not load: {says}", plugin.key);
        let help =
            if described { "move the events into { \"hooks\": { … } }" } else { "write the description as a string" };
        read.notes.push(Diagnostic::new(Code::HW116, message).at(node.span).with_help(help));
        let says = format!("{says}, so it loads nothing");
        loading.record_layer(Layer::Plugin, path, LayerState::Broken, Some(says), Some(plugin.key.clone()));
        return;
    };
    add_hooks(loading, plugin, hooks, read);
    let state = if read.skip_reason.is_some() { LayerState::Broken } else { LayerState::Read };
    loading.record_layer(Layer::Plugin, path, state, read.skip_reason.clone(), Some(plugin.key.clone()));
}

/// Reads the `hooks` key of a manifest: a path, a list of paths, or the hooks object itself.
fn read_declaration(
    loading: &mut LayerReader<'_>,
    plugin: &InstalledPlugin,
    node: &Node,
    read: &mut PluginHooks,
    paths: &mut Vec<String>,
) {
    match &node.value {
        NodeValue::String(path) if path.starts_with("./") && !path.split('/').any(|part| part == "..") => {
            let file = loading.place.absolute(&plugin.root, path);
            if !loading.files.exists(&file) {
                let message = format!("the plugin {} refers to a hooks file that does not exist: {path}", plugin.key);
                let help = "correct the path, which is relative to the plugin directory, or add the file";
                read.notes.push(Diagnostic::new(Code::HW116, message).at(node.span).with_help(help));
            }
            paths.push(file);
        }
        NodeValue::String(path) => {
            let says = format!("`hooks` is \"{path}\", but must be a path in the plugin that starts with ./");
            let help = "write \"./hooks/other.json\"";
            let effect = "the whole plugin is ignored";
            loading.loaded.notes.push(SchemaError::new(Code::HW101, node.span, says.clone(), help).diagnostic(effect));
            read.skip_reason.get_or_insert(format!("{effect}: {says}"));
        }
        NodeValue::Array(items) => {
            for item in items {
                read_declaration(loading, plugin, item, read, paths);
            }
        }
        NodeValue::Object(_) => add_hooks(loading, plugin, node.get("hooks").unwrap_or(node), read),
        _ => {}
    }
}

fn add_hooks(loading: &mut LayerReader<'_>, plugin: &InstalledPlugin, hooks: &Node, read: &mut PluginHooks) {
    let origin = HookOrigin { layer: Layer::Plugin, bundle: Some(plugin.key.clone()), from_agent_file: false };
    let mut got = config::read_hooks(hooks, &origin, loading.rules, &mut loading.loaded);
    read.definitions.append(&mut got.definitions);
    read.skip_reason = read.skip_reason.take().or(got.skip_reason);
}
