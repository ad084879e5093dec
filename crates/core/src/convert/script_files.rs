//! Hooks that are scripts: the check that replaces a matcher, and the file of a script.

use serde_json::{Map, Value, json};

use super::command::{quote_word, words_or_shell_line};
use super::converted_definition::{ConvertedDefinition, WrittenDefinition};
use super::name_map::REST;
use super::note::{ConversionNote, NoteCode};
use crate::config::{FileError, Files, Place};
use crate::dialects::settings_format::{HookFile, ListForm};
use crate::hook::EventSpec;
use crate::port::AgentVersion;
use crate::text::quote_literal;

/// The endings of scripts for `sh`, in the order in which they are taken. Agents run files in the order of their names, which
/// is the reverse.
const ENDINGS: [&str; 3] = [".sh", ".bash", ""];

/// A file with converted hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedFile {
    pub path: String,
    /// The current content. `None` if the file does not exist.
    pub before: Option<String>,
    /// The new content.
    pub after: String,
    pub executable: bool,
}

/// The text of a payload before the value that matchers are compared with. `None` if other values can be before it.
fn text_before_name(side: &AgentVersion, event: &EventSpec) -> Option<String> {
    let key = event.subject?;
    let examples = side.dialect.examples(event, &Place::default(), &side.version);
    let held = examples.into_iter().map(|example| example.body).find(|body| body.get(key).is_some())?;
    let (sent, name) = (side.dialect.sent_payload(event.name, &held), held.get(key)?);
    sent.as_object()?.iter().find_map(|(top, value)| {
        if value == name {
            return Some(format!("{}:", quote_literal(top)));
        }
        let (first, value) = value.as_object()?.iter().next()?;
        (value == name).then(|| format!("{}:{{{}:", quote_literal(top), quote_literal(first)))
    })
}

/// The script that runs the command of a handler on an event, for the names of the matcher. `None` if it cannot know the name.
pub(super) fn script_text(
    side: &AgentVersion,
    event: &EventSpec,
    matcher: Option<&str>,
    handler: &Map<String, Value>,
) -> Option<String> {
    let command = handler.get("command")?.as_str()?;
    let lines =
        matcher.map_or_else(|| Some(command.to_owned()), |names| checked_command(side, event, names, command))?;
    Some(ListForm::script(&json!({ "command": lines })))
}

/// The lines that run a command on an event for the names of a matcher only. `None` if a script cannot know the name.
pub fn checked_command(side: &AgentVersion, event: &EventSpec, matcher: &str, command: &str) -> Option<String> {
    let before = text_before_name(side, event)?;
    let pattern = |one: &str| {
        let name = match one.strip_suffix(REST) {
            Some(start) => quote_literal(start).trim_end_matches('"').to_owned(),
            None => quote_literal(one),
        };
        format!("*{}*", quote_word(&format!("{before}{name}")))
    };
    let patterns = matcher.split('|').map(pattern).collect::<Vec<_>>().join(" | ");
    Some(format!(
        "# {} has no matchers, so this script reads the name.\nevent=$(cat)\ncase $event in\n{patterns}) ;;\n\
         *) exit 0 ;;\nesac\nprintf '%s\\n' \"$event\" | {}",
        side.dialect.name(),
        words_or_shell_line(command)
    ))
}

/// The text of a file, which is empty if the file cannot be read. `None` if the file does not exist.
pub(crate) fn script_at(files: &dyn Files, path: &str) -> Option<String> {
    match files.read(path) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(FileError::Missing) => None,
        Err(FileError::Unreadable { .. }) => Some(String::new()),
    }
}

/// The file with a script, or else the first one that is free. `None` if all names of its event are taken.
pub fn file_for_script(usual: &HookFile, script: &str, text_at: impl Fn(&str) -> Option<String>) -> Option<String> {
    let paths = script_paths(usual);
    let with = |text: Option<&str>| paths.iter().find(|path| text_at(path).as_deref() == text).cloned();
    with(Some(script)).or_else(|| with(None))
}

/// The files that can be the script of an event.
fn script_paths(usual: &HookFile) -> [String; 3] {
    let stem = usual.path.rsplit_once('.').map_or(usual.path.as_str(), |(stem, _)| stem);
    ENDINGS.map(|ending| format!("{stem}{ending}"))
}

/// Why a command has no file, and the cure.
pub fn no_free_file(side: &AgentVersion, usual: &HookFile, event: &str, command: &str, place: &Place) -> String {
    let taken = place.display_path(&usual.path);
    format!(
        "{} has a hook in {taken} and in each file beside it for {event}; add `{command}` to one",
        side.dialect.name()
    )
}

/// Gives each script a file: the one that has it already, or else a free one. Returns the new files. A hook without a free file
/// is left out.
pub(super) fn place_scripts(
    side: &AgentVersion,
    items: &mut [ConvertedDefinition],
    usual_file: impl Fn(&str) -> HookFile,
    files: &dyn Files,
    place: &Place,
) -> Vec<ConvertedFile> {
    let mut new: Vec<ConvertedFile> = Vec::new();
    let mut events: Vec<String> = items.iter().flat_map(|item| &item.written).map(|one| one.event.clone()).collect();
    events.sort();
    events.dedup();
    for event in events {
        let usual = usual_file(&event);
        let mut there = script_paths(&usual).map(|path| (script_at(files, &path), path)).to_vec();
        let own = items.iter_mut().flat_map(|item| &mut item.written).filter(|written| written.event == event);
        let (repeats, mut homeless): (Vec<_>, Vec<_>) = own.partition(|written| written.exists);
        for written in &mut homeless {
            if let Some(index) = there.iter().position(|(text, _)| text.is_some() && *text == written.script) {
                (written.file, written.exists) = (Some(place.display_path(&there.remove(index).1)), true);
            }
        }
        let free = there.into_iter().filter(|(text, _)| text.is_none()).map(|(_, path)| path);
        let count = homeless.iter().filter(|written| written.file.is_none()).count();
        let mut free: Vec<String> = free.take(count).collect();
        for written in homeless.iter_mut().filter(|written| written.file.is_none()) {
            if let (Some(path), Some(after)) = (free.pop(), written.script.clone()) {
                written.file = Some(place.display_path(&path));
                new.push(ConvertedFile { path, before: None, after, executable: true });
            }
        }
        for repeat in repeats {
            let first = homeless.iter().find(|written| written.script == repeat.script);
            repeat.file = first.and_then(|first| first.file.clone());
        }
        for item in items.iter_mut() {
            let is_left_out = |written: &WrittenDefinition| written.event == event && written.file.is_none();
            let command = |written: &WrittenDefinition| written.handler.get("command")?.as_str().map(str::to_owned);
            let left_out = item.written.iter().filter(|written| is_left_out(written)).filter_map(command);
            let note = |command: String| no_free_file(side, &usual, &event, &command, place);
            let notes: Vec<_> = left_out.map(|one| ConversionNote::dropped(NoteCode::FileTaken, note(one))).collect();
            if !notes.is_empty() {
                item.limit = None;
            }
            item.notes.extend(notes);
            item.written.retain(|written| !is_left_out(written));
        }
    }
    new
}
