//! HW204: an event that reportedly does not fire in the environment where the agent is used.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::dialects::settings_format::Surface;

/// Checks the agent's list of surfaces against the environment variables. Recommendations in the project are
/// ignored, because they do not show where its users work.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let event = at.event.name;
    let here = |surface: &&Surface| {
        let (name, value) = surface.marker_variable;
        surface.missing_events.contains(&event) && at.agent.place.var(name) == Some(value)
    };
    let surface = at.agent.dialect.settings_format().surfaces.iter().find(here)?;
    let (name, value) = surface.marker_variable;
    let says =
        format!("{event} is reported not to fire in {}, and {name}={value} shows that you are there", surface.name);
    let help = "test whether it fires in the terminal, or use another event";
    Some(Diagnostic::new(Code::HW204, says).at(at.handler_span()).with_help(help))
}
