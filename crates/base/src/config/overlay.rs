//! A file system with some files replaced.

use super::{FileError, Files};

/// A view of `files` in which some files have another content.
pub struct OverlayFiles<'a> {
    pub files: &'a dyn Files,
    /// Paths and contents.
    pub replaced: Vec<(&'a str, &'a str)>,
}

impl Files for OverlayFiles<'_> {
    fn below(&self) -> Option<&dyn Files> {
        Some(self.files)
    }
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.replaced.iter().find(|(replaced, _)| *replaced == path) {
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
            None => self.files.read(path),
        }
    }
    fn exists(&self, path: &str) -> bool {
        let below = |file: &str| file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.replaced.iter().any(|(file, _)| below(file)) || self.files.exists(path)
    }
    fn canonical(&self, path: &str) -> Option<String> {
        let real = self.files.canonical(path);
        real.or_else(|| self.exists(path).then(|| path.to_owned()))
    }
    fn list(&self, path: &str) -> Vec<String> {
        let mut names = self.files.list(path);
        let below = self.replaced.iter().filter_map(|(file, _)| file.strip_prefix(path)?.strip_prefix('/'));
        names.extend(below.map(|rest| rest.split('/').next().unwrap_or(rest).to_owned()));
        names.sort();
        names.dedup();
        names
    }
}
