//! HW204: an event that is reported not to fire where the agent is used.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::dialects::form::Surface;

/// What the agent's form says of surfaces, where the environment says that this is one. What a project recommends to its
/// people says nothing of where they work.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let event = at.event.name;
    let here = |surface: &&Surface| {
        let (name, value) = surface.sign;
        surface.silent.contains(&event) && at.whole.place.var(name) == Some(value)
    };
    let surface = at.whole.dialect.form().surfaces.iter().find(here)?;
    let (name, value) = surface.sign;
    let says = format!("{event} is reported not to fire in {}, where {name}={value} says you are", surface.name);
    let help = "test in the terminal whether it fires, or hook another event";
    Some(Diagnostic::warning("HW204", says).at(at.handler()).help(help))
}
