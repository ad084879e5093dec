//! A file system with one file replaced.

use super::{FileError, Files};

/// A view of `files` in which the file at `path` has the content `text`.
pub struct OverlayFiles<'a> {
    pub files: &'a dyn Files,
    pub path: &'a str,
    pub text: &'a str,
}

impl Files for OverlayFiles<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        if path == self.path { Ok(self.text.as_bytes().to_vec()) } else { self.files.read(path) }
    }
    fn exists(&self, path: &str) -> bool {
        let below = self.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        below || self.files.exists(path)
    }
    fn canonical(&self, path: &str) -> Option<String> {
        let real = self.files.canonical(path);
        real.or_else(|| self.exists(path).then(|| path.to_owned()))
    }
    fn list(&self, path: &str) -> Vec<String> {
        self.files.list(path)
    }
    fn executable(&self, path: &str) -> Option<bool> {
        self.files.executable(path)
    }
    fn is_admin_only(&self, path: &str) -> bool {
        self.files.is_admin_only(path)
    }
}
