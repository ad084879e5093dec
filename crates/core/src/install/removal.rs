//! Removes hookbench's entries from a settings file.

use serde_json::Value;

use super::entries::{EntryPosition, entry_positions};
use super::{HookbenchEntry, MarkedText, SettingsEditError, find_entries, is_forward, read_settings};
use crate::text::edit::{EditSet, RemovedGap, comments, remove_element};
use crate::text::{JsonSyntax, Member, Node};

/// A settings file without hookbench's entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Removal {
    pub text: String,
    /// The removed entries.
    pub removed: Vec<HookbenchEntry>,
    /// Whether the inserted text is known exactly, so that nothing else was changed.
    pub exact: bool,
}

/// Removes every hookbench entry from a file, with the groups and events that become empty. `known` is the
/// recorded insertion, if there is one.
///
/// # Errors
/// Returns an error if the file cannot be parsed.
pub fn remove_entries(
    text: &str,
    syntax: JsonSyntax,
    program: &str,
    known: Option<&MarkedText>,
) -> Result<Removal, SettingsEditError> {
    let removed = find_entries(text, syntax, program)?;
    if removed.is_empty() {
        return Ok(Removal { text: text.to_owned(), removed, exact: true });
    }
    let rest = foreign_content(text, syntax, program)?;
    let exact = known.and_then(|known| known.rebase(text)).and_then(|marked| {
        // Entries that were there before the insertion are removed too.
        let without = remove_one_by_one(marked.original_text(), syntax, program).ok()?;
        (self::foreign_content(&without, syntax, program).ok()? == rest).then_some(without)
    });
    Ok(match exact {
        Some(text) => Removal { text, removed, exact: true },
        None => Removal { text: remove_one_by_one(text.to_owned(), syntax, program)?, removed, exact: false },
    })
}

/// Returns the content of a file without hookbench's entries.
pub(super) fn foreign_content(text: &str, syntax: JsonSyntax, program: &str) -> Result<Value, SettingsEditError> {
    let Some(root) = read_settings(text, syntax)? else { return Ok(Value::Object(serde_json::Map::new())) };
    let mut root = root.to_value();
    let Some(members) = root.as_object_mut() else { return Ok(root) };
    if let Some(Value::Object(events)) = members.get_mut("hooks") {
        for groups in events.values_mut().filter_map(Value::as_array_mut) {
            for group in groups.iter_mut() {
                let handlers = group.get_mut("hooks").and_then(Value::as_array_mut);
                let Some(handlers) = handlers else { continue };
                let before = handlers.len();
                let own = |handler: &Value| {
                    handler.get("command").and_then(Value::as_str).is_some_and(|command| is_forward(command, program))
                };
                handlers.retain(|handler| !own(handler));
                if handlers.is_empty() && before > 0 {
                    *group = Value::Null;
                }
            }
            groups.retain(|group| !group.is_null());
        }
        events.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
        if events.is_empty() {
            members.remove("hooks");
        }
    }
    Ok(root)
}

/// Removes one entry after the other. The file is parsed again each time, because every cut moves the offsets.
fn remove_one_by_one(mut text: String, syntax: JsonSyntax, program: &str) -> Result<String, SettingsEditError> {
    while let Some(root) = read_settings(&text, syntax)? {
        let found = entry_positions(&root, program);
        let edits = found.first().and_then(|place| removal_edits(&text, place)).unwrap_or_default();
        match edits.apply(&text) {
            Ok(left) if left.len() < text.len() => text = left,
            _ => break,
        }
    }
    Ok(text)
}

/// Returns the edits that remove an entry and the containers that would become empty.
fn removal_edits(text: &str, place: &EntryPosition<'_>) -> Option<EditSet> {
    // Whether a container has no comments.
    let lonely = |around: &Member, start: usize, end: usize| {
        let after = comments(text, end, around.value.span.end);
        comments(text, around.key_span.start, start).is_empty() && after.is_empty()
    };
    let remove = |container: &Node, index: usize| Some(remove_element(text, container, index, RemovedGap::Before));
    let table = place.root.members()?.get(place.hooks)?;
    let events = table.value.members()?;
    let event = events.get(place.member)?;
    let groups = event.value.items()?;
    let group = groups.get(place.group)?;
    let handlers = group.get("hooks")?;
    if handlers.items()?.len() > 1 {
        return remove(handlers, place.index);
    }
    if groups.len() > 1 || !lonely(event, group.span.start, group.span.end) {
        return remove(&event.value, place.group);
    }
    if events.len() > 1 || !lonely(table, event.key_span.start, event.value.span.end) {
        return remove(&table.value, place.member);
    }
    remove(place.root, place.hooks)
}
