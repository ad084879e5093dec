//! hookbench's state directory, which only its owner can access.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookbench_core::config::Place;
use hookbench_core::live::settings_file;

/// An error in writing a state file.
#[derive(Debug, thiserror::Error)]
#[error("could not write {path}: {source}")]
pub struct StateError {
    pub path: String,
    pub source: std::io::Error,
}

/// `$XDG_STATE_HOME/hookbench`, or `~/.local/state/hookbench` in the real home directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    root: PathBuf,
}

impl StateDir {
    /// The state directory for this environment. It is created on the first write.
    pub fn of(place: &Place) -> StateDir {
        StateDir::below(place.var("XDG_STATE_HOME"), Path::new(place.var("HOME").unwrap_or(&place.home)))
    }

    /// The state directory for the environment of this process, for data that belongs to no project.
    pub fn for_process() -> StateDir {
        let home = std::env::home_dir().unwrap_or_default();
        StateDir::below(std::env::var("XDG_STATE_HOME").ok().as_deref(), &home)
    }

    fn below(state_home: Option<&str>, home: &Path) -> StateDir {
        let base = match state_home.filter(|d| d.starts_with('/')) {
            Some(dir) => PathBuf::from(dir),
            None => home.join(".local/state"),
        };
        StateDir { root: base.join("hookbench") }
    }

    /// The path of the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file in the directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Reads a file in the directory; `None` if it is missing or unreadable.
    pub fn read(&self, name: &str) -> Option<String> {
        hookbench_system::disk::read_text(self.file(name)).ok()
    }

    /// The reason why a file in the directory may have been written by another user. `None` if only this user can have
    /// written it, or if it does not exist.
    pub fn tampering_reason(&self, name: &str) -> Option<String> {
        hookbench_system::disk::tampering_reason(&self.root, name)
    }

    /// Replaces a file in the directory atomically; it is readable only by its owner.
    ///
    /// # Errors
    /// Returns an error if the directory or the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StateError> {
        let path = self.file(name);
        let fail = |source| StateError { path: path.display().to_string(), source };
        owner_only_directory(&self.root).map_err(fail)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.root).map_err(fail)?;
        file.write_all(text.as_bytes()).map_err(fail)?;
        file.as_file().sync_all().map_err(fail)?;
        file.persist(&path).map_err(|e| fail(e.error))?;
        Ok(())
    }

    /// Removes the files with this name prefix, except for the last `count` ones by name. Files that cannot be
    /// removed are left.
    pub fn keep_last(&self, prefix: &str, count: usize) {
        let Ok(entries) = std::fs::read_dir(&self.root) else { return };
        let begins = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix));
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(begins).collect();
        paths.sort();
        for path in paths.iter().rev().skip(count) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The path of the user's configuration: `$XDG_CONFIG_HOME/hookbench/config.toml`, or below `~/.config`. `None`
/// without a home directory.
pub fn config_file(var: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    settings_file(var("XDG_CONFIG_HOME").as_deref(), var("HOME").as_deref().map(Path::new))
}

#[cfg(unix)]
fn owner_only_directory(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn owner_only_directory(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)
}
