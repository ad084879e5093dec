//! HW111, HW114: the settings files as syntax trees with spans, and rules about parts that the agents' readers skip.

use std::collections::HashSet;

use crate::config::{LayerFile, LayerState};
use crate::diagnostic::{Code, Diagnostic, Fix};
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

/// HW114: a duplicate key, of which only the last one counts.
/// Checks `hooks`, events, and the keys of groups and handlers. Parsers do not report duplicates; the first value
/// is silently lost.
pub(super) fn check_duplicate_keys(at: &AgentContext<'_>, trees: &[SettingsTree]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for settings in trees {
        let root = settings.root.members().unwrap_or(&[]);
        let hooks: Vec<&Member> = root.iter().filter(|member| member.key == "hooks").collect();
        report_duplicates(at, &hooks, &mut found);
        report_duplicates(at, &settings.events().iter().collect::<Vec<_>>(), &mut found);
        for group in settings.events().iter().flat_map(|event| groups(&event.value)) {
            check_object(at, group, &mut found);
            handlers(group).for_each(|handler| check_object(at, handler, &mut found));
        }
    }
    found
}

fn check_object(at: &AgentContext<'_>, node: &Node, found: &mut Vec<Diagnostic>) {
    report_duplicates(at, &node.members().unwrap_or(&[]).iter().collect::<Vec<_>>(), found);
}

fn report_duplicates(at: &AgentContext<'_>, members: &[&Member], found: &mut Vec<Diagnostic>) {
    for (index, member) in members.iter().enumerate() {
        let Some(last) = members.iter().rposition(|other| other.key == member.key).filter(|last| *last > index) else {
            continue;
        };
        let line = members.get(last).map_or(0, |last| at.sources.start(last.key_span).line);
        let says = format!(
            "\"{}\" is defined twice, and only the last one counts (line {line}): this one is ignored",
            member.key
        );
        found.push(Diagnostic::new(Code::HW114, says).at(member.key_span).with_help("merge the two"));
    }
}

/// HW111: an event without hooks.
/// Checks for an empty list, or groups with only empty lists.
pub(super) fn check_empty_events(at: &AgentContext<'_>, trees: &[SettingsTree]) -> Vec<Diagnostic> {
    let known = at.dialect.events(at.version);
    let mut found = Vec::new();
    for settings in trees {
        let Some(events) = settings.root.get("hooks") else { continue };
        for (index, event) in settings.events().iter().enumerate() {
            if known.iter().any(|spec| spec.name == event.key) && is_empty_event(event) {
                let says = format!("{} has no hooks here, so nothing runs", event.key);
                let mut info = Diagnostic::new(Code::HW111, says).at(event.key_span).with_help("delete it");
                info.fix = Some(remove_member(at.sources, events, index));
                found.push(info);
            }
        }
    }
    found
}

fn is_empty_event(event: &Member) -> bool {
    let Some(items) = event.value.items() else { return false };
    // An invalid group is reported by another rule.
    let bare = |group: &Node| group.get("hooks").and_then(Node::items).is_some_and(<[Node]>::is_empty);
    groups(&event.value).flat_map(handlers).next().is_none() && items.iter().all(bare)
}
