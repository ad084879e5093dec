//! hookbench's state directory, which only its owner can access.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookbench_core::config::Place;
use hookbench_core::live::{settings_file, state_directory};
use hookbench_system::own_directories::{absolute_directory, home_directory};
use hookbench_system::owner_only::create_directory;

/// An error in writing a state file.
#[derive(Debug, thiserror::Error)]
#[error("could not write {path}: {source}")]
pub struct StateError {
    pub path: String,
    pub source: std::io::Error,
}

/// Why nothing is read from or written to a state directory.
pub const NO_STATE_DIRECTORY: &str = "hookbench has no place for its own files: neither HOME nor XDG_STATE_HOME is an absolute path, and the system knows no home directory for you; set HOME";

/// A path at which no file can be.
const NOWHERE: &str = "/dev/null/hookbench";

/// `$XDG_STATE_HOME/hookbench`, or `~/.local/state/hookbench` in the real home directory. Always an absolute path: a
/// relative one would let a cloned repository contain approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    root: PathBuf,
    /// The project for which it is used.
    project: Option<PathBuf>,
}

impl StateDir {
    /// The state directory for this environment. It is created on the first write.
    pub fn of(place: &Place) -> StateDir {
        let project = Some(PathBuf::from(&place.project));
        StateDir { project, ..StateDir::below(place.var("XDG_STATE_HOME"), own_home(place)) }
    }

    /// The state directory for the environment of this process, for data that belongs to no project.
    pub fn for_process() -> StateDir {
        StateDir::below(std::env::var("XDG_STATE_HOME").ok().as_deref(), home_directory())
    }

    fn below(state_home: Option<&str>, home: Option<PathBuf>) -> StateDir {
        let moved = absolute_directory(state_home.map(OsStr::new)).map(|base| base.join("hookbench"));
        let root = moved.or_else(|| home.map(|home| state_directory(&home)));
        StateDir { root: root.unwrap_or_else(|| PathBuf::from(NOWHERE)), project: None }
    }

    /// Whether the directory can exist.
    pub fn is_known(&self) -> bool {
        self.root != Path::new(NOWHERE)
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

    /// The reason why a file in the directory may have been written by another user, or by the authors of the project.
    /// `None` if only this user can have written it, or if it does not exist.
    pub fn tampering_reason(&self, name: &str) -> Option<String> {
        hookbench_system::disk::tampering_reason(&self.root, name, self.project.as_deref())
    }

    /// Replaces a file in the directory atomically; it is readable only by its owner.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StateError> {
        let path = self.file(name);
        let fail = |source| StateError { path: path.display().to_string(), source };
        if !self.is_known() {
            return Err(fail(std::io::Error::other(NO_STATE_DIRECTORY)));
        }
        create_directory(&self.root).map_err(fail)?;
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
    let home = absolute_directory(var("HOME").as_deref().map(OsStr::new)).or_else(home_directory);
    settings_file(var("XDG_CONFIG_HOME").as_deref(), home.as_deref())
}

/// The home directory that holds hookbench's own files. It is never one that the user names for the agent, because that
/// may be part of a project.
pub fn own_home(place: &Place) -> Option<PathBuf> {
    let named = place.var("HOME").or_else(|| (!place.home_given).then_some(place.home.as_str()));
    absolute_directory(named.map(OsStr::new)).or_else(home_directory)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_never_depends_on_the_current_directory() {
        let place = |variables: &[(&str, &str)], home_given| Place {
            home: "/given".to_owned(),
            home_given,
            env: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..Place::default()
        };
        let root =
            |variables: &[(&str, &str)], home_given| StateDir::of(&place(variables, home_given)).root().to_owned();
        for bad in ["", ".", "./", "state", "../state", "/proc/self/cwd", "/dev/fd/0"] {
            for home_given in [true, false] {
                let found = root(&[("HOME", bad), ("XDG_STATE_HOME", bad)], home_given);
                assert!(
                    found.is_absolute() && !found.starts_with("/given") && !found.starts_with("/proc"),
                    "{bad:?}: {}",
                    found.display()
                );
            }
            assert_eq!(root(&[("HOME", "/h"), ("XDG_STATE_HOME", bad)], true), Path::new("/h/.local/state/hookbench"));
            let file = config_file(&|name| (name == "HOME" || name == "XDG_CONFIG_HOME").then(|| bad.to_owned()));
            assert!(file.is_none_or(|file| file.is_absolute() && !file.starts_with("/proc")), "{bad:?}");
        }
        assert_eq!(root(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")], false), Path::new("/s/hookbench"));
        assert_eq!(root(&[], false), Path::new("/given/.local/state/hookbench"));
    }

    #[test]
    fn without_a_home_directory_nothing_is_kept() {
        let state = StateDir::below(None, None);
        assert!(!state.is_known());
        let error = state.write("x", "text").unwrap_err().to_string();
        assert!(error.contains(NO_STATE_DIRECTORY), "{error}");
    }
}
