//! Reads the hooks of the project and of the user (spec §1). A fault drops its own entry, or else its file; the agent says
//! nothing about either.

use std::time::Duration;

use serde_json::Value;

use super::events::EVENTS;
use super::formats::{FORMATS, LIST, SETTINGS_FORMAT};
use super::rules;
use crate::kernel::settings::{
    BrokenEffect, DefinitionOrigin, KeyRule, delete_line, find_misfit, list_definition, read_layer, renamed_key,
    report_ignored, report_unread_hooks, unknown_event, update_layer,
};
use crate::shared::files_above::report_files_above;
use crate::shared::python::{read_flag, read_number};
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Member, Node, SourceId, nearest, parse_toml};

/// The keys of an entry, in the order in which their faults are reported.
const KEYS: [KeyRule; 7] = [
    key("name", true, "a string", Value::is_string, "write name = \"…\""),
    key("type", true, "a string", Value::is_string, "write type = \"pre_tool\""),
    key("command", true, "a command line", has_text, "write command = \"…\""),
    KeyRule { code: Code::HW102, ..key("match", false, "a name", has_text, "write a name, or delete the key") },
    key("strict", false, "true or false", |value| read_flag(value).is_some(), "write strict = true"),
    key("description", false, "a string", Value::is_string, "write a string, or delete the key"),
    KeyRule {
        code: Code::HW501,
        ..key("timeout", false, "a number", |value| seconds(value).is_some(), "write seconds, such as 60")
    },
];
/// The limit of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The variable with the directory of the user's files.
pub const HOME_VARIABLE: &str = "VIBE_HOME";
/// The list of trusted directories, beside the user's hooks.
const TRUST: &str = "trusted_folders.toml";
/// Files in which other agents, or this one's users, have hooks: below the project and the user's directory.
const UNREAD: [&str; 4] = [".vibe/config.toml", ".vibe/settings.json", ".claude/settings.json", ".vibe/hooks.json"];
/// The hooks in a plugin.
const OF_PLUGINS: [&str; 3] = ["hooks/hooks.json", "hooks.toml", ".vibe/hooks.toml"];

const fn key(
    key: &'static str,
    is_required: bool,
    must_be: &'static str,
    fits: fn(&Value) -> bool,
    help: &'static str,
) -> KeyRule {
    KeyRule { key, is_required, code: Code::HW105, must_be, fits, help }
}

fn has_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// A time limit. One of 0 or less has ended before the hook starts.
fn seconds(limit: &Value) -> Option<Duration> {
    Duration::try_from_secs_f64(read_number(limit)?.max(0.0)).ok()
}

/// Whether every failure of a hook counts as a denial.
pub fn is_strict(definition: &HookDefinition) -> bool {
    definition.raw.get("strict").and_then(read_flag).unwrap_or_default()
}

/// The directory of the user's files.
pub fn user_dir(place: &Place) -> String {
    let moved = place.var(HOME_VARIABLE).filter(|directory| !directory.is_empty());
    moved.map_or_else(|| format!("{}/.vibe", place.home), |directory| place.absolute(&place.project, directory))
}

/// The files with hooks, in the order in which they are read.
pub fn hook_files(place: &Place) -> Vec<(Layer, String)> {
    let of_project = format!("{}/.vibe/hooks.toml", place.project);
    let of_user = Some(format!("{}/hooks.toml", user_dir(place))).filter(|path| *path != of_project);
    std::iter::once((Layer::Project, of_project)).chain(of_user.map(|path| (Layer::User, path))).collect()
}

/// Why the agent trusts the project. `None` if it does not: the nearest directory that is listed decides.
fn trust(place: &Place, files: &dyn Files) -> Option<String> {
    if place.assumes_trust {
        return Some(Place::TRUST_ASSUMED.to_owned());
    }
    if FORMATS.given(place).last("--trust").is_some() {
        return Some("the agent is started with --trust".to_owned());
    }
    let text = files.read(&format!("{}/{TRUST}", user_dir(place))).ok()?;
    let lists = parse_toml(SourceId(0), &String::from_utf8_lossy(&text)).ok()?;
    let items = |list: &str| lists.get(list).and_then(Node::items).unwrap_or_default();
    let has = |list: &str, path: &str| items(list).iter().any(|item| item.as_str() == Some(path));
    let mut directories = std::iter::successors(Some(place.project.as_str()), |path| {
        path.rsplit_once('/').map(|(above, _)| above).filter(|above| !above.is_empty())
    });
    let nearest = directories.find(|path| has("trusted", path) || has("untrusted", path))?;
    has("trusted", nearest).then(|| format!("{nearest} is a trusted directory"))
}

/// The file that makes the agent trust the project.
pub fn trust_files(place: &Place) -> Vec<(String, String)> {
    vec![(format!("{}/{TRUST}", user_dir(place)), format!("trusted = [{}]\n", Value::from(place.project.as_str())))]
}

/// Reads the files that Mistral Vibe reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let form = SETTINGS_FORMAT.form();
    let trust = trust(place, files);
    for (layer, path) in hook_files(place) {
        let parse = |source, text: &str| form.parse(source, text);
        let broken = |at| BrokenEffect::of_language("TOML", at, "the agent drops every hook of this file", false);
        let root = read_layer(place, files, (layer, &path), parse, broken, &mut loaded);
        let Some(hooks) = root.as_ref().and_then(|root| root.get("hooks")) else { continue };
        let distrust = (layer == Layer::Project && trust.is_none()).then(|| {
            update_layer(&mut loaded, &path, LayerState::Untrusted, "the directory is not trusted");
            let says = "the directory is not trusted, so the agent skips the project's hooks; start it with --trust";
            Rejection::new(RungName::Trusted, rules::TRUST_UNTRUSTED, says)
        });
        let Some(entries) = hooks.items() else {
            let says = format!("`hooks` is {}, not a list, so the agent drops every hook of this file", hooks.kind());
            update_layer(&mut loaded, &path, LayerState::Broken, &says);
            let note = Diagnostic::new(Code::HW104, says).at(hooks.span);
            loaded.notes.push(note.with_help("write a table [[hooks]] for each hook, with its name and type"));
            continue;
        };
        for entry in entries {
            read_entry(entry, layer, distrust.as_ref(), &mut loaded);
        }
    }
    report_unread(place, files, &mut loaded);
    loaded.assign_ids();
    if let Some(reason) = trust {
        loaded.set_trust(&reason, |layer| layer == Layer::Project);
    }
    loaded
}

/// Records files that look like hooks of the agent.
fn report_unread(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) {
    let user = user_dir(place);
    let of_user = UNREAD.iter().filter_map(|name| Some(format!("{user}/{}", name.strip_prefix(".vibe/")?)));
    let paths: Vec<String> = UNREAD.iter().map(|name| format!("{}/{name}", place.project)).chain(of_user).collect();
    report_unread_hooks(loaded, place, files, &paths, "Mistral Vibe reads hooks only from hooks.toml");
    for plugins in [format!("{}/.vibe/plugins", place.project), format!("{user}/plugins")] {
        for (name, hooks) in files.list(&plugins).iter().flat_map(|name| OF_PLUGINS.map(|hooks| (name, hooks))) {
            let why = "Mistral Vibe takes the skills of a plugin, but runs no hook of it";
            report_ignored(loaded, place, files, &format!("{plugins}/{name}/{hooks}"), why);
        }
    }
    let above = |directory: &str| vec![format!("{directory}/.vibe/hooks.toml")];
    report_files_above(place, files, above, "only the directory in which the agent is started counts", loaded);
}

/// Reads an entry of a file. The first hook of a name wins, also over those of later files.
fn read_entry(entry: &Node, layer: Layer, distrust: Option<&Rejection>, loaded: &mut LoadedConfig) {
    let fault = find_fault(entry).map(|note| (rules::CONFIG_ENTRY_DROPPED, note));
    let fault = fault.or_else(|| Some((rules::CONFIG_DUPLICATE_NAME, find_twin(entry, loaded)?)));
    let members = entry.members().unwrap_or_default();
    let dropped = fault.map(|(rule, note)| {
        let message = format!("{}, so Mistral Vibe drops this hook", note.message);
        let stray = members.iter().find(|key| note.code == Code::HW108 && Some(key.key_span) == note.span);
        let fix = stray.map(|key| delete_line(&loaded.sources, key));
        loaded.notes.push(Diagnostic { message: message.clone(), fix, ..note });
        Rejection::new(RungName::Parsed, rule, message)
    });
    let limit = entry.get("timeout").and_then(|limit| seconds(&limit.to_value()));
    if dropped.is_none() {
        loaded.notes.extend(members.iter().filter_map(ignored_key));
        let says = "this hook never starts: its time limit is not above 0, which counts as a failure";
        let note = Diagnostic::new(Code::HW502, says).with_help("write seconds, such as 60, or delete the key");
        let limit = entry.get("timeout").filter(|_| limit == Some(Duration::ZERO));
        loaded.notes.extend(limit.map(|limit| note.at(limit.span)));
    }
    if entry.members().is_some() {
        let origin = DefinitionOrigin::of_file(layer, dropped.or_else(|| distrust.cloned()));
        let definition = HookDefinition {
            timeout: Some(limit.unwrap_or(DEFAULT_TIMEOUT)),
            rejection: origin.refused.clone(),
            ..list_definition(loaded, LIST, entry, &origin)
        };
        loaded.definitions.push(definition);
    }
}

/// The hook of the same name that is read before, whether or not the agent trusts its directory.
fn find_twin(entry: &Node, loaded: &LoadedConfig) -> Option<Diagnostic> {
    let name = entry.get("name")?;
    let is_kept = |one: &HookDefinition| one.rejection.as_ref().is_none_or(|why| why.rung == RungName::Trusted);
    let first = loaded.definitions.iter().find(|one| one.name.as_deref() == name.as_str() && is_kept(one))?;
    let says = format!(
        "the hook in {}:{} has the name \"{}\", too",
        first.provenance.file,
        first.provenance.line,
        name.as_str()?
    );
    Some(Diagnostic::new(Code::HW115, says).at(name.span).with_help("give it a name of its own"))
}

/// The first fault of an entry, for which the agent drops it.
fn find_fault(entry: &Node) -> Option<Diagnostic> {
    if entry.members().is_none() {
        let says = format!("the hook is {}, not a table", entry.kind());
        return Some(Diagnostic::new(Code::HW105, says).at(entry.span).with_help("write command = \"…\""));
    }
    if let Some(misfit) = find_misfit(entry, &KEYS) {
        return Some(misfit);
    }
    let (kind, name) = entry.get("type").and_then(|kind| Some((kind, kind.as_str()?)))?;
    if EVENTS.by_name(name).is_none() {
        let (says, help) = unknown_event("Mistral Vibe", name, EVENTS.suggest(name));
        let says = says.trim_end_matches(['.', '?']);
        return Some(Diagnostic::new(Code::HW201, says).at(kind.span).with_help(help));
    }
    let is_on = |key: &Member| read_flag(&key.value.to_value()) == Some(true);
    let is_stray = |key: &&Member| key.key == "match" || key.key == "strict" && is_on(key);
    let stray = entry.members()?.iter().find(|key| name == "post_agent" && is_stray(key))?;
    let says = format!("a post_agent hook has no `{}`", stray.key);
    Some(Diagnostic::new(Code::HW108, says).at(stray.key_span).with_help("delete it"))
}

/// Another agent's `matcher`, or a key that is nearly one of this agent's.
fn ignored_key(member: &Member) -> Option<Diagnostic> {
    let (key, known) = (member.key.as_str(), KEYS.map(|rule| rule.key));
    let meant = if key == "matcher" { "match" } else { nearest(key, &known).filter(|known| *known != key)? };
    let effect = if meant == "match" { ", so this hook runs for every tool" } else { "" };
    Some(renamed_key("Mistral Vibe", member, meant, effect))
}
