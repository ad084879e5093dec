//! Which branch and commit is checked out. Read whenever something may fire, because what a checkout changes may be
//! reported before it.

use std::path::{Path, PathBuf};

use super::Session;
use hookbench_core::config::{Files, Place};

/// What `HEAD` says, and the commit that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkout {
    head: String,
    commit: Option<String>,
    /// It was made here, out of the files that were there.
    made: bool,
}

/// Where a repository keeps things: what is this working tree's own, and what all of its working trees share.
struct Repository {
    own: String,
    shared: String,
}

impl Repository {
    /// The one that a folder belongs to.
    fn of(place: &Place, files: &dyn Files) -> Option<Repository> {
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
        let shared = line(files, &format!("{own}/commondir")).map(|path| place.absolute(&own, &path));
        Some(Repository { shared: shared.unwrap_or_else(|| own.clone()), own })
    }

    fn checkout(&self, files: &dyn Files) -> Option<Checkout> {
        let head = line(files, &format!("{}/HEAD", self.own))?;
        let commit = match head.strip_prefix("ref:").map(str::trim) {
            None => Some(head.clone()),
            Some(name) => self.commit(files, name),
        };
        let log = files.read(&format!("{}/logs/HEAD", self.own)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let last = log.lines().next_back().and_then(|line| line.split_once('\t')).map_or("", |(_, says)| says);
        Some(Checkout { head, commit, made: last.starts_with("commit") })
    }

    fn commit(&self, files: &dyn Files, name: &str) -> Option<String> {
        line(files, &format!("{}/{name}", self.own))
            .or_else(|| line(files, &format!("{}/{name}", self.shared)))
            .or_else(|| self.packed(files, name))
            // The newer way of keeping them, of which only this much is readable; it moves with any of them.
            .or_else(|| line(files, &format!("{}/reftable/tables.list", self.shared)))
    }

    fn packed(&self, files: &dyn Files, name: &str) -> Option<String> {
        let bytes = files.read(&format!("{}/packed-refs", self.shared)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let found = text.lines().find_map(|line| line.split_once(' ').filter(|(_, of)| *of == name));
        found.map(|(commit, _)| commit.to_owned())
    }
}

/// A short file as one text.
fn line(files: &dyn Files, path: &str) -> Option<String> {
    let text = String::from_utf8(files.read(path).ok()?).ok()?;
    Some(text.trim().to_owned())
}

/// What of a repository has to be watched.
#[derive(Debug, Default)]
pub(super) struct CheckoutFiles {
    pub files: Vec<PathBuf>,
    pub lock: Option<PathBuf>,
}

impl Session {
    /// Sees what is checked out now. Another branch disarms; so does another commit that brought other hooks. `moved`: it
    /// has been reported, with everything that came with it.
    pub(super) fn look_at_checkout(&mut self, moved: bool) {
        let now = Repository::of(&self.place, self.files.as_ref()).and_then(|r| r.checkout(self.files.as_ref()));
        let same = |now: &Checkout| self.watch.checkout.as_ref().is_some_and(|before| before.head == now.head);
        if !moved && self.watch.changed.is_empty() && now.as_ref().is_some_and(same) {
            // The files of another commit may be reported yet.
            return;
        }
        let Some(before) = std::mem::replace(&mut self.watch.checkout, now) else { return };
        let Some(now) = &self.watch.checkout else { return };
        if now.head != before.head {
            self.disarm("the branch has changed");
        } else if now.commit != before.commit && !now.made && !self.watch.changed.is_empty() {
            self.disarm("another commit has been checked out");
        }
    }

    /// Where a checkout shows.
    pub(super) fn checkout_files(&self) -> CheckoutFiles {
        let files = self.files.as_ref();
        let Some(repository) = Repository::of(&self.place, files) else {
            // One may be made yet.
            let head = Path::new(&self.place.project).join(".git/HEAD");
            return CheckoutFiles { files: vec![head], lock: None };
        };
        let own = Path::new(&repository.own);
        let mut all = vec![own.join("HEAD")];
        let head = repository.checkout(files).map(|c| c.head).unwrap_or_default();
        if let Some(name) = head.strip_prefix("ref:").map(str::trim) {
            all.push(Path::new(&repository.shared).join(name));
        }
        CheckoutFiles { files: all, lock: Some(own.join("index.lock")) }
    }
}
