//! HW111: an event without hooks.

use super::settings::{self, groups, handlers, leave_out};
use crate::diagnostic::Diagnostic;
use crate::dialects::Whole;
use crate::text::{Member, Node};

/// Checks for an empty list, or groups with only empty lists.
pub(super) fn look(at: &Whole<'_>) -> Vec<Diagnostic> {
    let known = at.dialect.events(at.version);
    let mut found = Vec::new();
    for settings in settings::all(at) {
        for (index, event) in settings.events().iter().enumerate() {
            if known.iter().any(|spec| spec.name == event.key) && empty(event) {
                let says = format!("{} has no hooks here, so nothing runs", event.key);
                let mut info = Diagnostic::info("HW111", says).at(event.key_span).help("leave it out");
                info.fix = leave_out(settings.events(), index);
                found.push(info);
            }
        }
    }
    found
}

fn empty(event: &Member) -> bool {
    let Some(items) = event.value.items() else { return false };
    // An invalid group is reported by another rule.
    let bare = |group: &Node| group.get("hooks").and_then(Node::items).is_some_and(<[Node]>::is_empty);
    groups(&event.value).flat_map(handlers).next().is_none() && items.iter().all(bare)
}
