//! Adds hookbench's entries to a settings file.

use serde_json::{Map, Value, json};

use super::{GroupAddition, MarkedText, SettingsEditError, addition_edits, find_entries};
use crate::dialects::settings_format::FileForm;
use crate::text::edit::{EditError, TextEdit, member_text};
use crate::text::{quote_literal, stringify};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    Added,
    /// It existed with another command or another time limit.
    Updated,
    Unchanged,
    Removed,
}

impl EntryState {
    /// The word used in documents.
    pub fn word(self) -> &'static str {
        match self {
            EntryState::Added => "added",
            EntryState::Updated => "updated",
            EntryState::Unchanged => "there",
            EntryState::Removed => "removed",
        }
    }
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
            let command = quote_literal(&want.command);
            updates.push(TextEdit::replace(entry.command_span.start, entry.command_span.end, command));
        }
        let timeout = stringify(&want.timeout);
        match &entry.timeout {
            Some((value, _)) if *value == want.timeout => {}
            Some((_, span)) => updates.push(TextEdit::replace(span.start, span.end, timeout)),
            None => {
                let member = format!(", {}", member_text("timeout", &timeout));
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
