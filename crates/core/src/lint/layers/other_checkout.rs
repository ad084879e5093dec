//! HW708, HW709, HW716: hooks and their scripts in several checkouts of a repository.

use crate::config::{Files, LayerState, Place};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{AgentContext, RuleContext};
use crate::git::{find_checkout, ignores};
use crate::hook::Layer;
use crate::lint::handler_spans;
use crate::text::pluralize;

/// Checks for a command that runs a script in another checkout of the repository.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let script = at.script?;
    let place = at.agent.place;
    let own = format!("{}/", place.project);
    if script.path.starts_with(&own) {
        return None;
    }
    let (here, others) = checkouts(at.agent.files, &place.project)?;
    let below = |root: &str| script.path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
    // A worktree may be inside the main checkout, so its own files are below both.
    if below(&here) {
        return None;
    }
    let other = others.iter().filter(|root| below(root)).max_by_key(|root| root.len())?;
    let says = format!(
        "this directory is the checkout {}, but the hook runs a script of another checkout: {}",
        place.display_path(&here),
        place.display_path(&script.path)
    );
    let help = "use a path in the project's directory, and add the script to git, so that each checkout has its own";
    let found = Diagnostic::new(Code::HW708, says).at(handler_spans::value_span(at, "command")).with_help(help);
    Some(found.with_note(format!("the other checkout is {}", place.display_path(other))))
}

/// Returns the checkout that contains a directory, and the other checkouts of the same repository.
pub(super) fn checkouts(files: &dyn Files, project: &str) -> Option<(String, Vec<String>)> {
    let mut root = project.to_owned();
    while !files.exists(&format!("{root}/.git")) {
        root = root.rsplit_once('/').map(|(above, _)| above.to_owned()).filter(|above| !above.is_empty())?;
    }
    let text = |path: &str| files.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let dot = format!("{root}/.git");
    let linked = text(&dot).and_then(|text| text.strip_prefix("gitdir:").map(|dir| dir.trim().to_owned()));
    let mut others = Vec::new();
    let common = match &linked {
        // `…/main/.git/worktrees/name`. For a submodule it is `…/.git/modules/name`.
        Some(dir) => {
            let (common, _) = dir.split_once("/.git/worktrees/").map(|(main, name)| (format!("{main}/.git"), name))?;
            others.push(common.strip_suffix("/.git")?.to_owned());
            common
        }
        None => dot,
    };
    for name in files.list(&format!("{common}/worktrees")) {
        let git = text(&format!("{common}/worktrees/{name}/gitdir"));
        let worktree = git.and_then(|path| path.trim().strip_suffix("/.git").map(str::to_owned));
        others.extend(worktree.filter(|worktree| *worktree != root));
    }
    (!others.is_empty()).then_some((root, others))
}

/// HW716: a worktree without the hooks of the main checkout.
/// Checks for hooks in the project's files of the main checkout, if the worktree has no such file.
pub(super) fn check_worktree(at: &AgentContext<'_>) -> Option<Diagnostic> {
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

/// HW709: a hook script that git does not track although it tracks the settings that name it.
pub(super) fn check_untracked_script(at: &RuleContext<'_>) -> Option<Diagnostic> {
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

#[cfg(test)]
mod tests {
    use super::checkouts;
    use crate::config::MemoryFiles;

    #[test]
    fn checkouts_of_a_repository() {
        let mut files = MemoryFiles::default();
        files.put("/m/.git/HEAD", "ref: refs/heads/main\n");
        files.put("/m/.git/worktrees/w/gitdir", "/w/.git\n");
        files.put("/w/.git", "gitdir: /m/.git/worktrees/w\n");
        files.put("/s/.git", "gitdir: /t/.git/modules/s\n");
        files.put("/alone/.git/HEAD", "");
        for (project, want) in [
            ("/w", Some(("/w", vec!["/m"]))),
            ("/w/deep/er", Some(("/w", vec!["/m"]))),
            ("/m", Some(("/m", vec!["/w"]))),
            ("/s", None),
            ("/alone", None),
            ("/none", None),
        ] {
            let want = want.map(|(root, others): (&str, Vec<&str>)| {
                (root.to_owned(), others.into_iter().map(str::to_owned).collect::<Vec<_>>())
            });
            assert_eq!(checkouts(&files, project), want, "{project}");
        }
    }
}
