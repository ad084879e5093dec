//! Hooks that are files: a file of a folder whose name is an event, alone or with an ending, is a hook of that event.

use std::time::Duration;

use super::events::EventTable;
use super::settings::{DefinitionOrigin, bare_definition, direct_handler, record_layer};
use crate::shared::javascript::compare_texts;
use hookbench_base::config::{FileError, Files, LayerState, LoadedConfig, Place, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{HookDefinition, Layer};
use hookbench_base::text::Span;
use serde_json::json;

/// How an agent reads its folders of hooks.
pub struct ScriptRules {
    /// The agent's name.
    pub agent: &'static str,
    pub events: &'static EventTable,
    /// The endings that a name can have, beside none.
    pub endings: &'static [&'static str],
    /// The event of a name without its ending.
    pub event_of: fn(stem: &str) -> Option<&'static str>,
    /// The program and the arguments that run a file with this content.
    pub words: fn(path: &str, text: &str) -> Vec<String>,
    /// The time limit on an event. `None` if the agent does not wait for the hook.
    pub limit: fn(event: &str) -> Option<Duration>,
    /// Names that the agent reads but for which it fires nothing.
    pub silent: &'static [&'static str],
}

/// Splits the name of a file into its stem and its ending, which begins with a dot or is empty.
fn split_ending(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    }
}

/// The event whose hook a file of this name is.
pub fn event_of_file(name: &str, rules: &ScriptRules) -> Option<&'static str> {
    let (stem, ending) = split_ending(name);
    let is_run = ending.is_empty() || rules.endings.contains(&ending);
    (rules.event_of)(stem).filter(|_| is_run)
}

/// Reads the hooks of folders. The agent runs those of one event in the order of their paths.
pub fn load_folders(
    loaded: &mut LoadedConfig,
    place: &Place,
    files: &dyn Files,
    folders: &[(Layer, String)],
    rules: &ScriptRules,
) {
    for (layer, folder) in folders {
        let before = loaded.layers.len();
        for name in files.list(folder) {
            read_entry(loaded, place, files, (*layer, folder), &name, rules);
        }
        if loaded.layers.len() == before {
            record_layer(loaded, place, *layer, folder, LayerState::Absent, None);
        }
    }
    let LoadedConfig { definitions, sources, .. } = loaded;
    definitions.sort_by(|one, other| {
        let path = |hook: &HookDefinition| sources.path(hook.provenance.span.source);
        compare_texts(path(one), path(other))
    });
    loaded.assign_ids();
}

fn read_entry(
    loaded: &mut LoadedConfig,
    place: &Place,
    files: &dyn Files,
    (layer, folder): (Layer, &str),
    name: &str,
    rules: &ScriptRules,
) {
    let path = format!("{folder}/{name}");
    let Some(event) = event_of_file(name, rules) else {
        loaded.notes.extend(misnamed(name, rules).map(|note| note.in_file(place.display_path(&path))));
        return;
    };
    let unread = |why: &str, help: &str| {
        let message = format!("{} does not read this file: {why}, so {event} has no hook here", rules.agent);
        Diagnostic::new(Code::HW107, message).in_file(place.display_path(&path)).with_help(help)
    };
    let is_link = || {
        let place = files.canonical(folder).map(|real| format!("{real}/{name}"));
        place.is_some() && place != files.canonical(&path)
    };
    let text = match read_settings(files, &path) {
        _ if !files.list(&path).is_empty() => {
            loaded.notes.push(unread("it is a directory", "move the script out of the directory"));
            return;
        }
        _ if is_link() => {
            loaded.notes.push(unread("it is a symbolic link", "put a script there that starts the other file"));
            return;
        }
        Err(FileError::Missing) => return,
        Err(FileError::Unreadable { why, help }) => {
            let note = Diagnostic::new(Code::HW101, format!("the file cannot be read ({why}), so the hook fails"));
            loaded.notes.push(note.in_file(place.display_path(&path)).with_help(help));
            record_layer(loaded, place, layer, &path, LayerState::Broken, Some(why));
            return;
        }
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    record_layer(loaded, place, layer, &path, LayerState::Read, None);
    let source = loaded.add_source(place, &path, &text);
    let words = (rules.words)(&path, &text);
    let (Some(handler), [command, args @ ..]) = (direct_handler(words.clone()), words.as_slice()) else { return };
    let first_line = Span::new(source, 0, text.find('\n').unwrap_or(text.len()));
    let raw = json!({ "type": "command", "command": command, "args": args });
    let limit = (rules.limit)(event);
    let origin = DefinitionOrigin::of_file(layer, None);
    let definition = HookDefinition {
        name: Some(name.to_owned()),
        timeout: limit,
        detached: limit.is_none(),
        ..bare_definition(loaded, event, raw, first_line, handler, &origin)
    };
    loaded.definitions.push(definition);
}

/// The finding about a file whose name is near that of an event.
fn misnamed(name: &str, rules: &ScriptRules) -> Option<Diagnostic> {
    let (stem, ending) = split_ending(name);
    let agent = rules.agent;
    if let Some(silent) = rules.silent.iter().find(|silent| silent.eq_ignore_ascii_case(stem)) {
        let message = format!("{agent} reads hooks of {silent}, but never fires it");
        return Some(Diagnostic::new(Code::HW201, message).with_help("see `hookbench events`"));
    }
    if (rules.event_of)(stem).is_some() {
        let message = format!("{agent} does not read this file: it runs no hook whose name ends in `{ending}`");
        let endings = rules.endings.join(", ");
        let help = format!("rename it to {stem}, or let it end in one of {endings}");
        return Some(Diagnostic::new(Code::HW107, message).with_help(help));
    }
    let meant = rules.events.suggest(stem)?;
    let message = format!("{agent} has no event \"{stem}\", so it does not run this file; did you mean {meant}?");
    Some(Diagnostic::new(Code::HW201, message).with_help(format!("rename it to {meant}")))
}
