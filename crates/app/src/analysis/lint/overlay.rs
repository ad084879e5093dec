//! A layer of changed files over the real ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hookbench_core::config::{FileError, Files};

/// Files of which some have another text or are executable.
#[derive(Clone)]
pub struct Overlay {
    pub below: Arc<dyn Files + Send + Sync>,
    /// By path without links.
    pub texts: BTreeMap<String, Vec<u8>>,
    /// The real texts that these were made from.
    pub before: BTreeMap<String, Vec<u8>>,
    pub executable: BTreeSet<String>,
}

impl Overlay {
    /// Creates an overlay that changes nothing.
    pub fn new(below: Arc<dyn Files + Send + Sync>) -> Overlay {
        Overlay { below, texts: BTreeMap::new(), before: BTreeMap::new(), executable: BTreeSet::new() }
    }

    /// The path without links.
    pub fn real(&self, path: &str) -> String {
        self.below.canonical(path).unwrap_or_else(|| path.to_owned())
    }
}

impl Files for Overlay {
    fn below(&self) -> Option<&dyn Files> {
        Some(&*self.below)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        if !self.texts.is_empty()
            && let Some(text) = self.texts.get(&self.real(path))
        {
            return Ok(text.clone());
        }
        self.below.read(path)
    }

    fn exists(&self, path: &str) -> bool {
        self.below.exists(path) || self.texts.contains_key(path)
    }

    fn executable(&self, path: &str) -> Option<bool> {
        let is_changed = !self.executable.is_empty() && self.executable.contains(&self.real(path));
        if is_changed { Some(true) } else { self.below.executable(path) }
    }
}
