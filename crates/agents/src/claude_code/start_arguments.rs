//! The layers that arguments of the agent add: `--settings`, `--agents` and `--mcp-config`. Measured on 2.1.332.

use serde_json::Value;

use super::config::{self, HookOrigin};
use super::events;
use super::layer_reader::LayerReader;
use crate::shared::javascript::resolve;
use hookbench_base::config::{GivenFlag, GivenFlags, LayerState, LoadRefusal};
use hookbench_base::hook::Layer;
use hookbench_base::text::{Node, SourceId};

/// The text of an argument.
struct ArgumentText {
    source: SourceId,
    path: String,
    text: String,
}

/// Reads the settings of the last `--settings`: a JSON object, or else the path of a file. Checks `--setting-sources`.
pub fn read_settings(loading: &mut LayerReader<'_>) {
    if let Some(given) = loading.flags.last("--setting-sources") {
        let names = given.value().split(',').map(str::trim).filter(|name| !name.is_empty());
        let unknown = names.filter(|name| SOURCES.iter().all(|(known, _)| known != name)).map(str::to_owned).next();
        if let Some(name) = unknown {
            refuse(loading, &format!("`--setting-sources` has no source \"{name}\", but only user, project and local"));
        }
    }
    let Some(given) = loading.flags.last("--settings").cloned() else { return };
    if given.value().is_empty() {
        return;
    }
    let Some(read) = read_text(loading, Layer::Flag, "--settings", &given) else { return };
    let is_inline = read.path == "--settings";
    let Some(node) = loading.parse(Layer::Flag, &read.path, None, read.source, &read.text) else {
        if is_inline {
            refuse(loading, "the text of `--settings` is not valid JSON");
        }
        return;
    };
    loading.add_settings(Layer::Flag, &read.path, node);
}

/// Reads the agents of the last `--agents`, and returns their names. One mistake keeps the agent from starting.
pub fn read_agents(loading: &mut LayerReader<'_>) -> Vec<String> {
    let Some(given) = loading.flags.last("--agents").cloned() else { return Vec::new() };
    let Some(read) = read_text(loading, Layer::Session, "--agents", &given) else { return Vec::new() };
    let Some(node) = loading.parse(Layer::Session, &read.path, None, read.source, &read.text) else {
        refuse(loading, "the agents of `--agents` are not valid JSON");
        return Vec::new();
    };
    let Some(agents) = node.members() else {
        refuse(loading, "`--agents` must be an object with a name for each agent");
        return Vec::new();
    };
    let mut state = (LayerState::Read, "an argument of the agent gives it: --agents".to_owned());
    for agent in agents {
        if agent.value.get("description").and_then(Node::as_str).is_none() {
            state = (LayerState::Broken, format!("the agent {} has no `description`", agent.key));
        }
        let Some(hooks) = agent.value.get("hooks") else { continue };
        if let Some(unknown) = hooks.effective_members().iter().find(|event| events::find(&event.key).is_none()) {
            state =
                (LayerState::Broken, format!("the agent {} has hooks of the unknown event {}", agent.key, unknown.key));
        }
        let bundle = Some(format!("agent {}", agent.key));
        let origin = HookOrigin { layer: Layer::Session, bundle, from_agent_file: true };
        let mut hooks = config::read_hooks(hooks, &origin, loading.rules, &mut loading.loaded);
        let rejected =
            hooks.definitions.iter().find_map(|definition| Some(definition.rejection.as_ref()?.message.clone()));
        if let Some(why) = hooks.skip_reason.or(rejected) {
            state = (LayerState::Broken, format!("the hooks of the agent {} have a mistake: {why}", agent.key));
        }
        loading.loaded.definitions.append(&mut hooks.definitions);
    }
    if state.0 == LayerState::Broken {
        refuse(loading, &format!("{} in `--agents`", state.1));
    }
    loading.record_layer(Layer::Session, &read.path, state.0, Some(state.1), None);
    agents.iter().map(|agent| agent.key.clone()).collect()
}

/// The servers of `--mcp-config`: the tables of its files and texts.
pub fn mcp_servers(loading: &LayerReader<'_>) -> Vec<Value> {
    let values = loading.flags.all("--mcp-config").flat_map(|given| &given.values);
    let read = |value: &String| -> Option<Value> {
        let bytes = if is_object(value) {
            value.clone().into_bytes()
        } else {
            loading.files.read(&resolve(loading.place, value)).ok()?
        };
        serde_json::from_slice::<Value>(&bytes).ok()?.get("mcpServers").cloned()
    };
    values.filter_map(read).collect()
}

/// Whether a value is a text, and not the path of a file.
fn is_object(value: &str) -> bool {
    let text = value.trim();
    text.starts_with('{') && text.ends_with('}')
}

/// Registers the text of an argument as a source. The agent does not start without it.
fn read_text(loading: &mut LayerReader<'_>, layer: Layer, name: &str, given: &GivenFlag) -> Option<ArgumentText> {
    let value = given.value();
    if is_object(value) {
        let source = loading.loaded.add_source(loading.place, name, value);
        return Some(ArgumentText { source, path: name.to_owned(), text: value.to_owned() });
    }
    // A path is taken literally: `~` has no special meaning.
    let path = resolve(loading.place, value);
    let Some((source, text)) = loading.read_text(layer, &path, None) else {
        refuse(loading, &format!("the file of `{}` cannot be read", given.shown));
        return None;
    };
    Some(ArgumentText { source, path, text })
}

fn refuse(loading: &mut LayerReader<'_>, why: &str) {
    let message = format!("the agent does not start: {why}");
    loading.loaded.refusal.get_or_insert(LoadRefusal { message, span: None });
}

/// The layers that `--setting-sources` can name.
pub const SOURCES: [(&str, Layer); 3] = [("user", Layer::User), ("project", Layer::Project), ("local", Layer::Local)];

/// Why the agent does not read the files of a layer, or `None` if it does. The last `--setting-sources` counts.
pub fn left_out(given: &GivenFlags, layer: Layer) -> Option<String> {
    let (name, _) = SOURCES.iter().find(|(_, known)| *known == layer)?;
    if let Some(flag) = given.last("--restricted") {
        return Some(format!("`{}` excludes the files of the user and of the project", flag.shown));
    }
    let flag = given.last("--setting-sources")?;
    let is_named = flag.value().split(',').any(|source| source.trim() == *name);
    (!is_named).then(|| format!("`{}` excludes the {name} settings", flag.shown.trim_end()))
}
