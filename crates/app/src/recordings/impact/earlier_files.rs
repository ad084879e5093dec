//! A view of the disk as it was when a configuration was loaded. Files that have changed since are served from that
//! configuration.

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::files::DiskFiles;
use hookbench_core::config::{FileError, Files, LoadedConfig};

/// The disk, with changed files in their earlier state.
pub(super) struct EarlierFiles<'a> {
    earlier: BTreeMap<&'a str, &'a str>,
    /// Files that did not exist.
    missing: BTreeSet<&'a str>,
}

impl<'a> EarlierFiles<'a> {
    /// Compares two loaded configurations to find the files that changed or were created.
    pub fn new(before: &'a LoadedConfig, after: &'a LoadedConfig) -> EarlierFiles<'a> {
        let now: BTreeMap<&str, &str> = after.sources.texts().collect();
        let was: BTreeMap<&str, &str> = before.sources.texts().collect();
        let missing = now.keys().copied().filter(|path| !was.contains_key(path)).collect();
        let changed = was.into_iter().filter(|(path, text)| now.get(path) != Some(text)).collect();
        EarlierFiles { earlier: changed, missing }
    }

    /// Every file that changed or was created.
    pub fn changed(&self) -> impl Iterator<Item = &'a str> {
        self.earlier.keys().copied().chain(self.missing.iter().copied())
    }
}

impl Files for EarlierFiles<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.earlier.get(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None if self.missing.contains(path) => Err(FileError::Missing),
            None => DiskFiles.read(path),
        }
    }

    fn exists(&self, path: &str) -> bool {
        self.earlier.contains_key(path) || (!self.missing.contains(path) && DiskFiles.exists(path))
    }

    fn canonical(&self, path: &str) -> Option<String> {
        if self.missing.contains(path) {
            return None;
        }
        DiskFiles.canonical(path).or_else(|| self.earlier.contains_key(path).then(|| path.to_owned()))
    }

    fn list(&self, path: &str) -> Vec<String> {
        let directory = format!("{}/", path.trim_end_matches('/'));
        let there = DiskFiles
            .list(path)
            .into_iter()
            .filter(|name| !self.missing.contains(format!("{directory}{name}").as_str()));
        let gone = self.earlier.keys().filter_map(|was| was.strip_prefix(&directory)?.split('/').next());
        let names: BTreeSet<String> = there.chain(gone.map(str::to_owned)).collect();
        names.into_iter().collect()
    }

    fn executable(&self, path: &str) -> Option<bool> {
        DiskFiles.executable(path)
    }

    fn is_admin_only(&self, path: &str) -> bool {
        DiskFiles.is_admin_only(path)
    }
}
