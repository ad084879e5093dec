//! Removes hookbench's entries from a settings file.

use serde_json::{Map, Value};

use super::entries::{EntryPosition, entry_positions};
use super::{HookbenchEntry, MarkedText, SettingsEditError, find_entries, is_forward, read_settings};
use crate::dialects::settings_format::FileForm;
use crate::text::edit::{EditSet, RemovedGap, comments, remove_element};
use crate::text::{Member, Node};

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
    form: FileForm,
    program: &str,
    known: Option<&MarkedText>,
) -> Result<Removal, SettingsEditError> {
    let removed = find_entries(text, form, program)?;
    if removed.is_empty() {
        return Ok(Removal { text: text.to_owned(), removed, exact: true });
    }
    let rest = foreign_content(text, form, program)?;
    let exact = known.and_then(|known| known.rebase(text)).and_then(|marked| {
        // Entries that were there before the insertion are removed too.
        let without = without_entries(marked.original_text(), form, program).ok()?;
        (self::foreign_content(&without, form, program).ok()? == rest).then_some(without)
    });
    Ok(match exact {
        Some(text) => Removal { text, removed, exact: true },
        None => Removal { text: without_entries(text.to_owned(), form, program)?, removed, exact: false },
    })
}

/// Returns the content of a file without hookbench's entries.
pub(super) fn foreign_content(text: &str, form: FileForm, program: &str) -> Result<Value, SettingsEditError> {
    let Some(root) = read_settings(text, form.syntax)? else { return Ok(Value::Object(Map::new())) };
    let mut root = root.to_value();
    let Some(members) = root.as_object_mut() else { return Ok(root) };
    if form.is_top_level {
        remove_handlers(members, program);
    } else if let Some(Value::Object(events)) = members.get_mut("hooks") {
        remove_handlers(events, program);
        if events.is_empty() {
            members.remove("hooks");
        }
    }
    Ok(root)
}

/// Removes hookbench's handlers from the lists of events, with the groups and events that become empty.
fn remove_handlers(events: &mut Map<String, Value>, program: &str) {
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
}

/// Removes hookbench's entries on some events, and records the removal. Returns the removed entries.
///
/// # Errors
/// Returns an error if the file cannot be parsed.
pub fn remove_events(
    marked: &mut MarkedText,
    form: FileForm,
    program: &str,
    events: &[&str],
) -> Result<Vec<HookbenchEntry>, SettingsEditError> {
    let found = find_entries(&marked.text, form, program)?;
    let removed: Vec<_> = found.into_iter().filter(|entry| events.contains(&entry.event.as_str())).collect();
    if !removed.is_empty() {
        remove_one_by_one(marked, form, program, &|event| events.contains(&event))?;
    }
    Ok(removed)
}

/// Removes one entry after the other. The file is parsed again each time, because every cut moves the offsets.
fn remove_one_by_one(
    marked: &mut MarkedText,
    form: FileForm,
    program: &str,
    is_removed: &dyn Fn(&str) -> bool,
) -> Result<(), SettingsEditError> {
    while let Some(root) = read_settings(&marked.text, form.syntax)? {
        let found = entry_positions(&root, form, program);
        let place = found.iter().find(|place| is_removed(place.event));
        let edits = place.and_then(|place| removal_edits(&marked.text, place)).unwrap_or_default();
        let before = marked.text.len();
        if marked.apply(&edits).is_err() || marked.text.len() >= before {
            break;
        }
    }
    Ok(())
}

/// Returns the text without any of hookbench's entries.
fn without_entries(text: String, form: FileForm, program: &str) -> Result<String, SettingsEditError> {
    let mut marked = MarkedText::new(text);
    remove_one_by_one(&mut marked, form, program, &|_| true)?;
    Ok(marked.text)
}

/// Returns the edits that remove an entry and the containers that would become empty.
fn removal_edits(text: &str, place: &EntryPosition<'_>) -> Option<EditSet> {
    // Whether a container has no comments.
    let lonely = |around: &Member, start: usize, end: usize| {
        let after = comments(text, end, around.value.span.end);
        comments(text, around.key_span.start, start).is_empty() && after.is_empty()
    };
    let remove = |container: &Node, index: usize| Some(remove_element(text, container, index, RemovedGap::Before));
    let table = place.hooks.and_then(|index| place.root.members()?.get(index));
    let all = table.map_or(place.root, |table| &table.value);
    let events = all.members()?;
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
    let is_alone = |table: &&Member| events.len() == 1 && lonely(table, event.key_span.start, event.value.span.end);
    match place.hooks.filter(|_| table.as_ref().is_some_and(is_alone)) {
        Some(hooks) => remove(place.root, hooks),
        None => remove(all, place.member),
    }
}
