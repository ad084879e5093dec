//! Removes hookbench's entries from a settings file.

use serde_json::Value;

use super::entries::{EntryPosition, entry_positions};
use super::trivia::{BLANK, comma, comments};
use super::{HookbenchEntry, MarkedText, SettingsEditError, Splice, find_entries, is_forward, read};
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
    let Some(root) = read(text, syntax)? else { return Ok(Value::Object(serde_json::Map::new())) };
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
    while let Some(root) = read(&text, syntax)? {
        let found = entry_positions(&root, program);
        let Some(cuts) = found.first().and_then(|place| removal_splices(&text, place)) else { break };
        let left = cuts.iter().fold(text.clone(), |text, splice| splice.apply_to(&text));
        if left.len() >= text.len() {
            break;
        }
        text = left;
    }
    Ok(text)
}

/// Returns the splices that remove an entry and the containers that would become empty.
fn removal_splices(text: &str, place: &EntryPosition<'_>) -> Option<Vec<Splice>> {
    let spans = |nodes: &[Node]| nodes.iter().map(|node| (node.span.start, node.span.end)).collect::<Vec<_>>();
    let whole = |node: &Node| (node.span.start, node.span.end);
    // Whether a container has no comments.
    let lonely = |around: &Member, (start, end): (usize, usize)| {
        let after = comments(text, end, around.value.span.end);
        comments(text, around.key_span.start, start).is_empty() && after.is_empty()
    };
    let members = place.root.members()?;
    let table = members.get(place.hooks)?;
    let events = table.value.members()?;
    let event = events.get(place.member)?;
    let groups = event.value.items()?;
    let group = groups.get(place.group)?;
    let handlers = group.get("hooks")?;
    if handlers.items()?.len() > 1 {
        return Some(remove_element(text, whole(handlers), &spans(handlers.items()?), place.index));
    }
    if groups.len() > 1 || !lonely(event, whole(group)) {
        return Some(remove_element(text, whole(&event.value), &spans(groups), place.group));
    }
    let of_members = |members: &[Member]| {
        members.iter().map(|member| (member.key_span.start, member.value.span.end)).collect::<Vec<_>>()
    };
    let all = of_members(events);
    if events.len() > 1 || !lonely(table, *all.get(place.member)?) {
        return Some(remove_element(text, whole(&table.value), &all, place.member));
    }
    Some(remove_element(text, whole(place.root), &of_members(members), place.hooks))
}

/// Removes one element of a list or object with its comma and the whitespace before it. Comments are kept. The
/// splices are ordered from the end of the text.
fn remove_element(text: &str, (open, close): (usize, usize), items: &[(usize, usize)], index: usize) -> Vec<Splice> {
    let Some((start, end)) = items.get(index).copied() else { return Vec::new() };
    let empty = |start: usize, end: usize| Splice { start, end, text: String::new() };
    let (open, close) = (open + 1, close - 1);
    if items.len() == 1 && text.get(open..start).zip(text.get(end..close)).is_some_and(|(a, b)| blank(a) && blank(b)) {
        return vec![empty(open, close)];
    }
    let before = index.checked_sub(1).and_then(|index| items.get(index)).map(|(_, end)| *end);
    let own = if index + 1 < items.len() { comma(text, end, close) } else { None };
    let others = if own.is_none() { before.and_then(|before| comma(text, before, start)) } else { None };
    // A comment between the element and its comma is kept.
    let apart = own.filter(|comma| !blank(text.get(end..*comma).unwrap_or("")));
    let upto = own.filter(|_| apart.is_none()).map_or(end, |comma| comma + 1);
    let lead = text.get(..start).map_or(start, |head| head.trim_end_matches(BLANK).len());
    // Text after a line comment must start on another line.
    let rest = text.get(upto..close).unwrap_or("");
    let behind = rest.starts_with(['\n', '\r']);
    let after_line = comments(text, before.unwrap_or(open), start).last().is_some_and(|c| c.line && c.end >= lead);
    let (from, upto) =
        if after_line && !behind { (start, close - rest.trim_start_matches([' ', '\t']).len()) } else { (lead, upto) };
    let comma = |at: usize| empty(at, at + 1);
    apart.map(comma).into_iter().chain([empty(from, upto)]).chain(others.map(comma)).collect()
}

fn blank(text: &str) -> bool {
    text.trim_matches(BLANK).is_empty()
}
