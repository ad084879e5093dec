//! A cache of file queries: many hooks search for the same programs and start the same scripts.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use hookbench_core::config::{FileError, Files};

/// The cached answers about files, for as long as none of them can have changed.
pub struct FileCache<F> {
    files: F,
    read: Answers<Result<Vec<u8>, FileError>>,
    exists: Answers<bool>,
    canonical: Answers<Option<String>>,
    list: Answers<Vec<String>>,
    executable: Answers<Option<bool>>,
    guarded: Answers<bool>,
}

type Answers<V> = Mutex<HashMap<String, V>>;

impl<F> FileCache<F> {
    /// An empty cache over files.
    pub fn new(files: F) -> FileCache<F> {
        FileCache {
            files,
            read: Answers::default(),
            exists: Answers::default(),
            canonical: Answers::default(),
            list: Answers::default(),
            executable: Answers::default(),
            guarded: Answers::default(),
        }
    }
}

impl<F> FileCache<F> {
    /// Whether the content of a file was read, under this path.
    pub fn has_read(&self, path: &str) -> bool {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).contains_key(path)
    }

    /// The paths of the files whose content was read or is missing.
    pub fn read_paths(&self) -> Vec<String> {
        keys(&self.read)
    }

    /// The paths of all files and directories that something was asked about.
    pub fn requested(&self) -> HashSet<String> {
        let (executable, list) = (keys(&self.executable), keys(&self.list));
        [keys(&self.read), keys(&self.exists), executable, list].concat().into_iter().collect()
    }
}

fn keys<V>(of: &Answers<V>) -> Vec<String> {
    of.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
}

/// Returns the cached value for a key, or computes and caches it.
fn cached<V: Clone>(of: &Answers<V>, key: &str, find: impl FnOnce(&str) -> V) -> V {
    if let Some(value) = of.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
        return value.clone();
    }
    let value = find(key);
    of.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value.clone());
    value
}

impl<F: Deref<Target: Files>> Files for FileCache<F> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        cached(&self.read, path, |path| self.files.read(path))
    }
    fn exists(&self, path: &str) -> bool {
        cached(&self.exists, path, |path| self.files.exists(path))
    }
    fn canonical(&self, path: &str) -> Option<String> {
        cached(&self.canonical, path, |path| self.files.canonical(path))
    }
    fn list(&self, path: &str) -> Vec<String> {
        cached(&self.list, path, |path| self.files.list(path))
    }
    fn executable(&self, path: &str) -> Option<bool> {
        cached(&self.executable, path, |path| self.files.executable(path))
    }
    fn is_admin_only(&self, path: &str) -> bool {
        cached(&self.guarded, path, |path| self.files.is_admin_only(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct CountingFiles(Cell<usize>);

    impl Files for CountingFiles {
        fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
            self.0.set(self.0.get() + 1);
            if path == "/a" { Ok(b"x".to_vec()) } else { Err(FileError::Missing) }
        }
        fn exists(&self, path: &str) -> bool {
            self.0.set(self.0.get() + 1);
            path == "/a"
        }
        fn canonical(&self, path: &str) -> Option<String> {
            self.0.set(self.0.get() + 1);
            Some(path.to_owned())
        }
        fn list(&self, _path: &str) -> Vec<String> {
            self.0.set(self.0.get() + 1);
            Vec::new()
        }
        fn executable(&self, _path: &str) -> Option<bool> {
            self.0.set(self.0.get() + 1);
            None
        }
        fn is_admin_only(&self, _path: &str) -> bool {
            self.0.set(self.0.get() + 1);
            true
        }
    }

    #[test]
    fn everything_is_asked_once_and_answered_alike() {
        let counted = CountingFiles(Cell::new(0));
        let files = FileCache::new(&counted);
        for _ in 0..3 {
            assert_eq!(files.read("/a"), Ok(b"x".to_vec()));
            assert_eq!(files.read("/b"), Err(FileError::Missing));
            assert_eq!((files.exists("/a"), files.exists("/b")), (true, false));
            assert_eq!(files.canonical("/a").as_deref(), Some("/a"));
            assert_eq!((files.list("/"), files.executable("/a"), files.is_admin_only("/a")), (Vec::new(), None, true));
        }
        assert_eq!(counted.0.get(), 8);
    }
}
