//! Files → definitions, in the order in which Codex discovers them (spec §2).

use serde_json::{Map, Value, json};

use super::discovery::{Discovery, Source};
use super::layers::{Reading, home, system};
use super::project::{self, Folder, Trust};
use super::shape::{self, Wrong};
use super::state::States;
use super::tree::Tree;
use super::{plugins, shell, switches};
use crate::core::config::{Files, LayerState, Loaded, Place};
use crate::core::diagnostic::Diagnostic;
use crate::core::hook::Layer;
use crate::core::plan::RungName;

/// Where the decision finds the place of each hook among all: its number, and its file.
pub const RUNS: &str = "hook_runs";
/// The MCP servers that are configured.
pub const SERVERS: &str = "mcp_servers";

/// The files of one folder.
struct Pair {
    layer: Layer,
    json_path: String,
    json: Option<Tree>,
    toml_path: String,
    toml: Option<Tree>,
    managed: bool,
    /// Why the folder is not read, when it is not.
    untrusted: Option<String>,
}

/// Reads everything that Codex reads in this place.
pub fn load(place: &Place, files: &dyn Files) -> Loaded {
    let mut loaded = Loaded::default();
    let mut reading = Reading { place, files, loaded: &mut loaded };
    let requirements_path = format!("{}/requirements.toml", system(place));
    let requirements = reading.toml(Layer::Managed, &requirements_path);
    let mut pairs =
        vec![pair(&mut reading, Layer::System, system(place)), pair(&mut reading, Layer::User, &home(place))];
    let user = pairs.get(1).and_then(|p| p.toml.clone());
    project_pairs(&mut reading, &mut pairs);
    let configs: Vec<Tree> = pairs.iter().filter(|p| p.untrusted.is_none()).filter_map(|p| p.toml.clone()).collect();
    let configs: Vec<&Tree> = configs.iter().collect();
    switches::note(place, &configs, requirements.as_ref(), reading.loaded);
    let states = match States::read(user.as_ref()) {
        Ok(states) => states,
        Err(why) => {
            reading.fatal(&format!("{}/config.toml", home(place)), &why);
            States::default()
        }
    };
    reading.loaded.settings.insert(SERVERS.to_owned(), Value::from(servers(&configs)));
    reading.loaded.settings.insert(shell::SETTING.to_owned(), Value::from(shell::find(place, files)));
    let managed_only = switches::managed_only(requirements.as_ref());
    let mut discovery = Discovery::new(place, states, managed_only);
    managed(&mut reading, &mut discovery, &requirements_path, requirements.as_ref());
    for pair in &pairs {
        folder(&mut reading, &mut discovery, pair);
    }
    for plugin in plugins::read(&mut reading, user.as_ref()) {
        let source = Source {
            layer: Layer::Plugin,
            key: plugin.key,
            file: plugin.path.clone(),
            managed: false,
            bundle: Some(plugin.id),
            env: plugin.env,
            refused: None,
        };
        let found = shape::hooks_file(&plugin.hooks)
            .and_then(|hooks| hooks.map_or(Ok(()), |hooks| discovery.source(&mut reading, hooks, &source)));
        if let Err(why) = found {
            reading.lose(&plugin.path, &why);
        }
    }
    reading.not_loaded();
    let runs: Map<String, Value> = (1..)
        .zip(&discovery.places)
        .map(|(number, (order, file))| (format!("h{number}"), json!({"order": order, "file": file})))
        .collect();
    let trusts: Vec<Option<String>> = std::mem::take(&mut discovery.trusts);
    loaded.settings.insert(RUNS.to_owned(), Value::Object(runs));
    loaded.number();
    loaded.trust = loaded.definitions.iter().zip(trusts).filter_map(|(d, says)| Some((d.id.clone(), says?))).collect();
    loaded
}

/// Both files of a folder whose configuration always counts.
fn pair(reading: &mut Reading<'_>, layer: Layer, dir: &str) -> Pair {
    let (json_path, toml_path) = (format!("{dir}/hooks.json"), format!("{dir}/config.toml"));
    let json = reading.json(layer, &json_path, None);
    let toml = reading.toml(layer, &toml_path);
    let mut pair = Pair { layer, json_path, json, toml_path, toml, managed: layer == Layer::System, untrusted: None };
    check(reading, &mut pair);
    pair
}

/// What makes a configuration unusable, beyond its TOML.
fn check(reading: &mut Reading<'_>, pair: &mut Pair) {
    let Some(toml) = &pair.toml else { return };
    let hooks = |toml: &Tree| -> Result<(), Wrong> {
        let Some(hooks) = toml.get("hooks") else { return Ok(()) };
        if hooks.entries().is_none() {
            let says = format!("`hooks` is {}, and must be a table", hooks.kind());
            let help = "write [[hooks.PreToolUse]] and so on".to_owned();
            return Err(Wrong { code: "HW110", says, span: hooks.span, help });
        }
        shape::events(hooks).map(|_| ())
    };
    if let Err(why) = switches::check(toml).and_then(|()| project::check(toml)).and_then(|()| hooks(toml)) {
        let path = pair.toml_path.clone();
        reading.fatal(&path, &why);
    }
}

/// The folders of the project, from its root down.
fn project_pairs(reading: &mut Reading<'_>, pairs: &mut Vec<Pair>) {
    let base: Vec<Tree> = pairs.iter().filter_map(|p| p.toml.clone()).collect();
    let base: Vec<&Tree> = base.iter().collect();
    let user = home(reading.place);
    let project = project::find(reading.place, reading.files, &markers(&base), &user);
    let shown = reading.place.show(&format!("{user}/config.toml"));
    for one in &project.folders {
        let trust = project::trust(one, &project, reading.files, &base);
        let pair =
            if trust == Trust::Trusted { trusted(reading, one) } else { distrusted(reading, one, &trust.says(&shown)) };
        pairs.push(pair);
    }
}

/// What marks a project's root; `.git` unless somebody says otherwise.
fn markers(configs: &[&Tree]) -> Vec<String> {
    let own = configs.iter().rev().find_map(|c| c.get("project_root_markers")?.items());
    own.map_or_else(
        || vec![".git".to_owned()],
        |items| items.iter().filter_map(Tree::as_str).map(str::to_owned).collect(),
    )
}

fn trusted(reading: &mut Reading<'_>, folder: &Folder) -> Pair {
    let mut pair = pair(reading, Layer::Project, &folder.hooks);
    if folder.hooks != folder.config {
        // In a worktree everything but the hooks is read from the worktree itself.
        let own = format!("{}/config.toml", folder.config);
        let mut config = reading.toml(Layer::Project, &own);
        if let (Some(config), Some(main)) = (&mut config, &pair.toml) {
            graft(config, main);
            pair.toml = Some(config.clone());
        }
        let says = "this is a linked worktree: hooks are read from the main checkout".to_owned();
        let stray = format!("{}/hooks.json", folder.config);
        if reading.files.exists(&stray) {
            reading.layer(Layer::Project, &stray, LayerState::Off, Some(says), None);
        }
    }
    pair
}

/// Puts the `hooks` of one configuration in place of another's.
fn graft(config: &mut Tree, main: &Tree) {
    if let super::tree::Branch::Table(entries) = &mut config.value {
        entries.retain(|e| e.key != "hooks");
        entries.extend(main.entry("hooks").cloned());
    }
}

fn distrusted(reading: &mut Reading<'_>, folder: &Folder, says: &str) -> Pair {
    let (json_path, toml_path) = (format!("{}/hooks.json", folder.hooks), format!("{}/config.toml", folder.hooks));
    let json = reading.unread_json(Layer::Project, &json_path, says);
    let toml = reading.unread_toml(Layer::Project, &toml_path, says);
    if let Some(path) = [&json_path, &toml_path].into_iter().find(|path| reading.files.exists(path)) {
        let file = reading.place.show(path);
        let help = format!(
            "trust the folder when Codex asks, or write [projects.\"{}\"] with trust_level = \"trusted\"",
            folder.dir
        );
        reading.note(Diagnostic::warning("HW703", says).in_file(file).help(help));
    }
    Pair { layer: Layer::Project, json_path, json, toml_path, toml, managed: false, untrusted: Some(says.to_owned()) }
}

/// The hooks of both representations, `hooks.json` first.
fn folder(reading: &mut Reading<'_>, discovery: &mut Discovery<'_>, pair: &Pair) {
    let source = |path: &str| Source {
        layer: pair.layer,
        key: path.to_owned(),
        file: path.to_owned(),
        managed: pair.managed,
        bundle: None,
        env: Vec::new(),
        refused: pair.untrusted.clone().map(|says| (RungName::Trusted, "trust.project", says)),
    };
    let before = discovery.places.len();
    if let Some(json) = &pair.json {
        // Which is how a list passes for an object.
        let list = [Some(json), json.get("hooks")].into_iter().flatten().find(|tree| tree.items().is_some());
        if let (Some(list), None) = (list, &pair.untrusted) {
            let says =
                "a list stands for an object here, its items for the values in their order; an empty one has no hooks";
            let help = "write an object: { \"hooks\": { \"PreToolUse\": [ … ] } }";
            reading.note(Diagnostic::warning("HW104", says).at(list.span).help(help));
        }
        let found = shape::hooks_file(json)
            .and_then(|hooks| hooks.map_or(Ok(()), |hooks| discovery.source(reading, hooks, &source(&pair.json_path))));
        if let (Err(why), None) = (found, &pair.untrusted) {
            reading.lose(&pair.json_path, &why);
        }
    }
    let between = discovery.places.len();
    // What is wrong with it was said before.
    if let Some(hooks) = pair.toml.as_ref().and_then(|t| t.get("hooks")) {
        let _ = discovery.source(reading, hooks, &source(&pair.toml_path));
    }
    let both = between > before && discovery.places.len() > between;
    if let Some(entry) = pair.toml.as_ref().and_then(|t| t.entry("hooks")).filter(|_| both) {
        let says = format!("hooks are in both {} and here; all of them count", reading.place.show(&pair.json_path));
        reading.note(Diagnostic::info("HW109", says).at(entry.key_span).help("keep them in one of the two"));
    }
}

/// The administrator's hooks, which are in `[hooks]` of the requirements.
fn managed(reading: &mut Reading<'_>, discovery: &mut Discovery<'_>, path: &str, requirements: Option<&Tree>) {
    let Some(hooks) = requirements.and_then(|r| r.get("hooks")) else { return };
    let folder = hooks.get("managed_dir").and_then(Tree::as_str).filter(|dir| dir.starts_with('/'));
    let file = folder.unwrap_or(path).to_owned();
    let source = Source {
        layer: Layer::Managed,
        key: file.clone(),
        file,
        managed: true,
        bundle: None,
        env: Vec::new(),
        refused: None,
    };
    if let Err(why) = discovery.source(reading, hooks, &source) {
        reading.fatal(path, &why);
    }
}

fn servers(configs: &[&Tree]) -> Vec<String> {
    let names = configs.iter().filter_map(|c| c.get("mcp_servers")?.entries()).flatten();
    names.map(|entry| entry.key.clone()).collect()
}
