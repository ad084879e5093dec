//! The event that was probably meant by a name that an agent does not have.

use super::mapping;
use crate::dialects::{self, Agent, Version};
use crate::text::nearest_within;

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
