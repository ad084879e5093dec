//! HW709: a hook script that git does not track although it tracks the settings that name it.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::git::{checkout, ignores};
use crate::lint::places;

pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let tracked = at.whole.around.tracked.as_ref()?;
    let script = at.script?;
    let settings = at.whole.sources.path(at.handler().source);
    let own = format!("{}/", at.whole.place.project);
    if !script.path.starts_with(&own) || !tracked.contains(settings) || tracked.contains(&script.path) {
        return None;
    }
    // A submodule is tracked as a whole, under its folder.
    let within = script.path.match_indices('/').any(|(at, _)| tracked.contains(&format!("{}/", &script.path[..at])));
    if within || at.whole.files.canonical(&script.path).is_some_and(|real| tracked.contains(&real)) {
        return None;
    }
    let (files, place) = (at.whole.files, at.whole.place);
    let by = checkout(files, &place.project).and_then(|here| ignores(files, place, &here, &script.path));
    let does = if by.is_some() { "ignores" } else { "does not track" };
    let says = format!(
        "git tracks {} and {does} the script {}: others have the hook without it",
        at.definition.from.file, script.file
    );
    let found = Diagnostic::warning("HW709", says).at(places::value(at, "command"));
    Some(match by {
        Some(by) => found
            .note(format!("`{}` in {}:{} says so", by.pattern, place.show(&by.file), by.line))
            .help(format!("change that line, or git add --force {}", script.file)),
        None => found.help(format!("git add {}", script.file)),
    })
}
