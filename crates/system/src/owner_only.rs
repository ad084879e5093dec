//! Files and directories that only their owner can use, and the user who owns them.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a directory and its missing parents, for this user alone. An existing directory is not changed.
pub fn create_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }
    #[cfg(windows)]
    {
        let Some(parent) = path.parent().filter(|_| !path.is_dir()) else {
            return DirBuilder::new().recursive(true).create(path);
        };
        create_directory(parent)?;
        crate::windows_user::create_directory(path)
    }
}

/// Options with which a new file is for this user alone. On Windows a file has the rights of its directory.
pub fn open_options() -> OpenOptions {
    #[cfg_attr(windows, allow(unused_mut, reason = "files have no modes there"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The number of this user. On Windows users have no numbers.
pub fn user_id() -> u32 {
    #[cfg(unix)]
    return rustix::process::geteuid().as_raw();
    #[cfg(windows)]
    return 0;
}

/// Locks a file until it is closed, without waiting. Returns false if another process has locked it.
///
/// # Errors
/// Returns an error if the file system has no locks.
pub fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(why)) => Err(why),
    }
}
