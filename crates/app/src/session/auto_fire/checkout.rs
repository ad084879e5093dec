//! Reads the checked-out branch and commit of a repository.

use hookbench_core::config::{Files, Place};

/// The content of `HEAD`, and the commit to which it points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckoutState {
    pub head: String,
    pub commit: Option<String>,
    /// Whether the commit was created here from the existing files.
    pub created_here: bool,
}

/// The git directories: of this working tree, and shared by all working trees.
pub(super) struct GitDirs {
    pub worktree: String,
    pub shared: String,
}

impl GitDirs {
    /// Finds the repository that contains the project directory.
    pub fn of(place: &Place, files: &dyn Files) -> Option<GitDirs> {
        let mut directory = place.project.as_str();
        let own = loop {
            let dot = format!("{directory}/.git");
            if files.exists(&format!("{dot}/HEAD")) {
                break dot;
            }
            // A linked working tree, or a submodule.
            let text = files.read(&dot).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            if let Some(elsewhere) = text.as_deref().and_then(|t| t.trim().strip_prefix("gitdir:")) {
                break place.absolute(directory, elsewhere.trim());
            }
            directory = directory.rsplit_once('/').map(|(above, _)| above)?;
        };
        let shared = read_trimmed(files, &format!("{own}/commondir")).map(|path| place.absolute(&own, &path));
        Some(GitDirs { shared: shared.unwrap_or_else(|| own.clone()), worktree: own })
    }

    pub fn checkout(&self, files: &dyn Files) -> Option<CheckoutState> {
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
