//! HW204: an event that reportedly does not fire in the environment where the agent is used.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::dialects::form::Surface;

/// Checks the agent's list of surfaces against the environment variables. Recommendations in the project are
/// ignored, because they do not show where its users work.
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
