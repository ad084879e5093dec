//! The settings files as syntax trees with spans, for rules about parts that the agents' readers skip.

use std::collections::HashSet;

use crate::config::{LayerFile, LayerState};
use crate::diagnostic::Fix;
use crate::dialects::AgentContext;
use crate::lint::is_json;
use crate::text::edit::{RemovedGap, remove_element};
use crate::text::{Member, Node, SourceMap, parse_json};

/// A settings file that its agent accepts, or would accept once it is trusted.
pub(super) struct SettingsTree {
    pub root: Node,
}

/// Returns all JSON settings files.
pub(super) fn settings_trees(at: &AgentContext<'_>) -> Vec<SettingsTree> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut out = Vec::new();
    let counts = |file: &&LayerFile| !matches!(file.state, LayerState::Absent | LayerState::Broken);
    for file in at.loaded.layers.iter().filter(counts) {
        let json = is_json(&file.path) && !seen.contains(file.path.as_str());
        let Some(source) = at.sources.by_path(&file.path).filter(|_| json) else { continue };
        seen.insert(&file.path);
        let mut syntax = at.dialect.settings_format().syntax;
        syntax.bom = true;
        if let Ok(root) = parse_json(source, at.sources.text(source), syntax) {
            out.push(SettingsTree { root });
        }
    }
    out
}

impl SettingsTree {
    /// Returns the events of the file, including duplicates.
    pub fn events(&self) -> &[Member] {
        self.root.get("hooks").and_then(Node::members).unwrap_or(&[])
    }
}

/// Returns the groups of an event.
pub(super) fn groups(event: &Node) -> impl Iterator<Item = &Node> {
    event.items().unwrap_or(&[]).iter().filter(|group| group.members().is_some())
}

/// Returns the handlers of a group.
pub(super) fn handlers(group: &Node) -> impl Iterator<Item = &Node> {
    group.get("hooks").and_then(Node::items).unwrap_or(&[]).iter().filter(|handler| handler.members().is_some())
}

/// Removes one member with the comma next to it.
pub(super) fn remove_member(sources: &SourceMap, object: &Node, index: usize) -> Fix {
    let source = object.span.source;
    let edits = remove_element(sources.text(source), object, index, RemovedGap::After);
    Fix { safe: false, source, edits, executable: false }
}
