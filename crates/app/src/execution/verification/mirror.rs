//! Paths of the user, and the paths of their copies.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::disk::files::DiskFiles;
use crate::firing::containment::replace_path;
use hookbench_core::config::{FileError, Files};

/// A directory of the user and its copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MirroredDirectory {
    pub real: PathBuf,
    pub copy: PathBuf,
}

/// The directories with copies.
#[derive(Debug, Clone, Default)]
pub(super) struct Mirror {
    /// A directory comes before those that contain it.
    directories: Vec<MirroredDirectory>,
    /// Whether the agent sees the copies under the paths of the user.
    pub in_place: bool,
}

impl Mirror {
    pub(super) fn new(in_place: bool) -> Mirror {
        Mirror { directories: Vec::new(), in_place }
    }

    pub(super) fn add(&mut self, real: PathBuf, copy: PathBuf) {
        self.directories.push(MirroredDirectory { real, copy });
        self.directories.sort_by_key(|directory| std::cmp::Reverse(directory.real.components().count()));
    }

    /// Those that contain others come first.
    pub(super) fn outermost_first(&self) -> impl Iterator<Item = &MirroredDirectory> {
        self.directories.iter().rev()
    }

    /// The copy of a path. `None` if the path has none.
    pub(super) fn copy_of(&self, real: &Path) -> Option<PathBuf> {
        let of = |directory: &MirroredDirectory| Some(directory.copy.join(real.strip_prefix(&directory.real).ok()?));
        self.directories.iter().find_map(of)
    }

    /// A path of the user as the agent sees it.
    pub(super) fn shown(&self, real: &str) -> String {
        if self.in_place { real.to_owned() } else { self.replace(real, true) }
    }

    /// A text of the user as the agent gets it.
    pub(super) fn to_agent(&self, text: &str) -> String {
        if self.in_place { text.to_owned() } else { self.replace(text, true) }
    }

    /// A text of the agent as the user would read it.
    pub(super) fn to_user(&self, text: &str) -> String {
        if self.in_place { text.to_owned() } else { self.replace(text, false) }
    }

    fn replace(&self, text: &str, to_copy: bool) -> String {
        self.directories.iter().fold(text.to_owned(), |text, directory| {
            let (real, copy) = (directory.real.to_string_lossy(), directory.copy.to_string_lossy());
            if to_copy { replace_path(&text, &real, &copy) } else { replace_path(&text, &copy, &real) }
        })
    }
}

/// Changes every text of a value.
pub(super) fn map_texts(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(change(text)),
        Value::Array(items) => items.iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), map_texts(value, change))).collect(),
        other => other.clone(),
    }
}

/// The files that the agent sees, by the paths under which it sees them.
pub(super) struct MirroredFiles<'a>(pub &'a Mirror);

impl MirroredFiles<'_> {
    fn on_disk(&self, path: &str) -> String {
        if !self.0.in_place {
            return path.to_owned();
        }
        let copy = self.0.copy_of(Path::new(path));
        copy.map_or_else(|| path.to_owned(), |copy| copy.to_string_lossy().into_owned())
    }
}

impl Files for MirroredFiles<'_> {
    fn below(&self) -> Option<&dyn Files> {
        Some(&DiskFiles)
    }
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        DiskFiles.read(&self.on_disk(path))
    }
    fn exists(&self, path: &str) -> bool {
        DiskFiles.exists(&self.on_disk(path))
    }
    fn list(&self, path: &str) -> Vec<String> {
        DiskFiles.list(&self.on_disk(path))
    }
    fn executable(&self, path: &str) -> Option<bool> {
        DiskFiles.executable(&self.on_disk(path))
    }
}
