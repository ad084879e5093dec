//! The state of a directory before hooks run that must not change it, where the system cannot keep them from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of changed files that a message names.
const NAMED: usize = 3;

/// The files and directories below a directory, with the length and the time of their last change.
#[derive(Debug)]
pub(crate) struct DirectoryState {
    directory: PathBuf,
    entries: BTreeMap<PathBuf, (u64, Option<SystemTime>)>,
}

impl DirectoryState {
    /// Reads the state. What cannot be read is left out.
    pub(crate) fn of(directory: &Path) -> DirectoryState {
        let mut entries = BTreeMap::new();
        let mut waiting = vec![directory.to_owned()];
        while let Some(next) = waiting.pop() {
            for entry in fs::read_dir(next).into_iter().flatten().flatten() {
                let Ok(about) = entry.metadata() else { continue };
                if about.is_dir() {
                    waiting.push(entry.path());
                } else {
                    entries.insert(entry.path(), (about.len(), about.modified().ok()));
                }
            }
        }
        DirectoryState { directory: directory.to_owned(), entries }
    }

    /// Says which files have changed since. `None` if all are as before.
    pub(crate) fn change(&self) -> Option<String> {
        let now = DirectoryState::of(&self.directory).entries;
        let all = self.entries.keys().chain(now.keys().filter(|path| !self.entries.contains_key(*path)));
        let changed: Vec<String> = all
            .filter(|path| self.entries.get(*path) != now.get(*path))
            .map(|path| path.strip_prefix(&self.directory).unwrap_or(path).display().to_string())
            .take(NAMED)
            .collect();
        (!changed.is_empty()).then(|| {
            format!(
                "{} changed in the project itself while the case ran on a copy: a hook names the project by its absolute \
                 path, and this system cannot show it the copy there",
                changed.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn changed_files_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("d")).unwrap();
        for name in ["d/longer", "gone", "same"] {
            fs::write(at(name), "text").unwrap();
        }
        let before = DirectoryState::of(directory.path());
        assert_eq!(before.change(), None);
        fs::write(at("d/longer"), "longer text").unwrap();
        fs::write(at("new"), "text").unwrap();
        fs::remove_file(at("gone")).unwrap();
        let change = before.change().unwrap();
        assert!(change.starts_with("d/longer, gone, new changed in the project itself"), "{change}");
    }
}
