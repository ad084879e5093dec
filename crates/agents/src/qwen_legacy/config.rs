//! Reads `hooks.yaml` of both versions, and the block `claudeHooks` of settings.

use std::time::Duration;

use serde_json::json;

use super::commands::{self, BareName, CommandScope};
use super::entries::{EntryList, ReadEntry};
use super::layers::{self, HooksFile, HooksFileFormat};
use super::{events, rules};
use crate::kernel::settings::{DefinitionOrigin, bare_definition};
use hookbench_base::config::{Files, LoadedConfig, Place, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::dialects::NEVER_RELEASED;
use hookbench_base::hook::{Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, stringify};

/// Keys of `hooks` that make a settings file one of this format.
const OWN_KEYS: [&str; 4] = ["claudeHooks", "timeoutMs", "enabled", "hooks"];

/// Reads every file for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let banner = format!("this agent is {NEVER_RELEASED}: no agent reads these files");
    loaded.notes.push(Diagnostic::new(Code::AgentUnreleased, banner));
    let all = layers::read(place, files, &mut loaded);
    let extra_dirs = extra_directories(&all);
    let scope = CommandScope { place, files, extra_dirs: &extra_dirs };
    let mut read = Vec::new();
    for file in &all {
        switch_off(file, &mut loaded);
        match file.format {
            HooksFileFormat::Yaml => add_yaml(file, &scope, &mut loaded, &mut read),
            HooksFileFormat::Settings => add_settings(file, &scope, &mut loaded, &mut read),
        }
    }
    let (definitions, errors): (Vec<HookDefinition>, Vec<Option<String>>) = read.into_iter().unzip();
    loaded.definitions = definitions;
    loaded.assign_ids();
    commands::keep_start_errors(&mut loaded, &errors);
    loaded
}

/// Directories outside of the project from which programs may run. Only the user's own settings can allow them.
fn extra_directories(all: &[HooksFile]) -> Vec<String> {
    let own = all.iter().filter(|file| file.layer == Layer::User);
    let lists = own.filter_map(|file| file.root.get("security")?.get("extra_hook_dirs")?.items());
    lists.flatten().filter_map(Node::as_str).filter(|dir| dir.starts_with('/')).map(str::to_owned).collect()
}

/// Records the switches of a settings file.
fn switch_off(file: &HooksFile, loaded: &mut LoadedConfig) {
    let enabled = file.root.get("hooks").and_then(|hooks| hooks.get("enabled"));
    let off = enabled.filter(|node| node.as_bool() == Some(false)).map(|node| ("hooks.enabled", node));
    let all_off = file.root.get("disableAllHooks").filter(|node| node.as_bool() == Some(true));
    for (name, node) in off.into_iter().chain(all_off.map(|node| ("disableAllHooks", node))) {
        let source = loaded.sources.name(node.span.source).to_owned();
        let message = format!("{source} switches every hook off");
        let value = node.to_value();
        let help = format!("delete `{name}`");
        loaded.notes.push(Diagnostic::new(Code::HW207, message.clone()).at(node.span).with_help(help));
        loaded.hooks_off.get_or_insert_with(|| message.clone());
        loaded.switches.push(Switch {
            name: name.to_owned(),
            value,
            set_by: Some(source),
            span: Some(node.span),
            message,
        });
    }
}

fn add_yaml(file: &HooksFile, scope: &CommandScope<'_>, loaded: &mut LoadedConfig, out: &mut Vec<ReadEntry>) {
    for member in file.root.members().unwrap_or(&[]) {
        if !matches!(member.key.as_str(), "version" | "hooks") {
            let message = format!("`{}` is not a key of hooks.yaml, so it has no effect", member.key);
            loaded.notes.push(Diagnostic::new(Code::HW113, message).at(member.key_span).with_help("delete it"));
        }
    }
    let bare = match read_version(&file.root, loaded) {
        Some(1) => BareName::ProjectThenPath,
        Some(_) => BareName::Path,
        None => return,
    };
    let Some(entries) = file.root.get("hooks").and_then(Node::items) else {
        let at = file.root.get("hooks").map_or(file.root.span, |node| node.span);
        let note = Diagnostic::new(Code::HW104, "`hooks` is not a list, so the file has no hooks").at(at);
        loaded.notes.push(note.with_help("write a list of entries with `event` and `command`"));
        return;
    };
    let list = EntryList { layer: file.layer, timeout: None, bare, scope };
    out.extend(entries.iter().filter_map(|entry| list.read(entry, loaded)));
}

/// Reads the major version. `None` if it is not supported; then nothing is loaded.
fn read_version(root: &Node, loaded: &mut LoadedConfig) -> Option<u32> {
    let Some(node) = root.get("version") else {
        let note = Diagnostic::lowered(Code::HW105, Severity::Warning, "`version` is missing; 1.0.0 is assumed");
        loaded.notes.push(note.at(root.span).with_help("add version: '2.0.0'"));
        return Some(1);
    };
    let text = node.as_str().map_or_else(|| stringify(&node.to_value()), str::to_owned);
    let major = text.split('.').next().and_then(|major| major.parse().ok());
    if let Some(known @ (1 | 2)) = major {
        return Some(known);
    }
    let message = format!("version {text} is not supported, so nothing of this file is loaded");
    loaded.notes.push(Diagnostic::new(Code::HW105, message).at(node.span).with_help("write version: '2.0.0'"));
    None
}

fn add_settings(file: &HooksFile, scope: &CommandScope<'_>, loaded: &mut LoadedConfig, out: &mut Vec<ReadEntry>) {
    let Some(hooks) = file.root.get("hooks").filter(|hooks| hooks.members().is_some()) else { return };
    let timeout = hooks.get("timeoutMs").and_then(|node| milliseconds(node, loaded));
    let list = EntryList { layer: file.layer, timeout, bare: BareName::ProjectThenPath, scope };
    let own = OWN_KEYS.iter().find(|key| hooks.get(key).is_some());
    for member in hooks.effective_members() {
        match member.key.as_str() {
            "claudeHooks" => {
                let Some(entries) = member.value.items() else {
                    let note = Diagnostic::new(Code::HW104, "`claudeHooks` is not a list, so it is ignored");
                    loaded.notes.push(note.at(member.value.span).with_help("write a list of entries"));
                    continue;
                };
                out.extend(entries.iter().filter_map(|entry| list.read(entry, loaded)));
            }
            "hooks" => {
                let items = member.value.items().unwrap_or(&[]);
                out.extend(items.iter().map(|item| (in_process(item, file.layer, scope, loaded), None)));
            }
            name if events::by_spelling(name).is_some() => {
                if let Some(own) = own {
                    let message = format!("`{own}` and groups under {name} are in one file; both are loaded");
                    let note = Diagnostic::lowered(Code::HW104, Severity::Warning, message).at(member.key_span);
                    loaded.notes.push(note.with_help("keep one of the two formats"));
                }
                for (group, hook) in handlers(&member.value) {
                    out.extend(list.read(&as_entry(&member.key, group, hook), loaded));
                }
            }
            _ => {}
        }
    }
}

/// The handlers in the groups of an event.
fn handlers(groups: &Node) -> impl Iterator<Item = (&Node, &Node)> {
    let groups = groups.items().unwrap_or(&[]).iter();
    groups
        .flat_map(|group| group.get("hooks").and_then(Node::items).unwrap_or(&[]).iter().map(move |hook| (group, hook)))
}

/// A handler of today's format as an entry: its event and matcher are beside its command.
fn as_entry(event: &str, group: &Node, hook: &Node) -> Node {
    use hookbench_base::text::{Member, NodeValue};
    let member = |key: &str, value: Node| Member { key: key.to_owned(), key_span: hook.span, value };
    let mut members = vec![member("event", Node { span: hook.span, value: NodeValue::String(event.to_owned()) })];
    members.extend(group.get("matcher").map(|matcher| member("matcher", matcher.clone())));
    members.extend(hook.members().unwrap_or(&[]).iter().filter(|member| member.key != "type").cloned());
    Node { span: hook.span, value: NodeValue::Object(members) }
}

/// Reads the timeout of the whole block in milliseconds.
fn milliseconds(node: &Node, loaded: &mut LoadedConfig) -> Option<Duration> {
    let limit = node.as_f64().filter(|number| *number > 0.0);
    let limit = limit.and_then(|number| Duration::try_from_secs_f64(number / 1000.0).ok());
    if limit.is_none() {
        let message = "`timeoutMs` is not a positive number, so the default applies";
        let note = Diagnostic::lowered(Code::HW105, Severity::Warning, message).at(node.span);
        loaded.notes.push(note.with_help("write a number of milliseconds"));
    }
    limit
}

/// A hook that runs inside the agent. It is listed, and never runs.
fn in_process(item: &Node, layer: Layer, scope: &CommandScope<'_>, loaded: &LoadedConfig) -> HookDefinition {
    let text = |key: &str| item.get(key).and_then(Node::as_str);
    let written = text("type").unwrap_or_default();
    let path = text("scriptPath");
    let refused = path.and_then(|path| scope.resolve(path, BareName::ProjectThenPath).error);
    let traversal = refused.filter(|why| why.starts_with("HB-E"));
    let what = if path.is_some() { "scriptPath" } else { "inlineScript" };
    let message = traversal
        .unwrap_or_else(|| format!("`{what}` is JavaScript that runs inside the agent, so hookbench does not run it"));
    let shown = json!({ "type": what, "command": path.unwrap_or("(inline script)") });
    let event = events::by_spelling(written).map_or(written, |event| event.name);
    let rejection = Some(Rejection::new(RungName::Command, rules::CONFIG_IN_PROCESS, message));
    let origin = DefinitionOrigin::of_file(layer, None);
    let definition = bare_definition(loaded, event, item.to_value(), item.span, Handler::Unknown(shown), &origin);
    HookDefinition { rejection, ..definition }
}
