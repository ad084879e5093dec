//! Reads the hooks of the user's settings (spec §1). One fault in one entry makes the agent drop all of them.

use std::time::Duration;

use super::events::EVENTS;
use super::formats::{LIST, SETTINGS_FORMAT};
use super::rules;
use crate::kernel::settings::{
    BrokenEffect, DefinitionOrigin, delete_line, list_definition, read_layer, report_ignored, unknown_event,
    update_layer, user_directory,
};
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, Span, nearest};

/// The keys of an entry.
const KEYS: [&str; 4] = ["event", "command", "matcher", "timeout"];
/// The limit of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest limit, in seconds.
pub const LONGEST: f64 = 600.0;
/// The variable with the directory of the user's settings.
pub const HOME_VARIABLE: &str = "KIMI_CODE_HOME";

/// Files that look like configuration but that the agent does not read, below the project and the home directory.
const IGNORED: [&str; 6] = [
    ".kimi-code/config.toml",
    ".kimi-code/local.toml",
    ".kimi-code/hooks.toml",
    ".kimi-code/settings.json",
    ".kimi/config.toml",
    ".claude/settings.json",
];

/// The directory of the user's settings.
pub fn user_dir(place: &Place) -> String {
    user_directory(place, HOME_VARIABLE, ".kimi-code")
}

/// The only file with hooks.
pub fn settings_file(place: &Place) -> String {
    format!("{}/config.toml", user_dir(place))
}

/// Whether the settings exist.
pub fn is_configured(place: &Place, files: &dyn Files) -> bool {
    files.exists(&settings_file(place))
}

/// A fault, for which the agent drops all hooks.
struct Fault {
    code: Code,
    span: Span,
    message: String,
    help: String,
    /// The key that causes it, if that is one too many.
    stray_key: Option<usize>,
}

fn fault(code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault { code, span, message: message.into(), help: help.into(), stray_key: None }
}

/// Reads the file that Kimi Code reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let path = settings_file(place);
    let form = SETTINGS_FORMAT.form();
    let parse = |source, text: &str| form.parse(source, text);
    let broken =
        |broken| BrokenEffect::of_language("TOML", broken, "no model is configured and the agent does not start", true);
    let root = read_layer(place, files, (Layer::User, &path), parse, broken, &mut loaded);
    if let Some(hooks) = root.as_ref().and_then(|root| root.get("hooks")) {
        read_hooks(hooks, &path, &mut loaded);
    }
    let why = "Kimi Code reads hooks only from the config.toml of the user; it has no hooks of a project";
    for directory in [&place.project, &place.home] {
        for name in IGNORED {
            let ignored = format!("{directory}/{name}");
            if ignored != path {
                report_ignored(&mut loaded, place, files, &ignored, why);
            }
        }
    }
    loaded.assign_ids();
    loaded
}

fn read_hooks(hooks: &Node, path: &str, loaded: &mut LoadedConfig) {
    let entries = hooks.items().unwrap_or_default();
    let fault = match hooks.items() {
        Some(items) => items.iter().find_map(|item| Some((Some(item), find_fault(item)?))),
        None => {
            let says = format!("`hooks` is {}, not a list", hooks.kind());
            Some((None, fault(Code::HW104, hooks.span, says, "write a table [[hooks]] for each hook, with its event")))
        }
    };
    let refused = fault.map(|(entry, fault)| {
        let message = format!("{}, so Kimi Code drops all hooks of this file", fault.message);
        let note = Diagnostic::new(fault.code, message.clone()).at(fault.span).with_help(fault.help);
        let key = entry.and_then(Node::members).zip(fault.stray_key).and_then(|(members, key)| members.get(key));
        let fix = key.map(|key| delete_line(&loaded.sources, key));
        loaded.notes.push(fix.into_iter().fold(note, Diagnostic::with_fix));
        let place = format!("line {}: {message}", loaded.sources.start(fault.span).line);
        update_layer(loaded, path, LayerState::Broken, &place);
        Rejection::new(RungName::Parsed, rules::CONFIG_FILE_SKIPPED, place)
    });
    let origin = DefinitionOrigin::of_file(Layer::User, refused);
    for entry in entries.iter().filter(|entry| entry.members().is_some()) {
        let timeout = entry.get("timeout").and_then(Node::as_f64).filter(|seconds| (1.0..=LONGEST).contains(seconds));
        let definition = HookDefinition {
            timeout: Some(timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs_f64)),
            rejection: origin.refused.clone(),
            ..list_definition(loaded, LIST, entry, &origin)
        };
        loaded.definitions.push(definition);
    }
}

/// The first fault of an entry.
fn find_fault(entry: &Node) -> Option<Fault> {
    const COMMAND: &str = "write command = \"…\"";
    const LIMIT: &str = "write whole seconds from 1 to 600, such as 30";
    let Some(members) = entry.members() else {
        return Some(fault(Code::HW105, entry.span, format!("the hook is {}, not a table", entry.kind()), COMMAND));
    };
    if let Some((index, key)) = members.iter().enumerate().find(|(_, member)| !KEYS.contains(&member.key.as_str())) {
        let meant = nearest(&key.key, &KEYS).map(|meant| format!("rename it to `{meant}`, or delete it"));
        let help = meant.unwrap_or_else(|| "delete it".to_owned());
        let message = format!("a hook has no key `{}`", key.key);
        return Some(Fault { stray_key: Some(index), ..fault(Code::HW108, key.key_span, message, help) });
    }
    match entry.get("event") {
        Some(event) => match event.as_str() {
            Some(name) if EVENTS.by_name(name).is_some() => {}
            Some(name) => {
                let (says, help) = unknown_event("Kimi Code", name, EVENTS.suggest(name));
                return Some(fault(Code::HW201, event.span, says.trim_end_matches(['.', '?']), help));
            }
            None => {
                let message = format!("`event` is {}, not a string", event.kind());
                return Some(fault(Code::HW105, event.span, message, "write event = \"PreToolUse\""));
            }
        },
        None => {
            return Some(fault(
                Code::HW105,
                entry.span,
                "`event` is missing in the hook",
                "add event = \"PreToolUse\"",
            ));
        }
    }
    match entry.get("command").map(|command| (command, command.as_str())) {
        Some((_, Some(text))) if !text.is_empty() => {}
        Some((command, Some(_))) => return Some(fault(Code::HW105, command.span, "`command` is empty", COMMAND)),
        Some((command, None)) => {
            let message = format!("`command` is {}, not a string", command.kind());
            return Some(fault(Code::HW105, command.span, message, COMMAND));
        }
        None => return Some(fault(Code::HW105, entry.span, "`command` is missing in the hook", COMMAND)),
    }
    if let Some(matcher) = entry.get("matcher").filter(|matcher| matcher.as_str().is_none()) {
        let message = format!("the matcher is {}, not a string", matcher.kind());
        return Some(fault(Code::HW102, matcher.span, message, "write a string, or delete the key"));
    }
    let timeout = entry.get("timeout")?;
    match timeout.as_f64() {
        Some(seconds) if seconds.fract() == 0.0 && (1.0..=LONGEST).contains(&seconds) => None,
        Some(_) => Some(fault(Code::HW501, timeout.span, "`timeout` is not a whole number from 1 to 600", LIMIT)),
        None => Some(fault(Code::HW501, timeout.span, format!("`timeout` is {}, not a number", timeout.kind()), LIMIT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::{file, place};
    use proptest::prelude::*;

    const SETTINGS: &str = "/h/.kimi-code/config.toml";
    const GOOD: &str = "[[hooks]]\nevent = \"Stop\"\ncommand = \"s\"\n";

    /// One fault drops all hooks, at the line of its key, and a key that is one too many can be deleted.
    #[test]
    fn one_fault_drops_all_hooks() {
        for (lines, code, line, help) in [
            ("event = \"Stop\"\ncommand = \"x\"\ntype = \"command\"", Code::HW108, 7, "delete it"),
            (
                "event = \"Stop\"\ncommand = \"x\"\nmatchr = \"a\"",
                Code::HW108,
                7,
                "rename it to `matcher`, or delete it",
            ),
            ("event = \"preToolUse\"\ncommand = \"x\"", Code::HW201, 5, "rename it to PreToolUse"),
            ("event = 5\ncommand = \"x\"", Code::HW105, 5, "write event = \"PreToolUse\""),
            ("command = \"x\"", Code::HW105, 4, "add event = \"PreToolUse\""),
            ("event = \"Stop\"", Code::HW105, 4, "write command = \"…\""),
            ("event = \"Stop\"\ncommand = \"\"", Code::HW105, 6, "write command = \"…\""),
            ("event = \"Stop\"\ncommand = \"x\"\nmatcher = 5", Code::HW102, 7, "write a string, or delete the key"),
            (
                "event = \"Stop\"\ncommand = \"x\"\ntimeout = 601",
                Code::HW501,
                7,
                "write whole seconds from 1 to 600, such as 30",
            ),
            (
                "event = \"Stop\"\ncommand = \"x\"\ntimeout = 1.5",
                Code::HW501,
                7,
                "write whole seconds from 1 to 600, such as 30",
            ),
        ] {
            let text = format!("{GOOD}[[hooks]]\n{lines}\n");
            let loaded = load(&place(), &file(SETTINGS, &text));
            let note = &loaded.notes[0];
            let at = loaded.sources.start(note.span.unwrap()).line;
            assert_eq!((note.code, at, note.help.as_deref()), (code, line, Some(help)), "{lines}");
            assert!(loaded.definitions.iter().all(|one| one.rejection.is_some()), "{lines}");
            if let Some(fix) = &note.fix {
                let fixed = fix.edits.apply(&text).unwrap();
                let loaded = load(&place(), &file(SETTINGS, &fixed));
                assert!(loaded.definitions.iter().all(|one| one.rejection.is_none()), "{fixed}");
            }
        }
    }

    #[test]
    fn other_shapes_and_places() {
        for (text, code, state) in [
            ("[hooks]\nStop = []\n", Some(Code::HW104), LayerState::Broken),
            ("hooks = \"x\"", Some(Code::HW104), LayerState::Broken),
            ("hooks = [1]", Some(Code::HW105), LayerState::Broken),
            ("a = ", Some(Code::HW101), LayerState::Broken),
            ("hooks = []", None, LayerState::Read),
            ("", None, LayerState::Read),
        ] {
            let loaded = load(&place(), &file(SETTINGS, text));
            assert_eq!((loaded.notes.first().map(|note| note.code), loaded.layers[0].state), (code, state), "{text}");
        }
        let mut moved = place();
        moved.env.insert(HOME_VARIABLE.to_owned(), "/m".to_owned());
        assert_eq!(load(&moved, &file("/m/config.toml", GOOD)).definitions.len(), 1);
        let ignored = load(&moved, &file(SETTINGS, GOOD));
        assert_eq!((ignored.definitions.len(), ignored.ignored_files.len()), (0, 1));
        let limits = "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\ntimeout = 5\n";
        let limits = load(&place(), &file(SETTINGS, format!("{GOOD}{limits}")));
        let limits: Vec<Option<Duration>> = limits.definitions.iter().map(|one| one.timeout).collect();
        assert_eq!(limits, [Some(DEFAULT_TIMEOUT), Some(Duration::from_secs(5))]);
    }

    proptest! {
        #[test]
        fn never_panics(text: String) {
            let _ = load(&place(), &file(SETTINGS, text));
        }
    }
}
