//! Putting entries in.

use serde_json::{Map, Value, json};

use super::{Addition, Marked, NotEditable, Splice, own_entries, splices};
use crate::text::{Syntax, stringify};

/// An entry that is to be there.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    pub event: String,
    pub command: String,
    /// In the agent's own unit.
    pub timeout: Value,
}

impl Wanted {
    fn group(&self) -> Value {
        let mut handler = Map::new();
        handler.insert("type".to_owned(), Value::from("command"));
        handler.insert("command".to_owned(), Value::from(self.command.as_str()));
        handler.insert("timeout".to_owned(), self.timeout.clone());
        json!({ "hooks": [handler] })
    }
}

/// What becomes of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    Added,
    /// It was there with another command or another time limit.
    Updated,
    There,
    Removed,
}

impl EntryState {
    /// The word of the documents.
    pub fn word(self) -> &'static str {
        match self {
            EntryState::Added => "added",
            EntryState::Updated => "updated",
            EntryState::There => "there",
            EntryState::Removed => "removed",
        }
    }
}

/// A settings file with our entries in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    pub marked: Marked,
    /// In the order in which they were wanted.
    pub states: Vec<EntryState>,
}

/// Puts entries into a settings file. Where an event has one of ours already, that one is brought up to date; what else is
/// in the file stays as it is.
///
/// # Errors
/// When the file cannot be read, or is not of a shape to which entries can be added.
pub fn put_in(mut marked: Marked, syntax: Syntax, program: &str, wanted: &[Wanted]) -> Result<Put, NotEditable> {
    let own = own_entries(&marked.text, syntax, program)?;
    let (mut states, mut updates, mut additions) = (Vec::new(), Vec::new(), Vec::new());
    for want in wanted {
        let Some(entry) = own.iter().find(|entry| entry.event == want.event) else {
            additions.push(Addition { event: want.event.clone(), group: want.group() });
            states.push(EntryState::Added);
            continue;
        };
        let made = updates.len();
        if entry.command != want.command {
            let text = stringify(&Value::from(want.command.as_str()));
            updates.push(Splice { start: entry.command_span.start, end: entry.command_span.end, text });
        }
        let timeout = stringify(&want.timeout);
        match &entry.timeout {
            Some((value, _)) if *value == want.timeout => {}
            Some((_, span)) => updates.push(Splice { start: span.start, end: span.end, text: timeout }),
            None => {
                let at = entry.command_span.end;
                updates.push(Splice { start: at, end: at, text: format!(", \"timeout\": {timeout}") });
            }
        }
        states.push(if updates.len() > made { EntryState::Updated } else { EntryState::There });
    }
    // From behind, so that no place moves; of two at one place the command comes last.
    updates.sort_by_key(|splice| std::cmp::Reverse((splice.start, splice.end)));
    for splice in &updates {
        marked.apply(splice);
    }
    for splice in splices(&marked.text, syntax, &additions)? {
        marked.apply(&splice);
    }
    Ok(Put { marked, states })
}
