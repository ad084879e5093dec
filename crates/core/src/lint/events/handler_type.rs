//! HW206: a handler type that the agent does not run on this event.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;

/// Checks the type of the handler against the agent's settings form.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let form = at.whole.dialect.form();
    let kind = at.definition.raw.get("type")?.as_str()?;
    let event = at.event.name;
    if form.handler(kind).is_none() || (form.runs)(kind, event) {
        return None;
    }
    let kinds: Vec<&str> = form.handlers.iter().map(|form| form.kind).filter(|kind| (form.runs)(kind, event)).collect();
    let says = format!("{} runs no {kind} hook on {event}, so this one never does anything", at.agent());
    Some(Diagnostic::error("HW206", says).at(at.handler()).help(format!("use one of {}", kinds.join(", "))))
}
