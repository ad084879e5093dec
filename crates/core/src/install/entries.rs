//! hookbench's entries in a settings file.

use serde_json::Value;

use super::{SettingsEditError, is_forward, read_settings};
use crate::dialects::settings_format::FileForm;
use crate::text::{Node, Span};

/// One of hookbench's entries.
#[derive(Debug, Clone, PartialEq)]
pub struct HookbenchEntry {
    pub event: String,
    pub command: String,
    pub command_span: Span,
    pub timeout: Option<(Value, Span)>,
}

/// Returns hookbench's entries in the order of the file. If a key occurs twice, the entries under both are
/// returned.
///
/// # Errors
/// Returns an error if the file cannot be parsed.
pub fn find_entries(text: &str, form: FileForm, program: &str) -> Result<Vec<HookbenchEntry>, SettingsEditError> {
    let root = read_settings(text, form.syntax)?;
    let mut out = Vec::new();
    for place in root.as_ref().map(|root| entry_positions(root, form, program)).unwrap_or_default() {
        let Some(command) = place.handler.get("command") else { continue };
        out.push(HookbenchEntry {
            event: place.event.to_owned(),
            command: command.as_str().unwrap_or_default().to_owned(),
            command_span: command.span,
            timeout: place.handler.get("timeout").map(|node| (node.to_value(), node.span)),
        });
    }
    Ok(out)
}

/// The position of one of hookbench's handlers: its index in each enclosing object and list.
pub struct EntryPosition<'a> {
    pub event: &'a str,
    pub root: &'a Node,
    /// The index of `hooks`. `None` if the events are at top level.
    pub hooks: Option<usize>,
    pub member: usize,
    pub group: usize,
    pub index: usize,
    pub handler: &'a Node,
}

/// Returns the positions of hookbench's handlers.
pub fn entry_positions<'a>(root: &'a Node, form: FileForm, program: &str) -> Vec<EntryPosition<'a>> {
    let below_hooks = root.members().into_iter().flatten().enumerate().filter(|(_, member)| member.key == "hooks");
    let tables: Vec<(Option<usize>, &Node)> = if form.is_top_level {
        vec![(None, root)]
    } else {
        below_hooks.map(|(index, member)| (Some(index), &member.value)).collect()
    };
    let mut out = Vec::new();
    for (hooks, table) in tables {
        for (member, event) in table.members().into_iter().flatten().enumerate() {
            for (group, node) in event.value.items().into_iter().flatten().enumerate() {
                let handlers = node.get("hooks").and_then(Node::items).into_iter().flatten();
                let ours = handlers.enumerate().filter(|(_, handler)| is_hookbench_handler(handler, program));
                out.extend(ours.map(|(index, handler)| EntryPosition {
                    event: &event.key,
                    root,
                    hooks,
                    member,
                    group,
                    index,
                    handler,
                }));
            }
        }
    }
    out
}

/// Whether a handler is one of hookbench's.
pub fn is_hookbench_handler(handler: &Node, program: &str) -> bool {
    handler.get("command").and_then(Node::as_str).is_some_and(|command| is_forward(command, program))
}
