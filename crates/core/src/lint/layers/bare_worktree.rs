//! HW716: a worktree without the hooks of the main checkout.

use super::other_checkout::checkouts;
use crate::config::{LayerState, Place};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::hook::Layer;
use crate::text::pluralize;

/// Checks for hooks in the project's files of the main checkout, if the worktree has no such file.
pub(super) fn check(at: &AgentContext<'_>) -> Option<Diagnostic> {
    let is_of_project = |layer: Layer| matches!(layer, Layer::Project | Layer::Local);
    let has_own = at.loaded.layers.iter().any(|one| is_of_project(one.layer) && one.state != LayerState::Absent);
    let (here, others) = checkouts(at.files, &at.place.project).filter(|_| !has_own)?;
    let below = at.place.project.strip_prefix(&here)?;
    // The first of the other checkouts of a worktree is the main one.
    let main =
        others.first().filter(|main| at.files.list(&format!("{main}/.git")).iter().any(|name| name == "HEAD"))?;
    let place = Place { project: format!("{main}{below}"), ..Place::clone(at.place) };
    let there = at.dialect.load(&place, at.files, at.version);
    let of_project = there.definitions.iter().filter(|one| one.is_valid() && is_of_project(one.provenance.layer));
    let files: Vec<&str> = of_project.clone().map(|one| one.provenance.file.as_str()).collect();
    let file = files.first()?;
    let says = format!(
        "this worktree has no hooks of {}, but the main checkout {} has {} in {file}: they do not run here",
        at.dialect.name(),
        at.place.display_path(main),
        pluralize(files.len(), "hook"),
    );
    let found =
        Diagnostic::new(Code::HW716, says).in_file(at.place.display_path(&format!("{}/{file}", at.place.project)));
    Some(found.with_help("add the file to git, so that each checkout has it, or copy it into this worktree"))
}
