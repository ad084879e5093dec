//! HW209: a group that makes all hooks of its event run sequentially.

use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::hook::HookDefinition;
use crate::lint::intersection::fire_together;

/// Checks for events with `sequential` in one group but not in all.
pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    if !at.dialect.settings_format().group.contains(&KEY) {
        return Vec::new();
    }
    let in_order = |d: &&HookDefinition| d.group.get(KEY) == Some(&Value::Bool(true));
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    let events = at.dialect.events(at.version);
    for definition in at.loaded.definitions.iter().filter(|d| d.is_valid()).filter(in_order) {
        let event = definition.event.as_str();
        let known = events.iter().find(|spec| spec.name == event).filter(|_| !seen.contains(&event));
        let Some(spec) = known else { continue };
        let meets = |d: &&HookDefinition| {
            d.event == event && d.is_valid() && !in_order(d) && fire_together(at, spec, definition, d)
        };
        let other = at.loaded.definitions.iter().find(meets);
        let Some(other) = other else { continue };
        seen.push(event);
        let says = format!("`sequential` makes all hooks of {event} that match the same call run one after another");
        let place = format!("{}:{} is also affected", other.provenance.file, other.provenance.line);
        found.push(
            Diagnostic::new(Code::HW209, says)
                .at(definition.provenance.span)
                .with_note(place)
                .with_help("set it in all groups or in none"),
        );
    }
    found
}

const KEY: &str = "sequential";
