//! Detects changes of the checked-out branch or commit. The state is read before anything fires, because the files
//! of a checkout may be reported before the checkout itself.

use std::path::{Path, PathBuf};

use super::Session;
use hookbench_core::config::{Files, Place};

/// The content of `HEAD`, and the commit to which it points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckoutState {
    head: String,
    commit: Option<String>,
    /// Whether the commit was created here from the existing files.
    created_here: bool,
}

/// The git directories: of this working tree, and shared by all working trees.
struct GitDirs {
    worktree: String,
    shared: String,
}

impl GitDirs {
    /// Finds the repository that contains the project folder.
    fn of(place: &Place, files: &dyn Files) -> Option<GitDirs> {
        let mut folder = place.project.as_str();
        let own = loop {
            let dot = format!("{folder}/.git");
            if files.exists(&format!("{dot}/HEAD")) {
                break dot;
            }
            // A linked working tree, or a submodule.
            let text = files.read(&dot).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            if let Some(elsewhere) = text.as_deref().and_then(|t| t.trim().strip_prefix("gitdir:")) {
                break place.absolute(folder, elsewhere.trim());
            }
            folder = folder.rsplit_once('/').map(|(above, _)| above)?;
        };
        let shared = read_trimmed(files, &format!("{own}/commondir")).map(|path| place.absolute(&own, &path));
        Some(GitDirs { shared: shared.unwrap_or_else(|| own.clone()), worktree: own })
    }

    fn checkout(&self, files: &dyn Files) -> Option<CheckoutState> {
        let head = read_trimmed(files, &format!("{}/HEAD", self.worktree))?;
        let commit = match head.strip_prefix("ref:").map(str::trim) {
            None => Some(head.clone()),
            Some(name) => self.commit(files, name),
        };
        let log = files.read(&format!("{}/logs/HEAD", self.worktree)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let last = log.lines().next_back().and_then(|line| line.split_once('\t')).map_or("", |(_, says)| says);
        Some(CheckoutState { head, commit, created_here: last.starts_with("commit") })
    }

    fn commit(&self, files: &dyn Files, name: &str) -> Option<String> {
        read_trimmed(files, &format!("{}/{name}", self.worktree))
            .or_else(|| read_trimmed(files, &format!("{}/{name}", self.shared)))
            .or_else(|| self.packed(files, name))
            // Of the newer reference format only this file is read; it changes with any reference.
            .or_else(|| read_trimmed(files, &format!("{}/reftable/tables.list", self.shared)))
    }

    fn packed(&self, files: &dyn Files, name: &str) -> Option<String> {
        let bytes = files.read(&format!("{}/packed-refs", self.shared)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let found = text.lines().find_map(|line| line.split_once(' ').filter(|(_, of)| *of == name));
        found.map(|(commit, _)| commit.to_owned())
    }
}

/// The trimmed text of a short file.
fn read_trimmed(files: &dyn Files, path: &str) -> Option<String> {
    let text = String::from_utf8(files.read(path).ok()?).ok()?;
    Some(text.trim().to_owned())
}

/// The files of a repository that have to be watched.
#[derive(Debug, Default)]
pub(super) struct CheckoutFiles {
    pub files: Vec<PathBuf>,
    pub lock: Option<PathBuf>,
}

impl Session {
    /// Compares the checkout with the last known one. Another branch disarms auto-fire; so does another commit that
    /// changed files of hooks. `moved` says that a change of the checkout was reported together with its files.
    pub(super) fn check_checkout(&mut self, moved: bool) {
        let now = GitDirs::of(&self.place, self.files.as_ref()).and_then(|r| r.checkout(self.files.as_ref()));
        let same = |now: &CheckoutState| self.auto_fire.checkout.as_ref().is_some_and(|before| before.head == now.head);
        if !moved && self.auto_fire.changed.is_empty() && now.as_ref().is_some_and(same) {
            // The files of another commit may still be reported.
            return;
        }
        let Some(before) = std::mem::replace(&mut self.auto_fire.checkout, now) else { return };
        let Some(now) = &self.auto_fire.checkout else { return };
        if now.head != before.head {
            self.disarm("the branch has changed");
        } else if now.commit != before.commit && !now.created_here && !self.auto_fire.changed.is_empty() {
            self.disarm("another commit has been checked out");
        }
    }

    /// The files that change with a checkout.
    pub(super) fn checkout_files(&self) -> CheckoutFiles {
        let files = self.files.as_ref();
        let Some(repository) = GitDirs::of(&self.place, files) else {
            // A repository may be created later.
            let head = Path::new(&self.place.project).join(".git/HEAD");
            return CheckoutFiles { files: vec![head], lock: None };
        };
        let own = Path::new(&repository.worktree);
        let mut all = vec![own.join("HEAD")];
        let head = repository.checkout(files).map(|c| c.head).unwrap_or_default();
        if let Some(name) = head.strip_prefix("ref:").map(str::trim) {
            all.push(Path::new(&repository.shared).join(name));
        }
        CheckoutFiles { files: all, lock: Some(own.join("index.lock")) }
    }
}
