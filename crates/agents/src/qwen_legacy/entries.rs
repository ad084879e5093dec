//! One entry of a list of hooks: event, matcher, command, timeout and priority.

use std::time::Duration;

use serde_json::{Map, Value};

use super::commands::{BareName, CommandScope, FoundProgram};
use super::{events, matcher, rules};
use crate::kernel::settings::{DefinitionOrigin, bare_definition};
use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::dialects::settings_format::seconds;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, nearest};

/// The timeout of an entry without one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// Characters that a shell would interpret.
const SHELL_CHARACTERS: [char; 17] =
    ['\'', '"', '\\', '$', '`', ';', '&', '|', '<', '>', '(', ')', '*', '?', '[', '~', '#'];
const KEYS: [&str; 9] =
    ["event", "matcher", "command", "timeout", "priority", "enabled", "critical", "name", "description"];

/// The properties that the entries of one list share.
pub struct EntryList<'a> {
    pub layer: Layer,
    /// The timeout of the whole list.
    pub timeout: Option<Duration>,
    pub bare: BareName,
    pub scope: &'a CommandScope<'a>,
}

/// A definition, and the reason why its command cannot start.
pub type ReadEntry = (HookDefinition, Option<String>);

impl EntryList<'_> {
    /// Reads one entry. `None` if it is not an object; every other entry is kept, with the reason if it never runs.
    pub fn read(&self, entry: &Node, loaded: &mut LoadedConfig) -> Option<ReadEntry> {
        let mut notes = Vec::new();
        let Some(members) = entry.members() else {
            let message = format!("the entry is {}, but must be an object, so it is skipped", entry.kind());
            let help = "write { \"event\": \"PreToolUse\", \"command\": \"…\" }";
            loaded.notes.push(Diagnostic::new(Code::HW103, message).at(entry.span).with_help(help));
            return None;
        };
        for member in members.iter().filter(|member| !KEYS.contains(&member.key.as_str())) {
            let message = format!("`{}` is not a key of an entry, so it has no effect", member.key);
            let help =
                nearest(&member.key, &KEYS).map_or_else(|| "delete it".to_owned(), |k| format!("did you mean `{k}`?"));
            notes.push(Diagnostic::new(Code::HW113, message).at(member.key_span).with_help(help));
        }
        let mut raw = Map::new();
        raw.insert("type".to_owned(), Value::from("command"));
        let (event, unknown_event) = read_event(entry, &mut notes);
        let matcher = read_matcher(entry, &mut notes);
        let (handler, rejection, error) = self.read_command(entry, &mut raw, &mut notes);
        let timeout = read_timeout(entry, &mut notes).or(self.timeout);
        raw.extend(timeout.map(|limit| ("timeout".to_owned(), seconds(limit))));
        raw.extend(read_priority(entry, &mut notes).map(|priority| ("priority".to_owned(), priority)));
        let flag = |key: &str| entry.get(key).and_then(Node::as_bool);
        if flag("critical") == Some(true) {
            raw.insert("critical".to_owned(), Value::Bool(true));
        }
        let off = (flag("enabled") == Some(false)).then(|| {
            Rejection::new(RungName::LayerActive, rules::CONFIG_DISABLED, "`enabled` is false, so it does not run")
        });
        let origin = DefinitionOrigin::of_file(self.layer, None);
        let definition = HookDefinition {
            matcher,
            matcher_span: entry.get("matcher").map(|node| node.span),
            name: entry.get("name").and_then(Node::as_str).map(str::to_owned),
            timeout: Some(timeout.unwrap_or(DEFAULT_TIMEOUT)),
            rejection: off.or(unknown_event).or(rejection),
            ..bare_definition(loaded, &event, Value::Object(raw), entry.span, handler, &origin)
        };
        loaded.notes.extend(notes);
        Some((definition, error))
    }

    fn read_command(
        &self,
        entry: &Node,
        raw: &mut Map<String, Value>,
        notes: &mut Vec<Diagnostic>,
    ) -> (Handler, Option<Rejection>, Option<String>) {
        let Some(line) = entry.get("command").and_then(Node::as_str).filter(|line| !line.trim().is_empty()) else {
            let message = "`command` is missing or is not a text, so the entry is skipped";
            let at = entry.get("command").map_or(entry.span, |node| node.span);
            notes.push(Diagnostic::new(Code::HW105, message).at(at).with_help("add \"command\": \"…\""));
            let rejection = Rejection::new(RungName::Command, rules::CONFIG_INVALID_HOOK, message);
            return (Handler::Unknown(entry.to_value()), Some(rejection), None);
        };
        let found = self.scope.resolve(line, self.bare);
        self.add_command(line, &found, raw);
        let handler = CommandHandler { command: found.program, args: Some(found.args), ..CommandHandler::default() };
        (Handler::Command(handler), None, found.error)
    }
}

impl EntryList<'_> {
    /// Adds the command as an agent with a shell would have to write it: a program of the project with its directory, and
    /// arguments that a shell would interpret apart from the program.
    fn add_command(&self, line: &str, found: &FoundProgram, raw: &mut Map<String, Value>) {
        let own = found.program.strip_prefix(&self.scope.place.project).and_then(|rest| rest.strip_prefix('/'));
        let first = line.split_whitespace().next().unwrap_or_default();
        let bare = own.filter(|own| *own == first && !first.contains('/'));
        let program = bare.map_or_else(|| first.to_owned(), |own| format!("./{own}"));
        if found.error.is_none() && line.contains(SHELL_CHARACTERS) {
            raw.insert("command".to_owned(), Value::from(program));
            raw.insert("args".to_owned(), Value::from(found.args.clone()));
        } else {
            let rest = line.trim_start().strip_prefix(first).unwrap_or_default();
            raw.insert("command".to_owned(), Value::from(format!("{program}{rest}")));
        }
    }
}

/// Reads the name of the event, in any spelling.
fn read_event(entry: &Node, notes: &mut Vec<Diagnostic>) -> (String, Option<Rejection>) {
    let written = entry.get("event");
    let Some(name) = written.and_then(Node::as_str) else {
        let message = "`event` is missing or is not a text, so the entry is skipped";
        let at = written.map_or(entry.span, |node| node.span);
        notes.push(Diagnostic::new(Code::HW105, message).at(at).with_help("add \"event\": \"PreToolUse\""));
        return (String::new(), Some(Rejection::new(RungName::Parsed, rules::CONFIG_INVALID_HOOK, message)));
    };
    if let Some(event) = events::by_spelling(name) {
        return (event.name.to_owned(), None);
    }
    let known: Vec<&str> = events::EVENTS.events.iter().map(|event| event.name).collect();
    let near = nearest(name, &known);
    let meant = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let message = format!("the documents have no event \"{name}\", so this hook never runs{meant}");
    let help =
        near.map_or_else(|| "see `hookbench events --agent qwen-legacy`".to_owned(), |n| format!("rename it to {n}"));
    let at = written.map_or(entry.span, |node| node.span);
    notes.push(Diagnostic::new(Code::HW201, message.clone()).at(at).with_help(help));
    (name.to_owned(), Some(Rejection::new(RungName::EventKnown, rules::CONFIG_NO_EVENT, message)))
}

/// Reads the matcher as one text: the names of a list are joined by `|`.
fn read_matcher(entry: &Node, notes: &mut Vec<Diagnostic>) -> Option<Value> {
    let node = entry.get("matcher").filter(|node| node.kind() != "null")?;
    let texts = node.items().map(|items| items.iter().all(|item| item.as_str().is_some()));
    if texts == Some(false) || (texts.is_none() && node.as_str().is_none()) {
        let message = "the matcher is not a text or a list of texts, so only its texts count";
        let help = "write [\"Write\", \"Edit\"]";
        notes.push(Diagnostic::new(Code::HW102, message).at(node.span).with_help(help));
    }
    let names = matcher::names(Some(&node.to_value())).unwrap_or_default();
    for pattern in names.iter().filter(|name| matcher::is_pattern(name)) {
        let message = format!("\"{pattern}\" is a pattern, and these matchers are names, so it matches nothing");
        notes.push(
            Diagnostic::new(Code::HW311, message).at(node.span).with_help("list the names: [\"Write\", \"Edit\"]"),
        );
    }
    Some(Value::from(matcher::names(Some(&node.to_value())).map_or_else(|| "*".to_owned(), |names| names.join("|"))))
}

/// Reads the timeout in seconds.
fn read_timeout(entry: &Node, notes: &mut Vec<Diagnostic>) -> Option<Duration> {
    let node = entry.get("timeout")?;
    let limit =
        node.as_f64().filter(|number| *number > 0.0).and_then(|number| Duration::try_from_secs_f64(number).ok());
    if limit.is_none() {
        let message = "the timeout is not a positive number, so the default applies";
        let note = Diagnostic::lowered(Code::HW105, Severity::Warning, message).at(node.span);
        notes.push(note.with_help("write a number of seconds"));
    }
    limit
}

/// Reads the priority, if it is a number.
fn read_priority(entry: &Node, notes: &mut Vec<Diagnostic>) -> Option<Value> {
    let node = entry.get("priority")?;
    let number = node.as_f64().filter(|number| number.is_finite());
    if number.is_none() {
        let message = "the priority is not a number, so it counts as 0";
        let note = Diagnostic::lowered(Code::HW105, Severity::Warning, message).at(node.span);
        notes.push(note.with_help("write a number; the lowest runs first"));
    }
    number.map(|_| node.to_value())
}
