//! Two laws of fixes, for every sample and for generated matchers, in every agent:
//!
//! 1. A safe fix loses no call: every known tool, known value and MCP tool for which a hook ran still starts it. It
//!    gains only what the author wrote: a name that differs in case, in spaces or in an agent's spelling.
//! 2. A fix leads somewhere: the fixed hook runs for something, or lint still reports it. A proposal may exclude known
//!    tools on purpose (an anchor, a negation), but no MCP tool that the matcher writes out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hookbench::core::catalogue::catalogue;
use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::diagnostic::{Code, CodeFamily, Diagnostic};
use hookbench::core::dialects::{ALL, Agent, MachineFacts, by_id, default_version, find_event};
use hookbench::core::hook::{HookDefinition, Layer};
use hookbench::core::lint::{CommandFacts, LintReport, LintScope, lint};
use hookbench::core::matcher::{WrittenNames, server_tools_in};
use proptest::prelude::*;
use serde_json::json;

use crate::samples::files_of_samples;

/// The calls for which each hook runs, by event and command.
type Reach = BTreeMap<(String, String), BTreeSet<String>>;

struct Project {
    dialect: &'static Agent,
    place: Place,
    files: MemoryFiles,
}

impl Project {
    fn new(agent: &str, settings: &[(String, String)]) -> Project {
        let dialect = by_id(agent).unwrap();
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }.as_trusted();
        let mut files = MemoryFiles::default();
        for (path, text) in dialect.trust_files(&place, &files) {
            files.put(path, text);
        }
        for (path, text) in settings {
            files.put(path, text);
        }
        Project { dialect, place, files }
    }

    fn load(&self) -> Arc<LoadedConfig> {
        self.dialect.load(&self.place, &self.files, &default_version(self.dialect))
    }

    fn lint(&self, loaded: &LoadedConfig) -> LintReport {
        let version = default_version(self.dialect);
        let machine = MachineFacts::default();
        let (dialect, place, files) = (self.dialect, &self.place, &self.files);
        let scope = LintScope { dialect, version: &version, place, files, loaded, machine: &machine };
        lint(scope, &|_: &HookDefinition| CommandFacts::default())
    }

    /// The names that can occur: known tools and values, and the MCP tools that a matcher of the files writes out.
    fn names(&self, loaded: &LoadedConfig) -> BTreeSet<String> {
        let tools = catalogue().agent(self.dialect.id().as_str());
        let events = self.dialect.events(&default_version(self.dialect));
        let values = events.iter().flat_map(|event| {
            let listed = event.fields.iter().find(|field| Some(field.name) == event.subject);
            event.subjects.iter().chain(listed.map_or(&[][..], |field| field.values)).copied()
        });
        let ids = tools.into_iter().flat_map(|tools| tools.tools.iter().map(|tool| tool.id));
        let matchers = loaded.definitions.iter().filter_map(|hook| hook.matcher.as_ref()?.as_str());
        let written = matchers.flat_map(|text| tools.map(|tools| server_tools_in(text, tools)).unwrap_or_default());
        ids.chain(values).map(str::to_owned).chain(written).collect()
    }

    fn is_value_of_another_subject(&self, name: &str) -> bool {
        let events = self.dialect.events(&default_version(self.dialect));
        let others = events.iter().filter(|event| event.subject != Some("tool_name"));
        let mut values = others.flat_map(|event| {
            let listed = event.fields.iter().find(|field| Some(field.name) == event.subject);
            event.subjects.iter().chain(listed.map_or(&[][..], |field| field.values))
        });
        values.any(|value| *value == name)
    }

    fn reach(&self, loaded: &LoadedConfig, names: &BTreeSet<String>) -> Reach {
        let version = default_version(self.dialect);
        let mut reach = Reach::new();
        for hook in loaded.definitions.iter().filter(|hook| hook.is_valid()) {
            let Some(event) = find_event(self.dialect, &version, &hook.event) else { continue };
            let fires = |name: &&String| {
                let Some(key) = event.subject else { return true };
                // A value of another subject is not the name of a tool.
                if key == "tool_name" && self.is_value_of_another_subject(name) {
                    return false;
                }
                let body = if key == "tool_name" {
                    self.dialect.tool_body(name, json!({})).into_iter().collect()
                } else {
                    serde_json::Map::from_iter([(key.to_owned(), json!(name))])
                };
                let subject = self.dialect.subject(event, &body.into(), &version);
                self.dialect.matches(event, hook.matcher.as_ref(), &subject, &version) == Some(true)
            };
            let key = (hook.event.clone(), hook.handler.text());
            reach.entry(key).or_default().extend(names.iter().filter(fires).cloned());
        }
        reach
    }

    /// The project with the edits of a finding.
    fn fixed(&self, found: &Diagnostic, report: &LintReport) -> Option<Project> {
        let fix = found.fix.as_ref().filter(|fix| !fix.executable)?;
        let text = fix.edits.apply(report.sources.text(fix.source)).unwrap();
        let mut files = self.files.clone();
        files.put(report.sources.path(fix.source), &text);
        Some(Project { dialect: self.dialect, place: self.place.clone(), files })
    }

    /// Whether a name is one that the author of a matcher wrote, up to case, spaces and an agent's spelling.
    fn is_written(&self, name: &str, matchers: &[String]) -> bool {
        let tools = catalogue().agent(self.dialect.id().as_str());
        let same = |written: &str| {
            let id = tools.and_then(|tools| catalogue().resolve(written, tools).id);
            written.eq_ignore_ascii_case(name) || id.is_some_and(|id| id == name)
        };
        matchers.iter().any(|text| WrittenNames::of(text).names.iter().any(|written| same(written.text)))
    }

    /// The violations of both laws by the fixes of this project.
    fn violations(&self) -> Vec<String> {
        let loaded = self.load();
        let names = self.names(&loaded);
        let before = self.reach(&loaded, &names);
        let report = self.lint(&loaded);
        let matchers: Vec<String> =
            loaded.definitions.iter().filter_map(|hook| Some(hook.matcher.as_ref()?.as_str()?.to_owned())).collect();
        let mut wrong = Vec::new();
        for found in &report.findings {
            let Some(fixed) = self.fixed(found, &report) else { continue };
            let safe = found.fix.as_ref().is_some_and(|fix| fix.safe);
            let reloaded = fixed.load();
            // The names that a changed matcher writes out count, too.
            let all: BTreeSet<String> = names.union(&fixed.names(&reloaded)).cloned().collect();
            let after = fixed.reach(&reloaded, &all);
            let mut tell = |what: String| {
                wrong.push(format!("{} {matchers:?} {} (safe: {safe}): {what}", self.dialect.id(), found.code));
            };
            // A negation excludes on purpose, and HW305 corrects the names of MCP tools.
            let excludes =
                matches!(found.code, Code::HW305 | Code::HW317) || found.code.family() != Some(CodeFamily::Matchers);
            for (hook, calls) in &before {
                let now = after.get(hook).cloned().unwrap_or_default();
                let lost: Vec<&String> = calls.difference(&now).collect();
                if safe && !lost.is_empty() {
                    tell(format!("{hook:?} no longer runs for {lost:?}"));
                }
                let of_servers = |name: &&&String| name.starts_with("mcp_");
                if !safe && !excludes && lost.iter().any(|name| of_servers(&name)) {
                    tell(format!("{hook:?} no longer runs for {lost:?}"));
                }
                let gained: Vec<&String> = now
                    .difference(calls)
                    .filter(|name| {
                        !name.starts_with("mcp_") && names.contains(*name) && !self.is_written(name, &matchers)
                    })
                    .collect();
                if safe && found.code.family() == Some(CodeFamily::Matchers) && !gained.is_empty() {
                    tell(format!("{hook:?} also runs for {gained:?}"));
                }
            }
            if found.code.family() == Some(CodeFamily::Matchers) {
                let rest = fixed.lint(&reloaded).findings;
                let reported = rest.iter().any(|one| one.code.family() == Some(CodeFamily::Matchers));
                if after.values().all(BTreeSet::is_empty) && !reported {
                    tell("the fixed hook runs for nothing, and lint is silent".to_owned());
                }
            }
        }
        wrong
    }
}

/// A project with one hook under a matcher.
fn with_matcher(agent: &str, event: &str, matcher: &str) -> Project {
    let dialect = by_id(agent).unwrap();
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]}]}});
    let path = (dialect.settings_format().layer_file)(&place, Layer::Project).unwrap();
    Project::new(agent, &[(path, settings.to_string())])
}

/// A project whose settings of one layer are this text.
fn with_settings(agent: &str, settings: &serde_json::Value) -> Project {
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let path = (by_id(agent).unwrap().settings_format().layer_file)(&place, Layer::Project).unwrap();
    Project::new(agent, &[(path, settings.to_string())])
}

/// A pattern may match more than the tool that its author meant: another name of the file.
#[test]
fn a_safe_fix_keeps_the_names_of_the_file() {
    let hook = json!({"type": "command", "command": "true"});
    for (agent, matcher, name) in [
        ("claude", "Notebook.*|read", "mcp__reader__get"),
        ("claude", ".*Fetch|bash", "mcp__bash__run"),
        ("codex", "(mcp__a__)(read|bash)|bash", "mcp__bash__run"),
        ("droid", "ApplyPatch|edit", "mcp__editor__open"),
        ("droid", "(execute|edit)", "mcp__editor__open"),
    ] {
        let groups = json!([{"matcher": matcher, "hooks": [hook]}, {"matcher": name, "hooks": [hook]}]);
        let wrong = with_settings(agent, &json!({"hooks": {"PreToolUse": groups}})).violations();
        assert!(wrong.is_empty(), "{agent} {matcher}: {wrong:#?}");
        // Without the other name the fix is safe.
        let alone = with_settings(agent, &json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}}));
        let fixes = alone.lint(&alone.load()).findings.into_iter().filter_map(|found| found.fix);
        assert!(fixes.into_iter().any(|fix| fix.safe), "{agent} {matcher}");
    }
}

/// The list of hooks of a group lacks its brackets only.
#[test]
fn a_handler_in_place_of_a_list_becomes_a_list() {
    for agent in ["claude", "codex"] {
        let hook = json!({"type": "command", "command": "true"});
        let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hook}]}});
        let project = with_settings(agent, &settings);
        let report = project.lint(&project.load());
        let found = report.findings.iter().find(|found| found.code == Code::HW103).unwrap();
        let fixed = project.fixed(found, &report).unwrap();
        let handlers = fixed.load().definitions.iter().filter(|hook| hook.is_valid()).count();
        assert_eq!(handlers, 1, "{agent}: {:?}", found.fix);
    }
}

#[test]
fn fixes_of_all_samples_obey_the_laws() {
    let mut wrong = Vec::new();
    for (name, agent, files) in files_of_samples("/p", "/h") {
        if by_id(&agent).is_some() {
            wrong.extend(Project::new(&agent, &files).violations().into_iter().map(|one| format!("{name}: {one}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A word in a matcher: a tool of any agent, perhaps in another case or misspelt, or a name that no agent has.
fn word() -> impl Strategy<Value = String> {
    let known: Vec<&'static str> =
        catalogue().agents.iter().flat_map(|agent| agent.tools.iter().flat_map(|tool| tool.names())).collect();
    let known = prop::sample::select(known);
    let other = prop::sample::select(vec!["read", "write", "search", "shell", "terminal", "get_issue", "Bahs", "x"]);
    prop_oneof![
        3 => known.clone().prop_map(str::to_owned),
        1 => known.clone().prop_map(str::to_lowercase),
        1 => known.clone().prop_map(str::to_uppercase),
        1 => known.prop_map(|name| name.get(1..).unwrap_or(name).to_owned()),
        3 => other.prop_map(str::to_owned),
    ]
}

/// An alternative: a word, a pattern of one, or MCP tools with a group of words.
fn alternative() -> impl Strategy<Value = String> {
    let words = || prop::collection::vec(word(), 1..4).prop_map(|words| words.join("|"));
    let server =
        prop::sample::select(vec!["mcp__notes__", "mcp_notes_", "mcp__my-srv__", "mcp__.*__", "(mcp__notes__)?"]);
    prop_oneof![
        4 => word(),
        1 => word().prop_map(|word| format!("^{word}$")),
        1 => word().prop_map(|word| format!("{word}.*")),
        1 => word().prop_map(|word| format!(".*{word}")),
        1 => word().prop_map(|word| format!(" {word} ")),
        3 => (server.clone(), words()).prop_map(|(server, words)| format!("{server}({words})")),
        1 => (server.clone(), words()).prop_map(|(server, words)| format!("{server}(?:{words})(_all)?")),
        1 => server.prop_map(|server| format!("{server}.*")),
        1 => words().prop_map(|words| format!("({words})")),
        1 => words().prop_map(|words| format!("(?!{words}).*")),
        1 => Just("mcp__notes".to_owned()),
        1 => Just("mcp__notes__[a-z]+".to_owned()),
    ]
}

fn matcher() -> impl Strategy<Value = String> {
    let list = prop::collection::vec(alternative(), 1..4);
    let separator = prop::sample::select(vec!["|", "|", "|", " | ", ",", ", "]);
    let around = prop::sample::select(vec![("", ""), ("", ""), ("^(", ")$"), ("(", ")"), ("^", "$")]);
    (list, separator, around).prop_map(|(list, by, (start, end))| format!("{start}{}{end}", list.join(by)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn fixes_of_generated_matchers_obey_the_laws(matcher in matcher()) {
        for (agent, event) in ALL.iter().filter_map(|dialect| Some((dialect.id(), tool_event(dialect)?))) {
            let wrong = with_matcher(agent.as_str(), event, &matcher).violations();
            prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    }

    /// A matcher that runs for the MCP tools that it writes out is never called dead.
    #[test]
    fn a_matcher_of_server_tools_is_not_dead(words in prop::collection::vec(word(), 1..5)) {
        for dialect in ALL {
            let (Some(event), Some(tools)) = (tool_event(dialect), catalogue().agent(dialect.id().as_str())) else { continue };
            if !tools.mcp.prefix().starts_with("mcp_") {
                continue;
            }
            let matcher = format!("{}({})", tools.mcp.name("notes", ""), words.join("|"));
            let project = with_matcher(dialect.id().as_str(), event, &matcher);
            let found = project.lint(&project.load()).findings;
            let about: Vec<String> = found
                .iter()
                .filter(|one| one.code.family() == Some(CodeFamily::Matchers))
                .map(|one| format!("{} {}", one.code, one.message))
                .collect();
            prop_assert!(about.is_empty(), "{} {matcher}: {about:?}", dialect.id());
        }
    }
}

/// The agent's event before a tool call, if its settings have the usual form.
fn tool_event(dialect: &Agent) -> Option<&'static str> {
    let version = default_version(dialect);
    let before = |event: &&&'static hookbench::core::hook::EventSpec| {
        event.subject == Some("tool_name") && event.blockable_action.is_some()
    };
    let events = dialect.events(&version);
    let name = events.iter().find(before)?.name;
    // A hook under the usual form of settings is loaded.
    let project = with_matcher(dialect.id().as_str(), name, "*");
    (project.load().definitions.iter().any(HookDefinition::is_valid)).then_some(name)
}
