//! Detects changes of the checked-out branch or commit. The state is read before anything fires, because the files
//! of a checkout may be reported before the checkout itself.

use std::path::{Path, PathBuf};

use super::Session;
use super::checkout::{CheckoutState, GitDirs};

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
            self.disarm("another commit was checked out");
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
