//! Translates an event of one agent into the corresponding event of another: the event name, the tool and its input,
//! and all keys that both agents have. The rest is filled in as the other agent would send it. Notes list the data
//! that was dropped and the data that was made up. The correspondence of events and keys is data in an embedded file.

mod data;
mod event;
mod patch;
mod project_directory;
mod tool;

use serde_json::Value;

use crate::dialects::{self, Agent, Version};
use crate::text::nearest_within;
pub use data::{AgentWords, EventMapping, KeyRow, MappedEvent, mapping};
pub use event::{
    AgentVersion, MissingEvent, TranslatedEvent, TranslationNote, TranslationNoteKind, same_event, translate,
};
pub use patch::{PatchChange, parse_patch};
pub use project_directory::project_directory;
pub use tool::{command_of_any_agent, split_patch};

/// The keys that lead to the value of a held key. `None` if the agent does not send the value.
pub fn sent_path(agent: &Agent, event: &str, held: &Value, key: &str) -> Option<Vec<String>> {
    let (sent, value) = (agent.sent_payload(event, held), held.get(key)?);
    if sent.get(key) == Some(value) { Some(vec![key.to_owned()]) } else { path_to(&sent, value) }
}

fn path_to(inside: &Value, wanted: &Value) -> Option<Vec<String>> {
    inside.as_object()?.iter().find_map(|(key, value)| {
        let below = if value == wanted { Vec::new() } else { path_to(value, wanted)? };
        Some(std::iter::once(key.clone()).chain(below).collect())
    })
}

/// The event of this agent that was probably meant: the one that another agent calls by this name, else the closest name by
/// edit distance, one that contains the name or is contained in it, or one that begins with the same two words.
pub fn nearest_event(dialect: &Agent, version: &Version, name: &str) -> Option<String> {
    let elsewhere = mapping().rows.iter().find(|row| row.events.words().any(|own| own == name));
    if let Some(own) = elsewhere.and_then(|row| row.events.get(dialect.id().as_str()))
        && dialects::find_event(dialect, version, own).is_some()
    {
        return Some(own.to_owned());
    }
    let names: Vec<&str> = dialect.events(version).iter().map(|event| event.name).collect();
    let plain: Vec<String> = names.iter().map(|name| words_of(name).concat()).collect();
    let words = words_of(name);
    let wanted = words.concat();
    let spelled: Vec<&str> = plain.iter().map(String::as_str).collect();
    let near = nearest_within(&wanted, &spelled, 1 + wanted.len() / 6);
    let index = near.and_then(|near| spelled.iter().position(|spelled| *spelled == near)).or_else(|| {
        let is_part = |spelled: &&str| wanted.len() > 3 && (spelled.contains(&wanted) || wanted.contains(*spelled));
        spelled.iter().position(is_part)
    });
    let index = index.or_else(|| {
        let begins = |name: &&str| words.len() > 1 && words_of(name).get(..2) == words.get(..2);
        names.iter().position(begins)
    });
    index.and_then(|index| names.get(index)).map(|name| (*name).to_owned())
}

/// The words of a name in lower case: `PreToolUse` and `pre_tool_use` have the same ones.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    for c in name.chars() {
        let ends_word = !c.is_alphanumeric();
        if !ends_word && (begins || c.is_uppercase()) {
            words.push(String::new());
        }
        begins = ends_word;
        if let Some(word) = words.last_mut().filter(|_| !ends_word) {
            word.extend(c.to_lowercase());
        }
    }
    words
}
