//! Whether two hooks of an event can fire for the same subject.

use crate::dialects::{AgentContext, find_event};
use crate::hook::{EventSpec, HookDefinition, Subject};

/// Whether a known subject matches both hooks, each in the spelling of its event.
pub(super) fn fire_together(
    at: &AgentContext<'_>,
    event: &EventSpec,
    one: &HookDefinition,
    other: &HookDefinition,
) -> bool {
    if event.subject.is_none() || (one.event == other.event && one.matcher == other.matcher) {
        return true;
    }
    let fires = |definition: &HookDefinition, name: &str| {
        let own = find_event(at.dialect, at.version, &definition.event).unwrap_or(event);
        let name = at.dialect.tool_in_matchers(own.name, name);
        let subject = Subject { value: Some(name.to_owned()), aliases: Vec::new() };
        at.dialect.matches(own, definition.matcher.as_ref(), &subject, at.version) == Some(true)
    };
    event.subjects.iter().any(|name| fires(one, name) && fires(other, name))
}
