//! Reads the hooks of every file, in the order in which they are configured (spec §2). One wrong item of a known event
//! makes the agent ignore all hooks of its file.

use std::collections::HashMap;

use serde_json::Value;

use super::layers::{self, HooksFile, Scope};
use super::{events, launch, rules};
use crate::kernel::settings::{DefinitionOrigin, SchemaError, command_problem, unknown_event, update_layer};
use crate::shared::gemini_fork::layers::definition;
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::settings_format::HookFile;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Member, Node};

/// Reads every file that Droid reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    for scope in layers::read(place, files, &mut loaded) {
        load_scope(&scope, &mut loaded);
    }
    loaded.assign_ids();
    loaded
}

/// Reads the files of one scope. For each event, the first accepted file that has it counts.
fn load_scope(scope: &Scope, loaded: &mut LoadedConfig) {
    // The file that counts, by event.
    let mut taken: HashMap<String, String> = HashMap::new();
    for file in &scope.files {
        let Some(hooks) = &file.hooks else { continue };
        let error = check_file(file, hooks, loaded);
        let skipped = error.map(|error| {
            let message = format!("{}, so every hook of this file is ignored", error.message);
            let at = loaded.sources.start(error.span);
            let place = format!("line {}: {message}", at.line);
            loaded.notes.push(error.note(message));
            update_layer(loaded, &file.path, LayerState::Broken, &place);
            Rejection::new(RungName::Parsed, rules::CONFIG_FILE_SKIPPED, place)
        });
        for event in hooks.effective_members() {
            let Some(groups) = event.value.items() else { continue };
            let replaced = taken.get(&event.key).map(|other| {
                let says = format!("{other} has hooks for {}, so Droid ignores those of this file", event.key);
                if skipped.is_none() && !groups.is_empty() {
                    let note = Diagnostic::new(Code::HW714, says.clone()).at(event.key_span);
                    loaded.notes.push(note.with_help(format!("move them to {other}")));
                }
                Rejection::new(RungName::LayerActive, rules::CONFIG_OTHER_FILE, says)
            });
            let refused = skipped.clone().or(replaced);
            let origin = DefinitionOrigin::of_file(file.layer, refused);
            for group in groups {
                for hook in group.get("hooks").and_then(Node::items).unwrap_or(&[]) {
                    let definition = read_hook(event, group, hook, &origin, loaded);
                    loaded.definitions.push(definition);
                }
            }
        }
        if skipped.is_none() {
            let shown = loaded.layers.iter().find(|layer| layer.path == file.path).map(|layer| layer.file.clone());
            let shown = shown.unwrap_or_else(|| file.path.clone());
            for event in hooks.effective_members() {
                taken.entry(event.key.clone()).or_insert_with(|| shown.clone());
            }
        }
    }
}

/// Returns the file of a layer whose hooks Droid reads for an event: the first that has the event, otherwise the settings.
pub fn file_for_event(place: &Place, files: &dyn Files, layer: Layer, event: &str) -> Option<HookFile> {
    let mut ignored = LoadedConfig::default();
    let scope = layers::read_scope(layer, &layers::layer_dir(place, layer)?, place, files, &mut ignored);
    let has_event = |file: &&HooksFile| {
        let hooks = file.hooks.as_ref();
        hooks.is_some_and(|hooks| hooks.get(event).is_some() && check_file(file, hooks, &mut ignored).is_none())
    };
    let found = scope.files.iter().find(has_event).map(|file| file.path.clone());
    let all = layers::hook_files(place, layer);
    found.and_then(|path| all.iter().find(|file| file.path == path).cloned()).or_else(|| all.into_iter().next())
}

/// Reports keys that are not events, and returns the first wrong item.
fn check_file(file: &HooksFile, hooks: &Node, loaded: &mut LoadedConfig) -> Option<SchemaError> {
    if file.is_top_level && hooks.get("hooks").is_some_and(|inner| inner.members().is_some()) {
        let at = hooks.member("hooks").map_or(hooks.span, |member| member.key_span);
        let message = "`hooks` is not an event: in this file, events are at top level, so these hooks are ignored";
        loaded.notes.push(Diagnostic::new(Code::HW104, message).at(at).with_help("delete the `hooks` level"));
    }
    if hooks.members().is_none() {
        // `"hooks": null` is the same as no hooks.
        let wrong = !hooks.to_value().is_null();
        return wrong.then(|| {
            SchemaError::new(
                Code::HW104,
                hooks.span,
                format!("`hooks` is {}, not an object", hooks.kind()),
                "write { \"PreToolUse\": [ … ] }",
            )
        });
    }
    for event in hooks.effective_members() {
        let is_wrapper = file.is_top_level && event.key == "hooks";
        if events::EVENTS.by_name(&event.key).is_none() && !is_wrapper {
            let (says, help) = unknown(&event.key);
            let message = format!("{says} Droid ignores it.");
            loaded.notes.push(Diagnostic::new(Code::HW201, message).at(event.key_span).with_help(help));
        }
    }
    let known = hooks.effective_members().into_iter().filter(|event| events::EVENTS.by_name(&event.key).is_some());
    known.into_iter().find_map(check_event)
}

fn check_event(event: &Member) -> Option<SchemaError> {
    let Some(groups) = event.value.items() else {
        let message = format!("the value of {} is {}, not a list", event.key, event.value.kind());
        return Some(SchemaError::new(
            Code::HW103,
            event.value.span,
            message,
            "write a list: [ { \"hooks\": [ … ] } ]",
        ));
    };
    groups.iter().find_map(check_group)
}

fn check_group(group: &Node) -> Option<SchemaError> {
    const GROUP: &str = "write { \"matcher\": \"…\", \"hooks\": [ … ] }";
    let Some(hooks) = group.get("hooks").and_then(Node::items) else {
        let message = if group.get("command").is_some() {
            "the handler is beside its matcher instead of in a `hooks` list"
        } else {
            "the `hooks` list is missing in this definition"
        };
        return Some(SchemaError::new(Code::HW103, group.span, message, GROUP));
    };
    if let Some(matcher) = group.get("matcher").filter(|matcher| matcher.as_str().is_none()) {
        let message = format!("the matcher is {}, not a string", matcher.kind());
        return Some(SchemaError::new(
            Code::HW102,
            matcher.span,
            message,
            "write a string, or delete the key to match everything",
        ));
    }
    hooks.iter().find_map(check_hook)
}

fn check_hook(hook: &Node) -> Option<SchemaError> {
    const COMMAND: &str = "write { \"type\": \"command\", \"command\": \"…\" }";
    if hook.members().is_none() {
        return Some(SchemaError::new(
            Code::HW105,
            hook.span,
            format!("the hook is {}, not an object", hook.kind()),
            COMMAND,
        ));
    }
    match hook.get("type").map(Node::to_value) {
        Some(Value::String(kind)) if kind == "command" => {}
        Some(Value::String(kind)) => {
            return Some(SchemaError::new(
                Code::HW106,
                hook.span,
                format!("the hook type `{kind}` does not run here"),
                COMMAND,
            ));
        }
        Some(_) => return Some(SchemaError::new(Code::HW106, hook.span, "the hook's `type` is not a string", COMMAND)),
        None => return Some(SchemaError::new(Code::HW106, hook.span, "`type` is missing in the hook", COMMAND)),
    }
    if let Some(message) = command_problem(hook) {
        let (at, help) = hook.get("command").map_or((hook.span, "add a `command`"), |command| (command.span, COMMAND));
        return Some(SchemaError::new(Code::HW105, at, message, help));
    }
    let timeout = hook.get("timeout").filter(|timeout| timeout.as_f64().is_none())?;
    let message = format!("`timeout` is {}, not a number", timeout.kind());
    Some(SchemaError::new(Code::HW501, timeout.span, message, "write seconds, such as 30"))
}

/// Returns the definition of a hook, and reports what the agent accepts but its author did not mean.
fn read_hook(
    event: &Member,
    group: &Node,
    hook: &Node,
    origin: &DefinitionOrigin,
    loaded: &mut LoadedConfig,
) -> HookDefinition {
    let raw = hook.to_value();
    let is_command = check_hook(hook).is_none();
    let command = hook.get("command").and_then(Node::as_str);
    let handler = match command.filter(|_| is_command) {
        Some(command) => Handler::Command(CommandHandler { command: command.to_owned(), ..CommandHandler::default() }),
        None => Handler::Unknown(raw.clone()),
    };
    let unknown = events::EVENTS
        .by_name(&event.key)
        .is_none()
        .then(|| Rejection::new(RungName::EventKnown, rules::CONFIG_UNKNOWN_EVENT, unknown(&event.key).0));
    let rejection = origin.refused.clone().or(unknown);
    if rejection.is_none() {
        report_accepted(&event.key, hook, loaded);
    }
    HookDefinition {
        timeout: launch::limit(raw.get("timeout")),
        rejection,
        ..definition(loaded, &event.key, group, hook, handler, origin)
    }
}

/// Reports an empty command and timeouts that are not what they look like.
fn report_accepted(event: &str, hook: &Node, loaded: &mut LoadedConfig) {
    if let Some(command) = hook.get("command").filter(|command| command.as_str() == Some("")) {
        let message = format!("`command` is empty: no answer of any hook counts when this one runs on {event}");
        let note = Diagnostic::new(Code::HW105, message).at(command.span);
        loaded.notes.push(note.with_help("delete the hook, or write a command"));
    }
    let Some((span, seconds)) = hook.get("timeout").and_then(|t| Some((t.span, t.as_f64()?))) else { return };
    let problem = match seconds {
        _ if seconds < 0.0 => "negative",
        _ if seconds > launch::LONGEST => "too long for a timer",
        _ => return,
    };
    let message = format!("the timeout is {problem}: the hook is killed at once, and only a quick one answers");
    loaded.notes.push(Diagnostic::new(Code::HW501, message).at(span).with_help("write seconds, such as 30"));
}

fn unknown(event: &str) -> (String, String) {
    unknown_event("Droid", event, events::EVENTS.suggest(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::place;
    use hookbench_base::config::MemoryFiles;
    use proptest::prelude::*;
    use serde_json::json;

    fn loaded(files: &[(&str, &str)]) -> LoadedConfig {
        let mut memory = MemoryFiles::default();
        for (path, text) in files {
            memory.put(*path, text);
        }
        load(&place(), &memory)
    }

    /// Returns the commands that can run, in order.
    fn commands(loaded: &LoadedConfig) -> Vec<String> {
        loaded.definitions.iter().filter(|d| d.rejection.is_none()).map(|d| d.handler.text()).collect()
    }

    fn hook(command: &str) -> String {
        format!(r#"[{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]"#)
    }

    #[test]
    fn files_of_a_scope_replace_each_other_by_event() {
        let top = |event: &str, command: &str| format!(r#"{{"{event}": {}}}"#, hook(command));
        let nested = |event: &str, command: &str| format!(r#"{{"hooks": {}}}"#, top(event, command));
        let (a, b, c) = (top("PreToolUse", "a"), top("PreToolUse", "b"), nested("PreToolUse", "c"));
        let stop = top("Stop", "s");
        for (files, want) in [
            (vec![("hooks.json", &a), ("hooks/hooks.json", &b), ("settings.json", &c)], vec!["a"]),
            (vec![("hooks/hooks.json", &b), ("settings.json", &c)], vec!["b"]),
            (vec![("hooks/hooks.json", &stop), ("settings.json", &c)], vec!["s", "c"]),
            // The older file is not read beside hooks.json, whatever that contains.
            (vec![("hooks.json", &stop), ("hooks/hooks.json", &b), ("settings.json", &c)], vec!["s", "c"]),
            (vec![("hooks.json", &"{".to_owned()), ("hooks/hooks.json", &b), ("settings.json", &c)], vec!["c"]),
            (vec![("hooks.json", &"{}".to_owned()), ("hooks/hooks.json", &b)], vec![]),
            (vec![("hooks.json", &stop), ("settings.json", &c)], vec!["s", "c"]),
            (vec![("hooks.json", &r#"{"PreToolUse": []}"#.to_owned()), ("settings.json", &c)], vec![]),
            (vec![("hooks.json", &"{".to_owned()), ("settings.json", &c)], vec!["c"]),
            (vec![("hooks.json", &c), ("settings.json", &c)], vec!["c"]),
            (vec![("settings.json", &a)], vec![]),
        ] {
            let paths: Vec<(String, &str)> =
                files.iter().map(|(name, text)| (format!("/p/.factory/{name}"), text.as_str())).collect();
            let files: Vec<(&str, &str)> = paths.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            assert_eq!(commands(&loaded(&files)), want, "{files:?}");
        }
        let both = loaded(&[("/h/.factory/hooks.json", &b), ("/p/.factory/settings.json", &c)]);
        assert_eq!(commands(&both), ["c", "b"]);
    }

    /// A hook that is added to the file of its event is read.
    #[test]
    fn the_file_for_a_new_hook_is_the_one_that_is_read() {
        let stop = |form: &str| form.replace('H', &format!(r#"{{"Stop": {}}}"#, hook("s")));
        let (top, nested) = (stop("H"), stop(r#"{"hooks": H}"#));
        let empty = r#"{"Stop": []}"#;
        for (files, stop_file) in [
            (vec![], "settings.json"),
            (vec![("settings.json", nested.as_str())], "settings.json"),
            (vec![("hooks.json", "{}"), ("settings.json", &nested)], "settings.json"),
            (vec![("hooks.json", &top), ("settings.json", &nested)], "hooks.json"),
            (vec![("hooks.json", empty)], "hooks.json"),
            (vec![("hooks.json", &nested)], "settings.json"),
            (vec![("hooks.json", "{"), ("hooks/hooks.json", &top)], "settings.json"),
            (vec![("hooks.json", r#"{"Stop": [], "SessionEnd": null}"#)], "settings.json"),
            (vec![("hooks/hooks.json", &top)], "hooks/hooks.json"),
        ] {
            for (layer, root) in [(Layer::Project, "/p"), (Layer::User, "/h")] {
                let mut memory = MemoryFiles::default();
                for (name, text) in &files {
                    memory.put(format!("{root}/.factory/{name}"), *text);
                }
                for (event, want) in [("Stop", stop_file), ("PreToolUse", "settings.json")] {
                    let found = file_for_event(&place(), &memory, layer, event).unwrap();
                    assert_eq!(found.path, format!("{root}/.factory/{want}"), "{files:?} {event}");
                    let mut memory = memory.clone();
                    let before = memory.read(&found.path).map(|bytes| String::from_utf8(bytes).unwrap());
                    let mut value: Value =
                        before.map_or_else(|_| json!({}), |text| serde_json::from_str(&text).unwrap());
                    let events = if found.form.is_top_level { &mut value } else { &mut value["hooks"] };
                    events[event] = serde_json::from_str(&hook("added")).unwrap();
                    memory.put(&found.path, value.to_string());
                    let loaded = load(&place(), &memory);
                    let added = loaded.definitions.iter().find(|definition| definition.handler.text() == "added");
                    assert_eq!(added.map(|added| added.rejection.is_none()), Some(true), "{files:?} {event}");
                }
            }
        }
        assert_eq!(file_for_event(&place(), &MemoryFiles::default(), Layer::Local, "Stop"), None);
    }

    #[test]
    fn one_wrong_item_loses_the_file() {
        for (item, code) in [
            (r#"{"type": "command"}"#, Code::HW105),
            (r#"{"type": "command", "command": ["x"]}"#, Code::HW105),
            (r#"{"command": "x"}"#, Code::HW106),
            (r#"{"type": "prompt", "prompt": "x"}"#, Code::HW106),
            (r#""x""#, Code::HW105),
            (r#"{"type": "command", "command": "x", "timeout": "5"}"#, Code::HW501),
            (r#"{"type": "command", "command": "x", "timeout": null}"#, Code::HW501),
        ] {
            let text = format!(r#"{{"hooks": {{"Stop": {}, "PreToolUse": [{{"hooks": [{item}]}}]}}}}"#, hook("s"));
            let loaded = loaded(&[("/p/.factory/settings.json", &text)]);
            assert_eq!(commands(&loaded), Vec::<String>::new(), "{item}");
            assert_eq!(loaded.notes.iter().map(|n| n.code).collect::<Vec<_>>(), [code], "{item}");
            assert!(
                loaded
                    .definitions
                    .iter()
                    .all(|d| d.rejection.as_ref().is_some_and(|r| r.rule == rules::CONFIG_FILE_SKIPPED))
            );
        }
        for (value, code) in [
            (r#"{"PreToolUse": null}"#, Some(Code::HW103)),
            (r#"{"PreToolUse": [null]}"#, Some(Code::HW103)),
            (r#"{"PreToolUse": [{"matcher": null, "hooks": []}]}"#, Some(Code::HW102)),
            (r#"{"PreToolUse": [{"type": "command", "command": "x"}]}"#, Some(Code::HW103)),
            (r#"{"Foo": null}"#, Some(Code::HW201)),
            (r#"{"PreToolUse": [{"hooks": []}]}"#, None),
            (r"[]", Some(Code::HW104)),
            (r"null", None),
        ] {
            let loaded = loaded(&[("/p/.factory/settings.json", &format!(r#"{{"hooks": {value}}}"#))]);
            assert_eq!(loaded.notes.first().map(|n| n.code), code, "{value}");
        }
    }

    /// A timer that is negative or overflows ends the hook at once; the hook still runs.
    #[test]
    fn a_timeout_that_is_over_at_once_is_named() {
        for (timeout, codes) in [("2147484", vec![Code::HW501]), ("-1", vec![Code::HW501]), ("2147483", vec![])] {
            let item = format!(r#"{{"type": "command", "command": "x", "timeout": {timeout}}}"#);
            let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{item}]}}]}}}}"#);
            let loaded = loaded(&[("/p/.factory/settings.json", &text)]);
            assert_eq!(loaded.notes.iter().map(|n| n.code).collect::<Vec<_>>(), codes, "{timeout}");
            assert_eq!(commands(&loaded), ["x"], "{timeout}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>) {
            let mut memory = MemoryFiles::default();
            memory.put("/p/.factory/hooks.json", bytes);
            let _ = load(&place(), &memory);
        }
    }
}
