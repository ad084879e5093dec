//! HW706: a project directory that is also the home directory.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::hook::HookDefinition;

pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    if at.place.project != at.place.home {
        return Vec::new();
    }
    let own = format!("{}/", at.place.project);
    let here = |d: &&HookDefinition| {
        at.sources.path(d.provenance.span.source).starts_with(&own) && d.provenance.bundle.is_none()
    };
    let all: Vec<&HookDefinition> = at.loaded.definitions.iter().filter(here).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let same = |d: &&&HookDefinition| d.provenance.span == first.provenance.span && d.event == first.event;
    let counts = if all.iter().filter(same).count() > 1 { "twice" } else { "once" };
    let says = format!(
        "the project is the home directory, so {} is also the user-level file: its hooks run in every project, and {counts} here",
        first.provenance.file
    );
    vec![
        Diagnostic::new(Code::HW706, says)
            .at(first.provenance.span)
            .with_help("start the agent in a project directory"),
    ]
}
