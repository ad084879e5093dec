//! The settings files as syntax trees with spans, for rules about parts that the agents' readers skip.

use std::collections::HashSet;

use crate::config::{LayerFile, LayerState};
use crate::diagnostic::Fix;
use crate::dialects::{Agent, AgentContext, released};
use crate::lint::is_json;
use crate::text::edit::{RemovedGap, remove_element};
use crate::text::{Member, Node, SourceMap, parse_json};

/// A settings file that its agent accepts, or would accept once it is trusted.
pub(in crate::lint) struct SettingsTree {
    pub root: Node,
    /// Whether the events are members of the root.
    is_top_level: bool,
    /// Whether it is the settings file of another agent, which this one reads, too.
    pub is_foreign: bool,
}

/// Returns all JSON settings files.
pub(in crate::lint) fn settings_trees(at: &AgentContext<'_>) -> Vec<SettingsTree> {
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
            let own = at.dialect.hook_files(at.place, file.layer).into_iter().find(|own| own.path == file.path);
            let is_top_level = own.as_ref().is_some_and(|own| own.form.is_top_level);
            let has_file = |agent: &&Agent| agent.hook_files(at.place, file.layer).iter().any(|f| f.path == file.path);
            let is_foreign = own.is_none() && released().any(|agent| has_file(&agent));
            out.push(SettingsTree { root, is_top_level, is_foreign });
        }
    }
    out
}

impl SettingsTree {
    /// Returns the events of the file, including duplicates.
    pub fn events(&self) -> &[Member] {
        let hooks = if self.is_top_level { Some(&self.root) } else { self.root.get("hooks") };
        hooks.and_then(Node::members).unwrap_or(&[])
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
