//! HW111: an event without hooks.

use super::settings_tree::{SettingsTree, groups, handlers, remove_member};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::text::{Member, Node};

/// Checks for an empty list, or groups with only empty lists.
pub(super) fn check(at: &AgentContext<'_>, trees: &[SettingsTree]) -> Vec<Diagnostic> {
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
