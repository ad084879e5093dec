//! Adds hookbench's entries to a settings file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::installed_entries::{EntryPosition, entry_positions};
use super::{
    GroupAddition, HookbenchEntry, SettingsEditError, addition_edits, find_entries, is_forward, read_settings,
};
use crate::convert::entry_removal;
use crate::dialects::settings_format::{FileForm, FileLanguage};
use crate::text::edit::{EditError, EditSet, RemovedGap, TextEdit, comments, member_text, remove_element};
use crate::text::{Member, Node, quote_literal, stringify};

/// An entry to install.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedEntry {
    pub event: String,
    pub command: String,
    /// In the agent's unit.
    pub timeout: Value,
}

impl WantedEntry {
    fn group(&self) -> Value {
        let mut handler = Map::new();
        handler.insert("type".to_owned(), Value::from("command"));
        handler.insert("command".to_owned(), Value::from(self.command.as_str()));
        handler.insert("timeout".to_owned(), self.timeout.clone());
        json!({ "hooks": [handler] })
    }
}

/// The state of an entry after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    Added,
    /// It existed with another command or another time limit.
    Updated,
    #[serde(rename = "there")]
    Unchanged,
    Removed,
}

/// A settings file with hookbench's entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    pub marked: MarkedText,
    /// In the order of the wanted entries.
    pub states: Vec<EntryState>,
}

/// Adds entries to a settings file. An existing hookbench entry on the same event is updated. The rest of the file
/// is unchanged.
///
/// # Errors
/// Returns an error if the file cannot be parsed, or if it does not have the shape that entries can be added to.
pub fn insert_entries(
    mut marked: MarkedText,
    form: FileForm,
    program: &str,
    wanted: &[WantedEntry],
) -> Result<Insertion, SettingsEditError> {
    let own = find_entries(&marked.text, form, program)?;
    let (mut states, mut updates, mut additions) = (Vec::new(), Vec::new(), Vec::new());
    for want in wanted {
        let Some(entry) = own.iter().find(|entry| entry.event == want.event) else {
            additions.push(GroupAddition { event: want.event.clone(), group: want.group() });
            states.push(EntryState::Added);
            continue;
        };
        let made = updates.len();
        if entry.command != want.command {
            let is_script = form.script.is_some();
            let command = if is_script { want.command.clone() } else { quote_literal(&want.command) };
            updates.push(TextEdit::replace(entry.command_span.start, entry.command_span.end, command));
        }
        let timeout = stringify(&want.timeout);
        match &entry.timeout {
            Some((value, _)) if *value == want.timeout => {}
            // A script cannot set its limit.
            None if form.script.is_some() => {}
            Some((_, span)) => updates.push(TextEdit::replace(span.start, span.end, timeout)),
            None => {
                let line = marked.text.get(..entry.command_span.start).and_then(|head| head.rsplit('\n').next());
                let line = line.unwrap_or_default();
                let member = match form.language() {
                    FileLanguage::Toml => format!("\ntimeout = {timeout}"),
                    FileLanguage::Yaml if !line.contains('{') => {
                        format!("\n{}timeout: {timeout}", " ".repeat(line.find("command").unwrap_or_default()))
                    }
                    _ => format!(", {}", member_text("timeout", &timeout)),
                };
                updates.push(TextEdit::insert(entry.command_span.end, member));
            }
        }
        states.push(if updates.len() > made { EntryState::Updated } else { EntryState::Unchanged });
    }
    updates.extend(addition_edits(&marked.text, form, &additions)?.iter().cloned());
    let misfit = |why: EditError| SettingsEditError::at("", 0, why.to_string());
    marked.apply(&updates.into_iter().collect()).map_err(misfit)?;
    Ok(Insertion { marked, states })
}

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
        (foreign_content(&without, form, program).ok()? == rest).then_some(without)
    });
    Ok(match exact {
        Some(text) => Removal { text, removed, exact: true },
        None => Removal { text: without_entries(text.to_owned(), form, program)?, removed, exact: false },
    })
}

/// Returns the content of a file without hookbench's entries.
pub(super) fn foreign_content(text: &str, form: FileForm, program: &str) -> Result<Value, SettingsEditError> {
    let Some(root) = read_settings(text, form)? else { return Ok(Value::Object(Map::new())) };
    let mut root = root.to_value();
    let Some(members) = root.as_object_mut() else { return Ok(root) };
    if form.list.is_some() {
        if let Some(hooks) = members.get_mut("hooks") {
            remove_entries_of(hooks, program);
            if is_empty(hooks) {
                members.remove("hooks");
            }
        }
    } else if form.is_top_level {
        remove_handlers(members, program);
    } else if let Some(Value::Object(events)) = members.get_mut("hooks") {
        remove_handlers(events, program);
        if events.is_empty() {
            members.remove("hooks");
        }
    }
    Ok(root)
}

/// Removes hookbench's entries from a list, or from a list for each event.
fn remove_entries_of(hooks: &mut Value, program: &str) {
    match hooks {
        Value::Array(entries) => entries.retain(|entry| !is_own(entry, program)),
        Value::Object(events) => {
            events.values_mut().for_each(|entries| remove_entries_of(entries, program));
            events.retain(|_, entries| !is_empty(entries));
        }
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}

/// Removes hookbench's handlers from the lists of events, with the groups and events that become empty.
fn remove_handlers(events: &mut Map<String, Value>, program: &str) {
    for groups in events.values_mut().filter_map(Value::as_array_mut) {
        for group in groups.iter_mut() {
            let handlers = group.get_mut("hooks").and_then(Value::as_array_mut);
            let Some(handlers) = handlers else { continue };
            let before = handlers.len();
            handlers.retain(|handler| !is_own(handler, program));
            if handlers.is_empty() && before > 0 {
                *group = Value::Null;
            }
        }
        groups.retain(|group| !group.is_null());
    }
    events.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
}

/// Whether a handler is one of hookbench's.
fn is_own(handler: &Value, program: &str) -> bool {
    handler.get("command").and_then(Value::as_str).is_some_and(|command| is_forward(command, program))
}

/// Removes hookbench's entries on some events, and records the removal. Returns the removed entries.
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
    while let Some(root) = read_settings(&marked.text, form)? {
        let found = entry_positions(&root, form, program);
        let place = found.iter().find(|place| is_removed(place.event));
        let edits = place.and_then(|place| removal_edits(&marked.text, form, place)).unwrap_or_default();
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
fn removal_edits(text: &str, form: FileForm, entry: &EntryPosition<'_>) -> Option<EditSet> {
    if form.script.is_some() {
        return Some(EditSet::from_iter([TextEdit::replace(0, text.len(), "")]));
    }
    if let Some(list) = form.list {
        return entry_removal(text, entry.root, list, entry.handler);
    }
    let EntryPosition { root, place, .. } = entry;
    // Whether a container has no comments.
    let lonely = |around: &Member, start: usize, end: usize| {
        let after = comments(text, end, around.value.span.end);
        comments(text, around.key_span.start, start).is_empty() && after.is_empty()
    };
    let remove = |container: &Node, index: usize| Some(remove_element(text, container, index, RemovedGap::Before));
    let table = place.hooks.and_then(|index| root.members()?.get(index));
    let all = table.map_or(*root, |table| &table.value);
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
        Some(hooks) => remove(root, hooks),
        None => remove(all, place.member),
    }
}

/// A text with its inserted parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedText {
    pub text: String,
    /// The edits that restore the original text, one for each inserted part.
    pub pieces: EditSet,
}

impl MarkedText {
    /// Creates a text without inserted parts.
    pub fn new(text: impl Into<String>) -> MarkedText {
        MarkedText { text: text.into(), pieces: EditSet::default() }
    }

    /// Applies changes and records them. Pieces that they touch are merged with them.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the edits do not fit the text.
    pub fn apply(&mut self, edits: &EditSet) -> Result<(), EditError> {
        let changed = edits.apply(&self.text)?;
        self.pieces = edits.inverse(&self.text).then(&self.pieces);
        self.text = changed;
        Ok(())
    }

    /// Returns the text before the first insertion, or the text itself if the pieces do not fit it.
    pub fn original_text(&self) -> String {
        self.pieces.apply(&self.text).unwrap_or_else(|_| self.text.clone())
    }

    /// Returns the same pieces in a newer version of the text. `None` if the change touches a piece, or if the
    /// text has changed both before and after a piece.
    pub fn rebase(&self, now: &str) -> Option<MarkedText> {
        let alike = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
            a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let before = alike(&mut self.text.chars(), &mut now.chars());
        let shorter = self.text.len().min(now.len());
        let behind = alike(&mut self.text.chars().rev(), &mut now.chars().rev()).min(shorter - before);
        let pieces = self.pieces.iter().map(|piece| {
            if piece.end <= before {
                return Some(piece.clone());
            }
            let moved = |place: usize| (place + now.len()).checked_sub(self.text.len());
            let within = piece.start >= self.text.len() - behind;
            within.then(|| Some(TextEdit::replace(moved(piece.start)?, moved(piece.end)?, piece.text.as_str())))?
        });
        Some(MarkedText { text: now.to_owned(), pieces: pieces.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn splice(start: usize, end: usize, text: &str) -> EditSet {
        EditSet::from_iter([TextEdit::replace(start, end, text)])
    }

    #[test]
    fn pieces_become_one_and_move() {
        let mut text = MarkedText::new("abcdef");
        text.apply(&splice(4, 5, "XY")).unwrap();
        text.apply(&splice(1, 1, "--")).unwrap();
        text.apply(&splice(3, 3, "+")).unwrap();
        assert_eq!(text.text, "a--+bcdXYf");
        let piece = |start, end, was: &str| TextEdit::replace(start, end, was);
        assert_eq!(*text.pieces, [piece(1, 4, ""), piece(7, 9, "e")]);
        // Covers both pieces and the text between them.
        text.apply(&splice(2, 8, "!")).unwrap();
        assert_eq!((text.text.as_str(), &*text.pieces), ("a-!Yf", &[piece(1, 4, "bcde")][..]));
        assert_eq!(text.original_text(), "abcdef");
    }

    #[test]
    fn foreign_changes() {
        let mut text = MarkedText::new("one two three");
        text.apply(&splice(3, 3, " and")).unwrap();
        text.apply(&splice(11, 11, ",")).unwrap();
        assert_eq!(text.text, "one and two, three");
        for (now, want) in [
            ("one and two, three", Some("one two three")),
            ("one and two, threé and four", Some("one two threé and four")),
            ("1 and two, three", Some("1 two three")),
            ("one and deux, three", Some("one deux three")),
            ("one or two, three", None),
            // Changes on both sides of a piece.
            ("1 and two, 3", None),
            ("one two three", None),
            ("", None),
        ] {
            let found = text.rebase(now).map(|marked| marked.original_text());
            assert_eq!(found.as_deref(), want, "{now}");
        }
    }

    proptest! {
        #[test]
        fn insertions_can_be_reverted(
            text in "[a-zé]{0,20}",
            changes in prop::collection::vec((0usize..60, 0usize..60, "[A-Zü]{0,4}"), 0..8),
        ) {
            let mut marked = MarkedText::new(text.clone());
            for (a, b, put) in changes {
                let places: Vec<usize> =
                    (0..=marked.text.len()).filter(|at| marked.text.is_char_boundary(*at)).collect();
                let (a, b) = (places[a % places.len()], places[b % places.len()]);
                let change = splice(a.min(b), a.max(b), &put);
                let want = change.apply(&marked.text).unwrap();
                marked.apply(&change).unwrap();
                prop_assert_eq!(&marked.text, &want);
                prop_assert_eq!(marked.original_text(), text.clone());
            }
            prop_assert_eq!(marked.rebase(&marked.text), Some(marked.clone()));
        }
    }
}
