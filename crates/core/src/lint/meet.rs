//! Whether two hooks of an event are started by the same thing.

use crate::dialects::Whole;
use crate::hook::{EventSpec, HookDefinition, Subject};

/// Whether something that is known sets off both.
pub(super) fn meet(at: &Whole<'_>, event: &EventSpec, one: &HookDefinition, other: &HookDefinition) -> bool {
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
