//! Reads every file from which the agent loads hooks, in the agent's order: user, project, local, managed,
//! plugins, agents and skills (spec §1).

use crate::kernel::settings;
use crate::shared::files_above::report_files_above;
use hookbench_base::hook::{FILE_SKIPPED, Layer};
use serde_json::{Value, json};

use super::config::{self, HookOrigin};
use super::formats::FORMATS;
use super::layer_reader::{LayerReader, SettingsFile, config_dir, refuse_remaining};
use super::matcher::MatchOutcome;
use super::version_behaviour::VersionBehaviour;
use super::{
    environment, events, managed_settings, matcher, misplaced_hooks, plugins, rules, settings_schema, skills,
    start_arguments, switches,
};
use crate::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::config::{Files, LayerState, LoadedConfig, Os, Place};
use hookbench_base::dialects::Version;
use hookbench_base::plan::RungName;
use hookbench_base::text::Node;

/// Loads all hooks and settings.
pub fn load(place: &Place, files: &dyn Files, version: &Version) -> LoadedConfig {
    let rules = VersionBehaviour::for_version(version);
    let flags = FORMATS.given(place);
    let mut loading = LayerReader { place, files, rules, flags, loaded: LoadedConfig::default(), settings: Vec::new() };
    let config = config_dir(place);
    loading.read_settings_file(Layer::User, &format!("{config}/settings.json"));
    loading.read_settings_file(Layer::Project, &format!("{}/.claude/settings.json", place.project));
    loading.read_settings_file(Layer::Local, &format!("{}/.claude/settings.local.json", place.project));
    start_arguments::read_settings(&mut loading);
    managed_settings::load(&mut loading, &managed_files(place.os, files));
    environment::merge(&mut loading);
    plugins::load(&mut loading);
    skills::load(&mut loading);
    switches::apply(&mut loading);
    loading.collect_mcp_servers();
    loading.find_ignored_files(&config);
    loading.loaded.assign_ids();
    check_patterns(
        &mut loading.loaded,
        |_| "it never matches",
        |definition, text| {
            let event = events::find(&definition.event).filter(|e| e.subject.is_some())?;
            let text = matcher::normalize(text, event.name);
            matches!(matcher::parse(&text, event.name, rules), matcher::ParsedMatcher::Pattern { .. })
                .then(|| text.into_owned())
        },
    );
    check_tool_names(&mut loading.loaded, "claude", |definition, tool| {
        let event = events::find(&definition.event).filter(|e| events::has_tool_subject(e.name))?;
        let subject = events::subject(event, &json!({"tool_name": tool}));
        match matcher::evaluate(definition.matcher.as_ref(), event, &subject, rules) {
            MatchOutcome::Yes(_) => Some(true),
            MatchOutcome::No { .. } => Some(false),
            MatchOutcome::Unknown(_) => None,
        }
    });
    loading.loaded
}

/// The file in which the agent keeps its per-project state.
pub fn state_file(place: &Place) -> String {
    match place.var("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty()) {
        Some(_) => format!("{}/.claude.json", config_dir(place)),
        None => format!("{}/.claude.json", place.home),
    }
}

/// The files that name MCP servers: those of the project, those of the user, and those of the user in this project.
pub fn server_files(place: &Place) -> Vec<(String, Vec<String>)> {
    let key = "mcpServers".to_owned();
    vec![
        (format!("{}/.mcp.json", place.project), vec![key.clone()]),
        (state_file(place), vec![key.clone()]),
        (state_file(place), vec!["projects".to_owned(), place.project.clone(), key]),
    ]
}

/// The managed settings file and its drop-ins, in the order in which they are merged.
fn managed_files(os: Os, files: &dyn Files) -> Vec<String> {
    let root = match os {
        Os::Linux => "/etc/claude-code",
        Os::MacOs => "/Library/Application Support/ClaudeCode",
        Os::Windows => "C:/Program Files/ClaudeCode",
    };
    let directory = format!("{root}/managed-settings.d");
    let mut paths = vec![format!("{root}/managed-settings.json")];
    let drop_ins = files.list(&directory);
    paths.extend(
        drop_ins
            .iter()
            .filter(|n| n.strip_suffix(".json").is_some() && !n.starts_with('.'))
            .map(|name| format!("{directory}/{name}")),
    );
    paths
}

impl LayerReader<'_> {
    fn read_settings_file(&mut self, layer: Layer, path: &str) {
        if let Some(why) = start_arguments::left_out(&self.flags, layer) {
            return self.read_left_out(layer, path, &why);
        }
        if let Some(node) = self.read_json(layer, path, None) {
            self.add_settings(layer, path, node);
        }
    }

    /// Lists the hooks of a settings file that an argument leaves out.
    fn read_left_out(&mut self, layer: Layer, path: &str, why: &str) {
        let known = self.loaded.notes.len();
        let node = self.read_json(layer, path, None);
        if let Some(hooks) = node.as_ref().and_then(|node| node.get("hooks")) {
            let read = config::read_hooks(hooks, &HookOrigin::settings(layer), self.rules, &mut self.loaded);
            let mut definitions = read.definitions;
            refuse_remaining(&mut definitions, RungName::LayerActive, rules::SWITCH_ARGUMENT, why);
            self.loaded.definitions.append(&mut definitions);
        }
        self.loaded.notes.truncate(known);
        if node.is_some() {
            self.record_layer(layer, path, LayerState::Off, Some(why.to_owned()), None);
        } else if let Some(file) = self.loaded.layers.last_mut().filter(|file| file.state != LayerState::Absent) {
            (file.state, file.message) = (LayerState::Off, Some(why.to_owned()));
        }
    }

    /// Adds the hooks and the settings of one file.
    pub fn add_settings(&mut self, layer: Layer, path: &str, node: Node) {
        let mut lost = settings_schema::schema_error(&node)
            .or_else(|| misplaced_hooks::find_outside_hooks(&node, self.rules))
            .map(|problem| {
                let effect = "the whole file is skipped, including all its hooks and permission rules";
                self.loaded.notes.push(problem.diagnostic(effect));
                let start = self.loaded.sources.start(problem.span);
                format!("the whole file is skipped: {} (line {})", problem.message, start.line)
            });
        let read = match node.get("hooks") {
            Some(hooks) => config::read_hooks(hooks, &HookOrigin::settings(layer), self.rules, &mut self.loaded),
            None => config::LoadedHooks::default(),
        };
        let mut definitions = read.definitions;
        if let Some(says) = &lost {
            refuse_remaining(&mut definitions, RungName::Parsed, FILE_SKIPPED, says);
        }
        lost = lost.or(read.skip_reason);
        self.loaded.definitions.append(&mut definitions);
        let state = if lost.is_some() { LayerState::Broken } else { LayerState::Read };
        if lost.is_none() {
            self.settings.push(SettingsFile { layer, node, file: self.place.display_path(path) });
        }
        self.record_layer(layer, path, state, lost, None);
    }

    /// Records the names of all configured MCP servers. Only those can answer an `mcp_tool` hook.
    fn collect_mcp_servers(&mut self) {
        let mut names: Vec<Value> = Vec::new();
        let read = |path: String| -> Option<Value> { serde_json::from_slice(&self.files.read(&path).ok()?).ok() };
        let project = read(format!("{}/.mcp.json", self.place.project));
        let state = read(state_file(self.place));
        let here = state.as_ref().and_then(|s| s.get("projects")).and_then(|p| p.get(&self.place.project));
        let is_accepted = here.and_then(|h| h.get("hasTrustDialogAccepted")).and_then(Value::as_bool) == Some(true);
        let trusted = is_accepted || self.place.assumes_trust;
        let settings = self.settings.iter().filter_map(|s| s.node.get("mcpServers")).map(Node::to_value);
        let own = [project.as_ref(), state.as_ref(), here].into_iter().flatten();
        let own = own.filter_map(|v| v.get("mcpServers").cloned()).chain(settings);
        let only_given = self.flags.last("--strict-mcp-config").is_some();
        let tables: Vec<Value> = own.filter(|_| !only_given).chain(start_arguments::mcp_servers(self)).collect();
        for table in tables {
            names.extend(table.as_object().into_iter().flatten().map(|(name, _)| Value::from(name.clone())));
        }
        self.loaded.agent_settings.insert("mcpServers".to_owned(), Value::Array(names));
        self.loaded.agent_settings.insert("trusted".to_owned(), Value::Bool(trusted));
    }

    /// Records files that look like hook files but that the agent does not read.
    fn find_ignored_files(&mut self, config: &str) {
        let project = &self.place.project;
        let mut found = |path: String, says: &str| {
            settings::report_ignored(&mut self.loaded, self.place, self.files, &path, says);
        };
        for name in [
            ".claude/hooks.json",
            ".claude/hooks.yaml",
            ".claude/hooks.yml",
            ".claude/hooks/hooks.json",
            ".claude/hooks/hooks.yaml",
            ".claude/hooks/hooks.yml",
            "hooks.json",
            "hooks.yaml",
            "hooks.yml",
            ".claude/settings.yaml",
            ".claude/settings.toml",
        ] {
            found(format!("{project}/{name}"), "hooks are read from .claude/settings.json, not from here");
        }
        found(format!("{config}/hooks.json"), "hooks are read from settings.json, not from here");
        found(format!("{config}/settings.local.json"), "only a project has a local settings file");
        let names = ["settings.json", "settings.local.json"];
        let candidates = |above: &str| {
            let directory = format!("{above}/.claude");
            let is_user = directory == config;
            names.iter().filter(|_| !is_user).map(|name| format!("{directory}/{name}")).collect()
        };
        let why = "the agent reads only the directory in which it starts, not its parent directories";
        report_files_above(self.place, self.files, candidates, why, &mut self.loaded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;
    use pretty_assertions::assert_eq;

    pub(super) fn place() -> Place {
        Place { project: "/w/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
    }

    fn hook(command: &str) -> String {
        format!(r#""hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}"#)
    }

    fn loaded(files: &[(&str, String)], place: &Place) -> LoadedConfig {
        let mut memory = MemoryFiles::default();
        for (path, text) in files {
            memory.put(*path, text);
        }
        load(place, &memory, &Version::new(2, 1, 329))
    }

    fn alive(loaded: &LoadedConfig) -> Vec<String> {
        loaded.definitions.iter().filter(|d| d.rejection.is_none()).map(|d| d.handler.text()).collect()
    }

    const USER: &str = "/h/.claude/settings.json";
    const PROJECT: &str = "/w/p/.claude/settings.json";
    const LOCAL: &str = "/w/p/.claude/settings.local.json";
    const MANAGED: &str = "/etc/claude-code/managed-settings.json";

    #[test]
    fn all_layers_add_up_in_their_order() {
        let files = [
            (MANAGED, format!("{{{}}}", hook("m"))),
            ("/etc/claude-code/managed-settings.d/10-x.json", format!("{{{}}}", hook("d"))),
            (LOCAL, format!("{{{}}}", hook("l"))),
            (USER, format!("{{{}}}", hook("u"))),
            (PROJECT, format!("\u{feff}{{{}}}", hook("p"))),
            ("/w/.claude/settings.json", format!("{{{}}}", hook("above"))),
        ];
        let got = loaded(&files, &place());
        assert_eq!(alive(&got), ["u", "p", "l", "m", "d"]);
        let ids: Vec<&str> = got.definitions.iter().map(|d| d.id.as_str()).collect();
        assert_eq!(ids, ["h1", "h2", "h3", "h4", "h5"]);
        assert_eq!(got.ignored_files.len(), 1);
    }

    #[test]
    fn config_directory_of_the_user() {
        let mut place = place();
        place.env.insert("CLAUDE_CONFIG_DIR".to_owned(), "/c".to_owned());
        let files = [("/c/settings.json", format!("{{{}}}", hook("c"))), (USER, format!("{{{}}}", hook("u")))];
        assert_eq!(alive(&loaded(&files, &place)), ["c"]);
    }

    #[test]
    fn files_that_count_for_nothing() {
        for (text, want) in [
            ("{ \"hooks\": { bad".to_owned(), vec!["u"]),
            (format!("{{{}, // x\n}}", hook("p")), vec!["u"]),
            (format!("{{\"model\":5,{}}}", hook("p")), vec!["u"]),
            (format!("{{\"permissions\":\"x\",{}}}", hook("p")), vec!["u"]),
            (
                format!("{{\"permissions\":{{\"allow\":[\"Bash(((\"]}},\"env\":{{\"A\":5}},\"zzz\":5,{}}}", hook("p")),
                vec!["u", "p"],
            ),
            ("{\"hooks\":null}".to_owned(), vec!["u"]),
            ("[]".to_owned(), vec!["u"]),
            (String::new(), vec!["u"]),
        ] {
            let files = [(USER, format!("{{{}}}", hook("u"))), (PROJECT, text.clone())];
            assert_eq!(alive(&loaded(&files, &place())), want, "{text}");
        }
    }

    #[test]
    fn switches_by_precedence() {
        let on = |rest: &str, command: &str| format!("{{{rest}{}}}", hook(command));
        for (files, want) in [
            (vec![(PROJECT, on("\"disableAllHooks\":true,", "p")), (USER, on("", "u"))], vec![]),
            (
                vec![
                    (PROJECT, on("\"disableAllHooks\":true,", "p")),
                    (LOCAL, "{\"disableAllHooks\":false}".to_owned()),
                ],
                vec!["p"],
            ),
            (
                vec![(PROJECT, on("\"disableAllHooks\":false,", "p")), (USER, on("\"disableAllHooks\":true,", "u"))],
                vec!["u", "p"],
            ),
            (vec![(PROJECT, on("\"disableAllHooks\":true,", "p")), (MANAGED, on("", "m"))], vec!["m"]),
            (vec![(PROJECT, on("", "p")), (MANAGED, on("\"disableAllHooks\":true,", "m"))], vec![]),
            (vec![(PROJECT, on("", "p")), (MANAGED, on("\"allowManagedHooksOnly\":true,", "m"))], vec!["m"]),
            (vec![(PROJECT, on("\"allowManagedHooksOnly\":true,", "p"))], vec!["p"]),
            (
                vec![(USER, on("", "u")), (MANAGED, on("\"strictPluginOnlyCustomization\":[\"hooks\"],", "m"))],
                vec!["m"],
            ),
            // A skipped file has no effect on the switches either.
            (vec![(USER, on("", "u")), (PROJECT, on("\"disableAllHooks\":true,\"model\":5,", "p"))], vec!["u"]),
        ] {
            assert_eq!(alive(&loaded(&files, &place())), want, "{files:?}");
        }
    }

    #[test]
    fn plugins_and_agents() {
        let files = [
            (
                "/h/.claude/plugins/installed_plugins.json",
                r#"{"version":2,"plugins":{"a@m":[{"scope":"user","installPath":"/x/a"}],"b@m":[{"installPath":"/x/b"}]}}"#
                    .to_owned(),
            ),
            (USER, "{\"enabledPlugins\":{\"a@m\":true,\"b@m\":false}}".to_owned()),
            ("/x/a/hooks/hooks.json", format!("{{\"description\":\"d\",{}}}", hook("file"))),
            (
                "/x/a/.claude-plugin/plugin.json",
                r#"{"name":"a","hooks":{"Stop":[{"hooks":[{"type":"command","command":"inline"}]}]}}"#.to_owned(),
            ),
            ("/x/b/hooks/hooks.json", format!("{{{}}}", hook("b"))),
            (
                "/h/.claude/agents/me.md",
                "---\nname: me\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: fm\n---\nx\n"
                    .to_owned(),
            ),
        ];
        let got = loaded(&files, &place());
        assert_eq!(alive(&got), ["file", "inline", "fm"]);
        let last = got.definitions.last().unwrap();
        assert_eq!((last.event.as_str(), last.provenance.bundle.as_deref()), ("SubagentStop", Some("agent me")));
        assert_eq!((last.provenance.line, last.provenance.column), (6, 11));
    }

    #[test]
    fn mistakes_in_plugins() {
        let installed = r#"{"plugins":{"a@m":[{"installPath":"/x/a","scope":"project","projectPath":"/else"}]}}"#;
        let ok = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"ok"}]}]}}"#;
        let manifest = |hooks: &str| format!(r#"{{"name":"a","hooks":"{hooks}"}}"#);
        for (text, manifest, enabled, want) in [
            (r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"flat"}]}]}"#.to_owned(), None, "true", ""),
            (
                r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"ok"},{"type":"command"}]}]}}"#.to_owned(),
                None,
                "true",
                "ok",
            ),
            (
                r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"ok"},{"type":"command"}]}]}}"#
                    .to_owned(),
                None,
                "true",
                "",
            ),
            (ok.to_owned(), None, "true", "ok"),
            (ok.to_owned(), None, "[\"1.0.0\"]", ""),
            (ok.to_owned(), None, "false", ""),
            (format!("\u{feff}{ok}"), None, "true", ""),
            (ok.replace("{\"hooks\":{", "{\"description\":5,\"hooks\":{"), None, "true", ""),
            (ok.to_owned(), Some(manifest("other.json")), "true", ""),
            (ok.to_owned(), Some(manifest("../other.json")), "true", ""),
            (ok.to_owned(), Some(manifest("./other.json")), "true", "ok other"),
        ] {
            let mut files = vec![
                ("/h/.claude/plugins/installed_plugins.json", installed.to_owned()),
                (USER, format!("{{\"enabledPlugins\":{{\"a@m\":{enabled}}}}}")),
                ("/x/a/hooks/hooks.json", text.clone()),
                ("/x/a/other.json", ok.replace("\"ok\"", "\"other\"")),
            ];
            files.extend(manifest.clone().map(|text| ("/x/a/.claude-plugin/plugin.json", text)));
            assert_eq!(alive(&loaded(&files, &place())).join(" "), want, "{text} {manifest:?} {enabled}");
        }
    }

    proptest::proptest! {
        /// No content of any file makes loading panic.
        #[test]
        fn any_bytes(
            text in "[\\[\\]{}\",:a5 ]{0,40}",
            value in proptest::sample::select(vec!["null", "5", "[]", "{}", "[5]", "[{}]", "[{\"hooks\":5}]", "[{\"hooks\":[[]]}]"]),
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
        ) {
            let mut memory = MemoryFiles::default();
            memory.put(USER, &text);
            memory.put(PROJECT, format!("{{\"hooks\":{{\"PreToolUse\":{value},\"Stop\":{value},\"x\":{value}}}}}"));
            memory.put(LOCAL, &bytes);
            memory.put("/h/.claude/agents/a.md", format!("---\nhooks: {text}\n---\n"));
            memory.put("/h/.claude/plugins/installed_plugins.json", &bytes);
            let _ = load(&place(), &memory, &Version::new(2, 1, 329));
        }
    }
}
