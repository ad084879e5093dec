//! Whether two hooks of an event can fire for the same subject.

use crate::dialects::AgentContext;
use crate::hook::{EventSpec, HookDefinition, Subject};

/// Whether a known subject matches both hooks.
pub(super) fn fire_together(
    at: &AgentContext<'_>,
    event: &EventSpec,
    one: &HookDefinition,
    other: &HookDefinition,
) -> bool {
    if event.subject.is_none() || one.matcher == other.matcher {
        return true;
    }
    let fires = |definition: &HookDefinition, subject: &Subject| {
        at.dialect.matches(event, definition.matcher.as_ref(), subject, at.version) == Some(true)
    };
    event.subjects.iter().any(|name| {
        let subject = Subject { value: Some((*name).to_owned()), aliases: Vec::new() };
        fires(one, &subject) && fires(other, &subject)
    })
}
