//! HW2xx: events.

mod blocks_nothing;
mod names;
mod repeated_events;

use serde_json::Value;

pub(super) use self::names::{fix_event_name, group_foreign_events};
pub use self::repeated_events::{EventOccurrence, repeated_events};
use super::LintRule;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::settings_format::Surface;
use crate::dialects::{AgentContext, RuleContext};
use crate::hook::HookDefinition;
use crate::lint::intersection::fire_together;

pub(super) const RULES: &[LintRule] = &[
    LintRule::One(blocks_nothing::check),
    LintRule::One(check_handler_type),
    LintRule::One(check_surface),
    LintRule::Agent(check_sequential),
];

/// HW206: a handler type that the agent does not run on this event.
/// Checks the type of the handler against the agent's settings form.
fn check_handler_type(at: &RuleContext<'_>) -> Option<Diagnostic> {
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

/// HW204: an event that reportedly does not fire in the environment where the agent is used.
/// Checks the agent's list of surfaces against the environment variables. Recommendations in the project are
/// ignored, because they do not show where its users work.
fn check_surface(at: &RuleContext<'_>) -> Option<Diagnostic> {
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

/// HW209: a group that makes all hooks of its event run sequentially.
/// Checks for events with `sequential` in one group but not in all.
fn check_sequential(at: &AgentContext<'_>) -> Vec<Diagnostic> {
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
