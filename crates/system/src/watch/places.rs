//! Determines which directories to watch for a list of files.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use hookbench_core::config::Watchlist;

/// The limit for following links to links.
const HOPS: u32 = 8;

/// Directories to watch, and the relevant names in them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WatchPlaces {
    /// The directories of the files, or their nearest existing ancestors. Links are resolved, so that no directory is
    /// watched twice.
    pub directories: BTreeSet<PathBuf>,
    /// Their parent directories, which report that a directory was replaced.
    pub above: BTreeSet<PathBuf>,
    /// All directories above those, which report it as well. What else happens in them means nothing.
    pub far: BTreeSet<PathBuf>,
    names: HashSet<PathBuf>,
    /// Directories in which every name is relevant.
    listed: HashSet<PathBuf>,
    locks: HashSet<PathBuf>,
}

impl WatchPlaces {
    /// The places to watch for a list, including the targets of links.
    pub fn for_list(list: &Watchlist) -> WatchPlaces {
        let mut places = WatchPlaces::default();
        for file in list.files.iter().chain(&list.directories) {
            places.add_file(file, HOPS);
        }
        for directory in &list.directories {
            let Some(directory) = directory.canonicalize().ok().filter(|f| f.is_dir()) else { continue };
            places.add_directory(directory.clone());
            places.listed.insert(directory);
        }
        for lock in &list.locks {
            let directory = lock.parent().and_then(|directory| directory.canonicalize().ok());
            if let (Some(directory), Some(name)) = (directory, lock.file_name()) {
                places.locks.insert(directory.join(name));
                places.directories.insert(directory);
            }
        }
        places
    }

    /// Whether an event for a path may affect a watched file. `replaced`: the path was created or deleted.
    pub fn concerns(&self, path: &Path, replaced: bool) -> bool {
        self.names.contains(path)
            || self.directories.contains(path)
            || (replaced && (self.above.contains(path) || self.far.contains(path)))
            || (replaced && path.parent().is_some_and(|directory| self.listed.contains(directory)))
    }

    /// Whether the path is in a directory that only matters as a whole.
    pub fn is_far(&self, path: &Path) -> bool {
        let is_near = |directory: &Path| self.directories.contains(directory) || self.above.contains(directory);
        !path.parent().is_some_and(is_near)
    }

    /// Whether the path is on the list by name.
    pub fn is_listed(&self, path: &Path) -> bool {
        self.names.contains(path)
    }

    /// Whether the path is a lock file.
    pub fn is_lock(&self, path: &Path) -> bool {
        self.locks.contains(path)
    }

    fn add_file(&mut self, file: &Path, hops: u32) {
        let Ok(file) = std::path::absolute(file) else { return };
        let mut name = file.as_path();
        let directory = loop {
            match name.parent() {
                Some(directory) if directory.is_dir() => break directory,
                Some(above) => name = above,
                None => return,
            }
        };
        let Ok(directory) = directory.canonicalize() else { return };
        if let Some(name) = name.file_name() {
            self.names.insert(directory.join(name));
        }
        self.add_links(&file, hops);
        if let (Ok(target), true) = (file.read_link(), hops > 0) {
            self.add_file(&directory.join(target), hops - 1);
        }
        self.add_directory(directory);
    }

    fn add_directory(&mut self, directory: PathBuf) {
        self.above.extend(directory.parent().map(Path::to_owned));
        self.far.extend(directory.ancestors().skip(2).map(Path::to_owned));
        self.directories.insert(directory);
    }

    /// Adds the links among the directories of a path, each of which may get another target.
    fn add_links(&mut self, file: &Path, hops: u32) {
        for link in file.ancestors().skip(1) {
            let (Ok(target), Some(name), Some(parent)) = (link.read_link(), link.file_name(), link.parent()) else {
                continue;
            };
            let Ok(parent) = parent.canonicalize() else { continue };
            if self.names.insert(parent.join(name)) && hops > 0 {
                self.add_file(&parent.join(target), hops - 1);
            }
            self.add_directory(parent);
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "makes files to look at")]
mod tests {
    use super::*;
    use std::fs;

    fn places(file: PathBuf) -> WatchPlaces {
        WatchPlaces::for_list(&Watchlist { files: vec![file], ..Watchlist::default() })
    }

    #[test]
    fn the_nearest_directory_stands_in_for_a_missing_one() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        let places = places(root.join("a/b/c/settings.json"));
        assert_eq!(places.directories, BTreeSet::from([root.join("a")]));
        assert_eq!(places.above, BTreeSet::from([root.clone()]));
        assert!(places.concerns(&root.join("a/b"), false));
        assert!(places.concerns(&root.join("a"), false));
        assert!(!places.concerns(&root.join("a/other"), false));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_one_by_one() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        for directory in ["here", "there", "far"] {
            fs::create_dir(root.join(directory)).unwrap();
        }
        std::os::unix::fs::symlink("../there/link", root.join("here/settings.json")).unwrap();
        std::os::unix::fs::symlink(root.join("far/not-yet"), root.join("there/link")).unwrap();
        let places = places(root.join("here/settings.json"));
        for name in ["here/settings.json", "there/link", "far/not-yet"] {
            assert!(places.concerns(&root.join(name), false), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_ends() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("loop");
        std::os::unix::fs::symlink("loop", &link).unwrap();
        assert!(places(link).concerns(&scratch.path().canonicalize().unwrap().join("loop"), false));
    }
}
