//! Holds the directory of a file while the file changes: a link that takes the directory's place meanwhile leads nowhere.

use std::path::{Path, PathBuf};

use crate::disk::files::io_cause;
use crate::disk::state_dir::StateError;

/// Calls a function with a path of the file that goes through its open directory. Where the system has no such paths, this
/// is the path itself. No directory of `path` may be a link.
pub(super) fn in_held_directory(
    path: &Path,
    act: impl FnOnce(&Path) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let Some(held) = HeldDirectory::open(path)? else { return act(path) };
    act(&held.path).map_err(|why| held.named_as_before(why, path))
}

struct HeldDirectory {
    /// The path through the open directory.
    path: PathBuf,
    #[cfg(target_os = "linux")]
    _directory: rustix::fd::OwnedFd,
}

impl HeldDirectory {
    #[cfg(target_os = "linux")]
    fn open(path: &Path) -> Result<Option<HeldDirectory>, WriteError> {
        use rustix::fd::AsRawFd as _;
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = match openat2(CWD, parent, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(directory) => directory,
            Err(rustix::io::Errno::LOOP) => return Err(WriteError::Changed(path.display().to_string())),
            // The file itself then says what is wrong.
            Err(_) => return Ok(None),
        };
        let through = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
        let path = through.join(name);
        Ok(through.exists().then_some(HeldDirectory { path, _directory: directory }))
    }

    #[cfg(not(target_os = "linux"))]
    fn open(_path: &Path) -> Result<Option<HeldDirectory>, WriteError> {
        Ok(None)
    }

    /// An error with the name of the file that people know.
    fn named_as_before(&self, why: WriteError, path: &Path) -> WriteError {
        let known = |shown: String| match (self.path.parent(), path.parent()) {
            (Some(through), Some(parent)) => shown.replacen(&*through.to_string_lossy(), &parent.to_string_lossy(), 1),
            _ => shown,
        };
        match why {
            WriteError::Changed(shown) => WriteError::Changed(known(shown)),
            WriteError::ChangedTwice { path, kept } => {
                WriteError::ChangedTwice { path: known(path), kept: known(kept) }
            }
            WriteError::Io { path, source } => WriteError::Io { path: known(path), source },
            other => other,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_directory_that_becomes_a_link_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for name in ["here", "elsewhere"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let file = root.join("here/file");
        let why = in_held_directory(&file, |held| {
            // Another program puts a link in the place of the directory.
            fs::rename(root.join("here"), root.join("gone")).unwrap();
            symlink(root.join("elsewhere"), root.join("here")).unwrap();
            fs::write(held, "mine").unwrap();
            Err(WriteError::Changed(held.display().to_string()))
        })
        .unwrap_err();
        assert_eq!(why.to_string(), WriteError::Changed(file.display().to_string()).to_string());
        assert_eq!(fs::read_to_string(root.join("gone/file")).unwrap(), "mine");
        assert!(!root.join("elsewhere/file").exists());
        // Afterwards it is a link, and the write is refused.
        let why = in_held_directory(&file, |_| panic!("it is a link")).unwrap_err();
        assert!(matches!(why, WriteError::Changed(_)), "{why}");
    }
}

/// The reason why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0} has changed in the meantime; nothing was written")]
    Changed(String),
    #[error(
        "{path} has changed twice in the meantime: one version is there, the other is now in {kept}; hookbench changed nothing in them"
    )]
    ChangedTwice { path: String, kept: String },
    #[error("not undone: {0} has changed since; take your change out of it, or remove by hand what was written")]
    ChangedSince(String),
    #[error("{path} cannot be written: {}", io_cause(source))]
    Io { path: String, source: std::io::Error },
    #[error("{0}, so the change could not be undone later; nothing was written")]
    Journal(#[from] StateError),
    #[error("nothing to undo")]
    Nothing,
    #[error("the last change was made in {0}: undo it with --project {0}")]
    Elsewhere(String),
    #[error("{0}: the record of the change cannot be read")]
    Record(String),
    #[error(
        "{path} is a link out of the project, to {real}; nothing was written. To write there, add --follow-links, or run hookbench in the directory of that file"
    )]
    LeadsOut { path: String, real: String },
}

/// The error of a system call on a file.
pub(super) fn io(path: &Path, source: std::io::Error) -> WriteError {
    WriteError::Io { path: path.display().to_string(), source }
}
