//! HW710: a plugin that runs from a cached copy which differs from its source.

use serde_json::Value;

use super::super::layer_reader::config_dir;
use hookbench_base::config::Files;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::AgentContext;

pub fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let Some(plugins) = at.loaded.agent_settings.get("plugins").and_then(Value::as_object) else { return Vec::new() };
    let known = json(at.files, &format!("{}/plugins/known_marketplaces.json", config_dir(at.place)));
    let mut found = Vec::new();
    for (key, places) in plugins {
        let own = |d: &&hookbench_base::hook::HookDefinition| {
            d.provenance.bundle.as_deref() == Some(key) && d.rejection.is_none()
        };
        let Some(first) = at.loaded.definitions.iter().find(own) else { continue };
        let Some(root) = places.get("root").and_then(Value::as_str) else { continue };
        let Some(source) = known.as_ref().and_then(|known| source_directory(at, known, key)) else { continue };
        if source == root {
            continue;
        }
        let (ran, there) = (version(at.files, root), version(at.files, &source));
        let hooks = |directory: &str| at.files.read(&format!("{directory}/hooks/hooks.json")).ok();
        let (old, new) = (hooks(root), hooks(&source));
        let what = match (ran, there) {
            (Some(ran), Some(there)) if ran != there => {
                format!("version {ran}, but {} has {there}", at.place.display_path(&source))
            }
            _ if old.is_some() && new.is_some() && old != new => {
                format!("a copy whose hooks differ from those in {}", at.place.display_path(&source))
            }
            _ => continue,
        };
        let says = format!("the plugin {key} runs from its cache: {what}");
        let help = "update the plugin (/plugin), then restart the agent";
        found.push(Diagnostic::new(Code::HW710, says).at(first.provenance.span).with_help(help));
    }
    found
}

/// Returns the directory that a plugin was copied from.
fn source_directory(at: &AgentContext<'_>, known: &Value, key: &str) -> Option<String> {
    let (name, market) = key.rsplit_once('@')?;
    let entry = known.get(market)?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let directory = text(entry.get("installLocation")).or_else(|| text(entry.get("source")?.get("path")))?;
    let list = json(at.files, &format!("{directory}/.claude-plugin/marketplace.json"))?;
    let mut all = list.get("plugins")?.as_array()?.iter();
    let plugin = all.find(|plugin| plugin.get("name").and_then(Value::as_str) == Some(name))?;
    let path = plugin.get("source")?.as_str()?;
    let source = at.place.absolute(directory.trim_end_matches('/'), path);
    at.files.exists(&source).then_some(source)
}

fn version(files: &dyn Files, root: &str) -> Option<String> {
    let manifest = json(files, &format!("{root}/.claude-plugin/plugin.json"))?;
    manifest.get("version")?.as_str().map(str::to_owned)
}

fn json(files: &dyn Files, path: &str) -> Option<Value> {
    serde_json::from_slice(&files.read(path).ok()?).ok()
}
