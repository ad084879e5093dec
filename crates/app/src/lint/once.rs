//! A cache of file queries: many hooks search for the same programs and start the same scripts.

use std::cell::RefCell;
use std::collections::HashMap;

use hookbench_core::config::{FileError, Files};

/// The cached answers of one lint run.
pub(super) struct Once<'a> {
    files: &'a dyn Files,
    read: RefCell<HashMap<String, Result<Vec<u8>, FileError>>>,
    exists: RefCell<HashMap<String, bool>>,
    canonical: RefCell<HashMap<String, Option<String>>>,
    list: RefCell<HashMap<String, Vec<String>>>,
    executable: RefCell<HashMap<String, Option<bool>>>,
    guarded: RefCell<HashMap<String, bool>>,
}

impl<'a> Once<'a> {
    pub fn new(files: &'a dyn Files) -> Once<'a> {
        Once {
            files,
            read: RefCell::default(),
            exists: RefCell::default(),
            canonical: RefCell::default(),
            list: RefCell::default(),
            executable: RefCell::default(),
            guarded: RefCell::default(),
        }
    }
}

/// Returns the cached value for a key, or computes and caches it.
fn known<V: Clone>(of: &RefCell<HashMap<String, V>>, key: &str, find: impl FnOnce(&str) -> V) -> V {
    if let Some(value) = of.borrow().get(key) {
        return value.clone();
    }
    let value = find(key);
    of.borrow_mut().insert(key.to_owned(), value.clone());
    value
}

impl Files for Once<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        known(&self.read, path, |path| self.files.read(path))
    }
    fn exists(&self, path: &str) -> bool {
        known(&self.exists, path, |path| self.files.exists(path))
    }
    fn canonical(&self, path: &str) -> Option<String> {
        known(&self.canonical, path, |path| self.files.canonical(path))
    }
    fn list(&self, path: &str) -> Vec<String> {
        known(&self.list, path, |path| self.files.list(path))
    }
    fn executable(&self, path: &str) -> Option<bool> {
        known(&self.executable, path, |path| self.files.executable(path))
    }
    fn guarded(&self, path: &str) -> bool {
        known(&self.guarded, path, |path| self.files.guarded(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Counted(Cell<usize>);

    impl Files for Counted {
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
        fn guarded(&self, _path: &str) -> bool {
            self.0.set(self.0.get() + 1);
            true
        }
    }

    #[test]
    fn everything_is_asked_once_and_answered_alike() {
        let counted = Counted(Cell::new(0));
        let files = Once::new(&counted);
        for _ in 0..3 {
            assert_eq!(files.read("/a"), Ok(b"x".to_vec()));
            assert_eq!(files.read("/b"), Err(FileError::Missing));
            assert_eq!((files.exists("/a"), files.exists("/b")), (true, false));
            assert_eq!(files.canonical("/a").as_deref(), Some("/a"));
            assert_eq!((files.list("/"), files.executable("/a"), files.guarded("/a")), (Vec::new(), None, true));
        }
        assert_eq!(counted.0.get(), 8);
    }
}
