//! HW709: a hook script that git does not track although it tracks the settings that name it.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::git::{find_checkout, ignores};
use crate::lint::handler_spans;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let tracked = at.agent.machine.tracked.as_ref()?;
    let script = at.script?;
    let settings = at.agent.sources.path(at.handler_span().source);
    let own = format!("{}/", at.agent.place.project);
    if !script.path.starts_with(&own) || !tracked.contains(settings) || tracked.contains(&script.path) {
        return None;
    }
    // A submodule is tracked as a whole, under its directory.
    let within = script.path.match_indices('/').any(|(at, _)| tracked.contains(&format!("{}/", &script.path[..at])));
    if within || at.agent.files.canonical(&script.path).is_some_and(|real| tracked.contains(&real)) {
        return None;
    }
    let (files, place) = (at.agent.files, at.agent.place);
    let by = find_checkout(files, &place.project).and_then(|here| ignores(files, place, &here, &script.path));
    let does = if by.is_some() { "ignores" } else { "does not track" };
    let says = format!(
        "git tracks {} but {does} the script {}: other checkouts have the hook without its script",
        at.definition.provenance.file, script.file
    );
    let found = Diagnostic::new(Code::HW709, says).at(handler_spans::value_span(at, "command"));
    Some(match by {
        Some(by) => found
            .with_note(format!("the cause is `{}` in {}:{}", by.pattern, place.display_path(&by.file), by.line))
            .with_help(format!("change that line, or run git add --force {}", script.file)),
        None => found.with_help(format!("run git add {}", script.file)),
    })
}
