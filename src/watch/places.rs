//! Which folders to watch for which files.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Links that lead to links are followed so far.
const HOPS: u32 = 8;

/// Folders to watch, and the names in them that matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Where the files are, or the nearest that exists. Without links, so that no folder is watched twice.
    pub folders: BTreeSet<PathBuf>,
    /// The folders above those: one that is replaced by another is noticed from above only.
    pub above: BTreeSet<PathBuf>,
    names: HashSet<PathBuf>,
}

impl Places {
    /// Where to look for these files, and for what they lead to if they are links.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a Path>) -> Places {
        let mut places = Places::default();
        for file in files {
            places.file(file, HOPS);
        }
        places
    }

    /// Whether something that happened there may concern a file.
    pub fn concerns(&self, path: &Path) -> bool {
        self.names.contains(path) || self.folders.contains(path)
    }

    fn file(&mut self, file: &Path, hops: u32) {
        let Ok(file) = std::path::absolute(file) else { return };
        let mut name = file.as_path();
        let folder = loop {
            match name.parent() {
                Some(folder) if folder.is_dir() => break folder,
                Some(above) => name = above,
                None => return,
            }
        };
        let Ok(folder) = folder.canonicalize() else { return };
        if let Some(name) = name.file_name() {
            self.names.insert(folder.join(name));
        }
        if let Some(above) = folder.parent() {
            self.above.insert(above.to_owned());
        }
        if let (Ok(target), true) = (file.read_link(), hops > 0) {
            self.file(&folder.join(target), hops - 1);
        }
        self.folders.insert(folder);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "makes files to look at")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_folder_stands_in_for_a_missing_one() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        let places = Places::of([root.join("a/b/c/settings.json").as_path()]);
        assert_eq!(places.folders, BTreeSet::from([root.join("a")]));
        assert_eq!(places.above, BTreeSet::from([root.clone()]));
        assert!(places.concerns(&root.join("a/b")));
        assert!(places.concerns(&root.join("a")));
        assert!(!places.concerns(&root.join("a/other")));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_one_by_one() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        for folder in ["here", "there", "far"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink("../there/link", root.join("here/settings.json")).unwrap();
        std::os::unix::fs::symlink(root.join("far/not-yet"), root.join("there/link")).unwrap();
        let places = Places::of([root.join("here/settings.json").as_path()]);
        for name in ["here/settings.json", "there/link", "far/not-yet"] {
            assert!(places.concerns(&root.join(name)), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_ends() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("loop");
        std::os::unix::fs::symlink("loop", &link).unwrap();
        assert!(Places::of([link.as_path()]).concerns(&scratch.path().canonicalize().unwrap().join("loop")));
    }
}
