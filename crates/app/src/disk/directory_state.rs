//! The state of a directory before hooks run that must not change it, where the system cannot keep them from it.

use hookbench_system::disk::usual_form;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of changed files that a message names.
const NAMED: usize = 3;

/// The files that a hook of a copy can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Hooks see the copy in the place of the directory, so they reach only files that have another name elsewhere.
    OtherNames,
    All,
}

/// Facts of which at least one differs after a change of the file, even if its time was set back.
#[derive(Debug, PartialEq, Eq)]
struct FileTraits {
    length: u64,
    modified: Option<SystemTime>,
    /// The number of the file, and the time of its last change of any kind.
    identity: (u64, i64, i64),
}

/// The files below a directory, each with its state.
#[derive(Debug)]
pub(crate) struct DirectoryState {
    directory: PathBuf,
    reach: Reach,
    entries: BTreeMap<PathBuf, FileTraits>,
}

impl DirectoryState {
    /// Reads the state. What cannot be read is left out.
    pub(crate) fn of(directory: &Path, reach: Reach) -> DirectoryState {
        let mut state = DirectoryState { directory: directory.to_owned(), reach, entries: BTreeMap::new() };
        let mut waiting = vec![directory.to_owned()];
        while let Some(next) = waiting.pop() {
            for entry in fs::read_dir(next).into_iter().flatten().flatten() {
                let Ok(about) = entry.metadata() else { continue };
                if about.is_dir() {
                    waiting.push(entry.path());
                } else if reach == Reach::All || has_other_names(&about) {
                    state.entries.insert(entry.path(), FileTraits::of(&about));
                }
            }
        }
        state
    }

    /// Says which files have changed since. `None` if all are as before.
    pub(crate) fn change(&self) -> Option<String> {
        let is_same = |path: &Path, before: Option<&FileTraits>| {
            fs::symlink_metadata(path).ok().map(|about| FileTraits::of(&about)).as_ref() == before
        };
        let mut changed: Vec<&Path> = self
            .entries
            .iter()
            .filter(|(path, state)| !is_same(path, Some(state)))
            .map(|(path, _)| path.as_path())
            .collect();
        let now = if self.reach == Reach::All {
            DirectoryState::of(&self.directory, Reach::All).entries
        } else {
            BTreeMap::new()
        };
        changed.extend(now.keys().filter(|path| !self.entries.contains_key(*path)).map(PathBuf::as_path));
        let names = changed.iter().take(NAMED).map(|path| path.strip_prefix(&self.directory).unwrap_or(path));
        let names: Vec<String> = names.map(|name| usual_form(name.to_owned()).display().to_string()).collect();
        let how = match self.reach {
            Reach::All => {
                "a hook names the project by its absolute path, and this system cannot show it the copy there"
            }
            Reach::OtherNames => "a hook, or another program, wrote under another name of the file, a hard link",
        };
        (!names.is_empty())
            .then(|| format!("{} changed in the project itself while the case ran on a copy: {how}", names.join(", ")))
    }
}

#[cfg(unix)]
fn has_other_names(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_about: &Metadata) -> bool {
    false
}

impl FileTraits {
    fn of(about: &Metadata) -> FileTraits {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            (about.ino(), about.ctime(), about.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = (0, 0, 0);
        FileTraits { length: about.len(), modified: about.modified().ok(), identity }
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
        let before = DirectoryState::of(directory.path(), Reach::All);
        assert_eq!(before.change(), None);
        fs::write(at("d/longer"), "longer text").unwrap();
        fs::write(at("new"), "text").unwrap();
        fs::remove_file(at("gone")).unwrap();
        let change = before.change().unwrap();
        assert!(change.starts_with("d/longer, gone, new changed in the project itself"), "{change}");
    }
}
