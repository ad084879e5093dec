//! HW708: a worktree whose hooks run scripts of another checkout.

use crate::config::Files;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::handler_spans;

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
