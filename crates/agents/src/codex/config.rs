//! Reads the settings files and returns the hook definitions in the order in which Codex finds them (spec §2).

use crate::codex::rules;
use serde_json::{Map, Value, json};

use super::config_node::ConfigNode;
use super::discovery::{Discovery, HookSource};
use super::formats::FORMATS;
use super::hook_state::HookStates;
use super::launch::find_shell;
use super::layers::{LayerReader, system_dir, user_dir};
use super::project::{self, ProjectDirectory, Trust};
use super::setting_keys::{HOOK_RUNS, MCP_SERVERS, SHELL};
use super::start_arguments::{self, SESSION_FLAGS};
use super::{config_types, environment, events, plugins, schema};
use crate::kernel::settings::SchemaError;
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::Layer;
use hookbench_base::plan::RungName;

/// The two settings files of one directory.
struct DirectoryFiles {
    layer: Layer,
    json_path: String,
    json: Option<ConfigNode>,
    toml_path: String,
    toml: Option<ConfigNode>,
    managed: bool,
    /// Why the directory is ignored, or `None` if it is read.
    untrusted: Option<String>,
}

/// Reads every file that Codex reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    read(place, files).0
}

/// Reads every file for this place, and also returns the key and the hash under which Codex stores the review of
/// each hook.
pub fn read(place: &Place, files: &dyn Files) -> (LoadedConfig, Vec<(String, String)>) {
    let mut loaded = LoadedConfig::default();
    environment::read(place, files, &mut loaded);
    let mut reading = LayerReader { place, files, loaded: &mut loaded };
    let requirements_path = format!("{}/requirements.toml", system_dir(place));
    let requirements = reading.read_toml(Layer::Managed, &requirements_path);
    let flags = FORMATS.given(place);
    let mut pairs = vec![read_directory_files(&mut reading, Layer::System, system_dir(place))];
    let mut user = read_directory_files(&mut reading, Layer::User, &user_dir(place));
    if flags.last("--ignore-user-config").is_some() && user.toml.take().is_some() {
        // hooks.json beside it still counts.
        reading.update_layer(&user.toml_path, LayerState::Off, "`--ignore-user-config` excludes it");
    }
    let user_config = user.toml.clone();
    pairs.push(user);
    if let Some(path) = start_arguments::profile(&mut reading, &flags, user_config.as_ref()) {
        let toml = reading.read_toml(Layer::Flag, &path);
        pairs.push(argument_files(&mut reading, path, toml));
    }
    let given = start_arguments::overrides(&mut reading, &flags)
        .map(|tree| argument_files(&mut reading, SESSION_FLAGS.to_owned(), Some(tree)));
    let given_config = given.as_ref().and_then(|pair| pair.toml.clone());
    read_project_directories(&mut reading, &mut pairs, given_config.as_ref(), flags.last("--trust").is_some());
    pairs.extend(given);
    let configs: Vec<ConfigNode> =
        pairs.iter().filter(|p| p.untrusted.is_none()).filter_map(|p| p.toml.clone()).collect();
    let configs: Vec<&ConfigNode> = configs.iter().collect();
    start_arguments::record(place, &configs, requirements.as_ref(), reading.loaded);
    // A mistake in them was reported when the file was read.
    let states = [user_config.as_ref(), given_config.as_ref()].map(|tree| HookStates::read(tree).unwrap_or_default());
    let states = states.into_iter().reduce(HookStates::overlay).unwrap_or_default();
    reading.loaded.agent_settings.insert(MCP_SERVERS.to_owned(), Value::from(mcp_servers(&configs)));
    reading.loaded.agent_settings.insert(SHELL.to_owned(), Value::from(find_shell(place, files)));
    let managed_only = start_arguments::managed_only(requirements.as_ref());
    let mut discovery = Discovery::new(place, states, managed_only);
    discovery.bypasses_review = flags.last("--dangerously-bypass-hook-trust").is_some();
    add_managed_hooks(&mut reading, &mut discovery, &requirements_path, requirements.as_ref());
    for pair in &pairs {
        add_directory_hooks(&mut reading, &mut discovery, pair);
    }
    for plugin in plugins::read(&mut reading, user_config.as_ref()) {
        let source = HookSource {
            layer: Layer::Plugin,
            key: plugin.key,
            file: plugin.path.clone(),
            managed: false,
            bundle: Some(plugin.id),
            env: plugin.env,
            refused: None,
        };
        let found = schema::hooks_file(&plugin.hooks)
            .and_then(|hooks| hooks.map_or(Ok(()), |hooks| discovery.add_source(&mut reading, hooks, &source)));
        if let Err(why) = found {
            reading.report_lost_hooks(&plugin.path, &why);
        }
    }
    reading.not_loaded();
    let runs: Map<String, Value> = (1..)
        .zip(&discovery.places)
        .map(|(number, (order, file))| (format!("h{number}"), json!({"order": order, "file": file})))
        .collect();
    let trusts: Vec<Option<String>> = std::mem::take(&mut discovery.trusts);
    loaded.agent_settings.insert(HOOK_RUNS.to_owned(), Value::Object(runs));
    loaded.assign_ids();
    loaded.trust = loaded.definitions.iter().zip(trusts).filter_map(|(d, says)| Some((d.id.clone(), says?))).collect();
    loaded.settle_trust_notes(place, "Codex");
    (loaded, discovery.reviews)
}

/// Reads both files of a directory whose configuration always applies.
fn read_directory_files(reading: &mut LayerReader<'_>, layer: Layer, dir: &str) -> DirectoryFiles {
    let (json_path, toml_path) = (format!("{dir}/hooks.json"), format!("{dir}/config.toml"));
    let json = reading.read_json(layer, &json_path, None);
    let toml = reading.read_toml(layer, &toml_path);
    let mut pair =
        DirectoryFiles { layer, json_path, json, toml_path, toml, managed: layer == Layer::System, untrusted: None };
    check(reading, &mut pair);
    pair
}

/// Takes a configuration that arguments give as that of a directory without `hooks.json`.
fn argument_files(reading: &mut LayerReader<'_>, path: String, toml: Option<ConfigNode>) -> DirectoryFiles {
    let mut pair = DirectoryFiles {
        layer: Layer::Flag,
        json_path: String::new(),
        json: None,
        toml_path: path,
        toml,
        managed: false,
        untrusted: None,
    };
    check(reading, &mut pair);
    pair
}

/// Checks a configuration for mistakes beyond TOML syntax that make it unusable.
fn check(reading: &mut LayerReader<'_>, pair: &mut DirectoryFiles) {
    let Some(toml) = &pair.toml else { return };
    let hooks = |toml: &ConfigNode| -> Result<(), SchemaError> {
        let Some(hooks) = toml.get("hooks") else { return Ok(()) };
        if hooks.entries().is_none() {
            let says = format!("`hooks` is {}, but must be a table", hooks.kind());
            return Err(SchemaError::new(Code::HW110, hooks.span, says, "write [[hooks.PreToolUse]] and so on"));
        }
        schema::events(hooks)?;
        HookStates::read(Some(toml)).map(|_| ())
    };
    let types = |toml: &ConfigNode| config_types::check(toml, pair.layer == Layer::Project);
    let checked = start_arguments::check(toml).and_then(|()| project::check(toml)).and_then(|()| hooks(toml));
    if let Err(why) = checked.and_then(|()| types(toml)) {
        let path = pair.toml_path.clone();
        reading.report_fatal(&path, &why);
        return;
    }
    report_misplaced_hooks(reading, toml);
}

/// Reports hooks at the root of a configuration, or under a misspelled `hooks` key. Codex ignores both.
fn report_misplaced_hooks(reading: &mut LayerReader<'_>, toml: &ConfigNode) {
    for entry in toml.entries().unwrap_or(&[]) {
        let event = events::EVENTS.by_name(&entry.key).is_some();
        let nearly = entry.key != "hooks" && ["hook", "hooks"].contains(&entry.key.to_lowercase().as_str());
        let (says, help) = match (event, nearly) {
            (true, _) => (
                format!("`{}` is outside `hooks`, so Codex ignores it", entry.key),
                format!("write [[hooks.{}]]", entry.key),
            ),
            (false, true) => {
                (format!("`{}` is not `hooks`, so Codex ignores it", entry.key), "write `hooks`".to_owned())
            }
            (false, false) => continue,
        };
        reading.note(Diagnostic::new(Code::HW104, says).at(entry.key_span).with_help(help));
    }
}

/// Reads the directories of the project, from its root down.
fn read_project_directories(
    reading: &mut LayerReader<'_>,
    pairs: &mut Vec<DirectoryFiles>,
    given: Option<&ConfigNode>,
    trusts: bool,
) {
    let base: Vec<ConfigNode> = pairs.iter().filter_map(|p| p.toml.as_ref()).chain(given).cloned().collect();
    let base: Vec<&ConfigNode> = base.iter().collect();
    let user = user_dir(reading.place);
    let project = project::find(reading.place, reading.files, &root_markers(&base), &user);
    let shown = reading.place.display_path(&format!("{user}/config.toml"));
    for one in &project.directories {
        let trust = if reading.place.assumes_trust {
            Trust::Trusted
        } else {
            match project::trust(one, &project, reading.files, &base) {
                Trust::Unknown { .. } if trusts => Trust::Trusted,
                trust => trust,
            }
        };
        let pair = if trust == Trust::Trusted {
            read_trusted(reading, one)
        } else {
            read_untrusted(reading, one, &trust.describe(&shown))
        };
        pairs.push(pair);
    }
}

/// Returns the names that mark a project's root; `.git` by default.
fn root_markers(configs: &[&ConfigNode]) -> Vec<String> {
    let own = configs.iter().rev().find_map(|c| c.get("project_root_markers")?.items());
    own.map_or_else(
        || vec![".git".to_owned()],
        |items| items.iter().filter_map(ConfigNode::as_str).map(str::to_owned).collect(),
    )
}

fn read_trusted(reading: &mut LayerReader<'_>, directory: &ProjectDirectory) -> DirectoryFiles {
    let mut pair = read_directory_files(reading, Layer::Project, &directory.hooks);
    if directory.hooks != directory.config {
        // In a worktree only the hooks come from the main checkout; all other settings come from the worktree.
        let own = format!("{}/config.toml", directory.config);
        let mut config = reading.read_toml(Layer::Project, &own);
        if let (Some(config), Some(main)) = (&mut config, &pair.toml) {
            replace_hooks(config, main);
            pair.toml = Some(config.clone());
        }
        let says = "this is a linked worktree: hooks are read from the main checkout".to_owned();
        let stray = format!("{}/hooks.json", directory.config);
        if reading.files.exists(&stray) {
            reading.record_layer(Layer::Project, &stray, LayerState::Off, Some(says), None);
        }
    }
    pair
}

/// Replaces the `hooks` of one configuration with those of another.
fn replace_hooks(config: &mut ConfigNode, main: &ConfigNode) {
    if let super::config_node::ConfigValue::Table(entries) = &mut config.value {
        entries.retain(|e| e.key != "hooks");
        entries.extend(main.entry("hooks").cloned());
    }
}

fn read_untrusted(reading: &mut LayerReader<'_>, directory: &ProjectDirectory, says: &str) -> DirectoryFiles {
    let (json_path, toml_path) =
        (format!("{}/hooks.json", directory.hooks), format!("{}/config.toml", directory.hooks));
    let json = reading.read_untrusted_json(Layer::Project, &json_path, says);
    let toml = reading.read_untrusted_toml(Layer::Project, &toml_path, says);
    // Reported only if a file mentions hooks: otherwise nothing is lost.
    let with_hooks = |path: &&String| {
        let text = reading.files.read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        text.is_some_and(|text| text.contains("hooks"))
    };
    if let Some(path) = [&json_path, &toml_path].into_iter().find(with_hooks) {
        let file = reading.place.display_path(path);
        let help = format!(
            "start `codex` here once and trust the directory; its config.toml then says trust_level = \"trusted\" for {}",
            directory.dir
        );
        reading.note(Diagnostic::new(Code::HW703, says).in_file(file).with_help(help));
    }
    DirectoryFiles {
        layer: Layer::Project,
        json_path,
        json,
        toml_path,
        toml,
        managed: false,
        untrusted: Some(says.to_owned()),
    }
}

/// Reads the hooks of both files, `hooks.json` first.
fn add_directory_hooks(reading: &mut LayerReader<'_>, discovery: &mut Discovery<'_>, pair: &DirectoryFiles) {
    let source = |path: &str| HookSource {
        layer: pair.layer,
        key: path.to_owned(),
        file: path.to_owned(),
        managed: pair.managed,
        bundle: None,
        env: Vec::new(),
        refused: pair.untrusted.clone().map(|says| (RungName::Trusted, rules::TRUST_PROJECT, says)),
    };
    if let Some(json) = &pair.json {
        // Codex accepts a list in place of an object.
        let list = [Some(json), json.get("hooks")].into_iter().flatten().find(|tree| tree.items().is_some());
        if let Some(list) = list {
            let says =
                "Codex reads this list as an object whose values are the items in order; an empty list has no hooks";
            let help = "write an object: { \"hooks\": { \"PreToolUse\": [ … ] } }";
            reading.note(Diagnostic::lowered(Code::HW104, Severity::Warning, says).at(list.span).with_help(help));
        }
        let found = schema::hooks_file(json).and_then(|hooks| {
            hooks.map_or(Ok(()), |hooks| discovery.add_source(reading, hooks, &source(&pair.json_path)))
        });
        match (found, &pair.untrusted) {
            (Err(why), None) => reading.report_lost_hooks(&pair.json_path, &why),
            // The file stays untrusted, not broken: Codex does not read it.
            (Err(why), Some(_)) => reading.report_would_lose_hooks(&why),
            (Ok(()), _) => {}
        }
    }
    // Errors in it are already reported by `check`.
    if let Some(hooks) = pair.toml.as_ref().and_then(|t| t.get("hooks")) {
        let _ = discovery.add_source(reading, hooks, &source(&pair.toml_path));
    }
    let some = |hooks: Option<&ConfigNode>| {
        let found = hooks.and_then(|hooks| schema::events(hooks).ok());
        found.is_some_and(|events| events.iter().any(|e| !e.groups.is_empty()))
    };
    let both = [&pair.json, &pair.toml].into_iter().all(|tree| some(tree.as_ref().and_then(|t| t.get("hooks"))));
    if let Some(entry) = pair.toml.as_ref().and_then(|t| t.entry("hooks")).filter(|_| both) {
        let says =
            format!("hooks are in both {} and this file; all of them run", reading.place.display_path(&pair.json_path));
        reading.note(Diagnostic::new(Code::HW109, says).at(entry.key_span).with_help("keep them in one file"));
    }
}

/// Reads the administrator's hooks from `[hooks]` in `requirements.toml`.
fn add_managed_hooks(
    reading: &mut LayerReader<'_>,
    discovery: &mut Discovery<'_>,
    path: &str,
    requirements: Option<&ConfigNode>,
) {
    let Some(hooks) = requirements.and_then(|r| r.get("hooks")) else { return };
    let directory = hooks.get("managed_dir").and_then(ConfigNode::as_str).filter(|dir| dir.starts_with('/'));
    let file = directory.unwrap_or(path).to_owned();
    let source = HookSource {
        layer: Layer::Managed,
        key: file.clone(),
        file,
        managed: true,
        bundle: None,
        env: Vec::new(),
        refused: None,
    };
    if let Err(why) = discovery.add_source(reading, hooks, &source) {
        reading.report_fatal(path, &why);
    }
}

fn mcp_servers(configs: &[&ConfigNode]) -> Vec<String> {
    let names = configs.iter().filter_map(|c| c.get("mcp_servers")?.entries()).flatten();
    names.map(|entry| entry.key.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::place;
    use hookbench_base::config::MemoryFiles;
    use hookbench_base::names::RuleId;
    use proptest::prelude::*;

    const TRUSTED: &str = "[projects.'/p']\ntrust_level = 'trusted'\n";

    fn loaded(files: &[(&str, &str)]) -> LoadedConfig {
        let mut memory = MemoryFiles::default();
        for (path, text) in files {
            memory.put(*path, text);
        }
        load(&place(), &memory)
    }

    fn json(command: &str) -> String {
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
    }

    fn toml(command: &str) -> String {
        format!("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = '{command}'\n")
    }

    /// Returns each definition's command and the rule that refuses it.
    fn found(loaded: &LoadedConfig) -> Vec<(String, Option<RuleId>)> {
        let why = |d: &hookbench_base::hook::HookDefinition| d.rejection.as_ref().map(|r| r.rule);
        loaded.definitions.iter().map(|d| (d.handler.text(), why(d))).collect()
    }

    #[test]
    fn layers_in_their_order() {
        let user = format!("{TRUSTED}{}", toml("ut"));
        let loaded = loaded(&[
            ("/p/.codex/config.toml", &toml("pt")),
            ("/p/.codex/hooks.json", &json("pj")),
            ("/h/.codex/config.toml", &user),
            ("/h/.codex/hooks.json", &json("uj")),
            ("/etc/codex/config.toml", &toml("st")),
            ("/etc/codex/requirements.toml", &toml("m")),
        ]);
        let want = [
            ("m", None),
            ("st", None),
            ("uj", Some(rules::TRUST_NEW)),
            ("ut", Some(rules::TRUST_NEW)),
            ("pj", Some(rules::TRUST_NEW)),
            ("pt", Some(rules::TRUST_NEW)),
        ];
        assert_eq!(found(&loaded), want.map(|(c, w)| (c.to_owned(), w)));
        assert_eq!(loaded.notes.iter().filter(|n| n.code == Code::HW109).count(), 2);
        assert_eq!(loaded.trust.keys().collect::<Vec<_>>(), ["h1", "h2"]);
    }

    #[test]
    fn who_is_not_read_and_why() {
        let project = ("/p/.codex/hooks.json", json("p"));
        for (files, want) in [
            (vec![], vec![("p", Some(rules::TRUST_PROJECT))]),
            (vec![("/h/.codex/config.toml", TRUSTED.to_owned())], vec![("p", Some(rules::TRUST_NEW))]),
            (
                vec![
                    ("/h/.codex/config.toml", TRUSTED.to_owned()),
                    ("/etc/codex/requirements.toml", format!("allow_managed_hooks_only = true\n{}", toml("m"))),
                ],
                vec![("m", None), ("p", Some(rules::POLICY_MANAGED_ONLY))],
            ),
            (
                vec![
                    ("/h/.codex/plugins/cache/m/a/1.0.0/hooks/hooks.json", json("${PLUGIN_ROOT}/x")),
                    ("/h/.codex/config.toml", "[plugins.'a@m']\nenabled = true\n".to_owned()),
                ],
                vec![
                    ("p", Some(rules::TRUST_PROJECT)),
                    ("/h/.codex/plugins/cache/m/a/1.0.0/x", Some(rules::TRUST_NEW)),
                ],
            ),
        ] {
            let mut all: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            all.push((project.0, &project.1));
            let want: Vec<(String, Option<RuleId>)> = want.into_iter().map(|(c, w)| (c.to_owned(), w)).collect();
            assert_eq!(found(&loaded(&all)), want, "{all:?}");
        }
    }

    /// Returns code, file, line and column of every note, and whether Codex still starts. Every note has a help
    /// text.
    #[test]
    fn every_mistake_is_named_with_its_place() {
        let hooks = "/p/.codex/hooks.json";
        let config = "/p/.codex/config.toml";
        for (path, text, want, starts) in [
            (hooks, "{\"hooks\": {},}", vec![(Code::HW101, ".codex/hooks.json", 1, 13)], true),
            (hooks, "{\"a\": \"\\ud800\"}", vec![(Code::HW101, ".codex/hooks.json", 1, 14)], true),
            (hooks, "{\"$schema\": 1}", vec![(Code::HW108, ".codex/hooks.json", 1, 2)], true),
            (hooks, "[]", vec![(Code::HW104, ".codex/hooks.json", 1, 1)], true),
            (hooks, "{\"hooks\": {\"stop\": []}}", vec![(Code::HW201, ".codex/hooks.json", 1, 12)], true),
            (
                hooks,
                "{\"hooks\": {\"Stop\": [\n {\"command\": \"x\"}]}}",
                vec![(Code::HW103, ".codex/hooks.json", 2, 2)],
                true,
            ),
            (config, "[hooks]\nStop = 'x'", vec![(Code::HW110, ".codex/config.toml", 2, 8)], false),
            (config, "[[hooks.Stop]]\nmatcher = 3", vec![(Code::HW110, ".codex/config.toml", 2, 11)], false),
            (config, "hooks = 3", vec![(Code::HW110, ".codex/config.toml", 1, 9)], false),
            (config, "a = 1\n[[hooks.Stop]", vec![(Code::HW101, ".codex/config.toml", 2, 14)], false),
            (config, "[features]\nhooks = 1", vec![(Code::HW110, ".codex/config.toml", 2, 9)], false),
            (config, "[features]\ncodex_hooks = false", vec![(Code::HW207, ".codex/config.toml", 2, 15)], true),
            (config, "allow_managed_hooks_only = true", vec![(Code::HW702, ".codex/config.toml", 1, 1)], true),
        ] {
            let loaded = loaded(&[(path, text), ("/h/.codex/config.toml", TRUSTED)]);
            let got: Vec<(Code, String, u32, u32)> = loaded
                .notes
                .iter()
                .map(|n| {
                    assert!(n.help.is_some(), "{} has no cure", n.message);
                    let (file, at) = n.place(&loaded.sources).unwrap();
                    let (line, column) = at.unwrap();
                    (n.code, file, line, column)
                })
                .collect();
            let want: Vec<(Code, String, u32, u32)> =
                want.into_iter().map(|(code, file, line, column)| (code, file.to_owned(), line, column)).collect();
            assert_eq!((got, loaded.refusal.is_none()), (want, starts), "{text}");
        }
        // A file that is not read yet reports the mistakes it would have once it is read.
        let codes: Vec<Code> = loaded(&[(config, "[hooks]\na = ")]).notes.iter().map(|n| n.code).collect();
        assert_eq!(codes, [Code::HW101, Code::HW703]);
    }

    #[test]
    fn one_hook_in_a_file_can_be_at_fault() {
        let hook = |event: &str, matcher: &str, hook: Value| {
            json!({"hooks": {event: [{"matcher": matcher, "hooks": [hook]}]}}).to_string()
        };
        for (text, code, rule) in [
            (hook("PreToolUse", "[", json!({"type": "command", "command": "x"})), Code::HW308, rules::MATCHER_INVALID),
            (
                hook("PreToolUse", "(?=x)", json!({"type": "command", "command": "x"})),
                Code::HW309,
                rules::MATCHER_INVALID,
            ),
            (
                hook("PreToolUse", "(B)\\1", json!({"type": "command", "command": "x"})),
                Code::HW309,
                rules::MATCHER_INVALID,
            ),
            (hook("Stop", "", json!({"type": "prompt", "prompt": "x"})), Code::HW106, rules::CONFIG_SKIPPED),
            (hook("Stop", "", json!({"type": "command", "command": " "})), Code::HW105, rules::CONFIG_SKIPPED),
            (
                hook("SessionEnd", "", json!({"type": "command", "command": "x", "timeout": 9})),
                Code::HW506,
                rules::TRUST_NEW,
            ),
            (
                hook("Stop", "[", json!({"type": "command", "command": "x", "timeout": 0})),
                Code::HW502,
                rules::TRUST_NEW,
            ),
        ] {
            let loaded = loaded(&[("/h/.codex/hooks.json", &text)]);
            let codes: Vec<Code> = loaded.notes.iter().map(|n| n.code).collect();
            assert!(codes.contains(&code), "{codes:?} {text}");
            assert_eq!(loaded.definitions[0].rejection.as_ref().map(|r| r.rule), Some(rule), "{text}");
        }
    }

    /// Codex writes every accepted hook as TOML, whose integers end at 2⁶³ − 1.
    #[test]
    fn numbers_over_which_codex_fails() {
        let hook = |event: &str, key: &str, number: u64| json!({"hooks": {event: [{"matcher": "x", "hooks": [{"type": "command", "command": "x", key: number}]}]}});
        let large = 1_u64 << 63;
        let off = ("/h/.codex/config.toml", "[features]\nhooks = false");
        for (text, more, starts) in [
            (hook("PreToolUse", "timeout", large - 1), None, true),
            (hook("PreToolUse", "timeout", large), None, false),
            (hook("PreToolUse", "timeout", u64::MAX), None, false),
            (hook("PreToolUse", "timeout", large), Some(off), true),
            (hook("SessionEnd", "timeout", large), None, true),
            (hook("PreToolUse", "additionalContextLimit", large), None, false),
            (hook("Stop", "additionalContextLimit", large), None, true),
        ] {
            let text = text.to_string();
            let files: Vec<(&str, &str)> = [("/h/.codex/hooks.json", text.as_str())].into_iter().chain(more).collect();
            assert_eq!(loaded(&files).refusal.is_none(), starts, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(json: Vec<u8>, toml: Vec<u8>) {
            let mut files = MemoryFiles::default();
            files.put("/h/.codex/hooks.json", json);
            files.put("/h/.codex/config.toml", toml);
            let _ = load(&place(), &files);
        }

        #[test]
        fn never_panics_on_settings(parts in prop::collection::vec(prop::sample::select(
            &["{", "}", "[", "]", "\"hooks\":", "\"Stop\":", "\"type\":\"command\"", ",", "null", "\"command\":", "\"x\"", "5", "\"matcher\":"][..]), 0..30)) {
            let _ = loaded(&[("/h/.codex/hooks.json", &parts.concat())]);
        }

        #[test]
        fn never_panics_on_toml(parts in prop::collection::vec(prop::sample::select(
            &["[[hooks.Stop]]\n", "[[hooks.Stop.hooks]]\n", "[hooks]\n", "type = 'command'\n", "command = 'x'\n", "timeout = 1\n", "[hooks.state.'k']\n", "enabled = false\n", "Stop = [{}]\n", "[features]\n", "hooks = true\n"][..]), 0..12)) {
            let _ = loaded(&[("/h/.codex/config.toml", &parts.concat())]);
        }
    }
}
