//! HW206: a handler type that the agent does not run on this event.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;

/// Checks the type of the handler against the agent's settings form.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let form = at.agent.dialect.settings_format();
    let kind = at.definition.raw.get("type")?.as_str()?;
    let event = at.event.name;
    if form.handler(kind).is_none() || (form.runs_on)(kind, event) {
        return None;
    }
    let kinds: Vec<&str> =
        form.handlers.iter().map(|form| form.kind).filter(|kind| (form.runs_on)(kind, event)).collect();
    let says = format!("{} does not run {kind} hooks on {event}, so this hook never runs", at.agent_name());
    Some(Diagnostic::new(Code::HW206, says).at(at.handler_span()).with_help(format!("use one of {}", kinds.join(", "))))
}
