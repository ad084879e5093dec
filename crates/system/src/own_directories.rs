//! The directories under which hookbench keeps files that it trusts. None depends on the directory in which it is started,
//! because a cloned repository could then bring such files.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hookbench_core::live::is_fixed;

/// The longest entry of the password database that is read, in bytes.
const LONGEST_ENTRY: usize = 64 * 1024;

/// The user's home directory: `HOME`, or else the password database. `None` if neither names a fixed path.
pub fn home_directory() -> Option<PathBuf> {
    absolute_directory(std::env::var_os("HOME").as_deref()).or_else(home_in_password_database)
}

/// The directory that a variable names. `None` if the path depends on the process, as a relative one does.
pub fn absolute_directory(value: Option<&OsStr>) -> Option<PathBuf> {
    value.map(Path::new).filter(|path| is_fixed(path)).map(Path::to_owned)
}

/// The directory for temporary files: `TMPDIR` if that is an absolute path, else the system's.
pub fn temporary_directory() -> PathBuf {
    absolute_directory(Some(std::env::temp_dir().as_os_str())).unwrap_or_else(|| PathBuf::from("/tmp"))
}

/// Makes temporary files of this process independent of the current directory.
pub fn use_absolute_temporary_directory() {
    if !is_fixed(&std::env::temp_dir()) {
        // Fails only if it was done before.
        let _ = tempfile::env::override_temp_dir(&temporary_directory());
    }
}

#[allow(unsafe_code, reason = "the standard library asks the database only if HOME is not set")]
fn home_in_password_database() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let mut buffer = vec![0; LONGEST_ENTRY];
    let mut found = std::ptr::null_mut();
    let mut entry = std::mem::MaybeUninit::<libc::passwd>::uninit();
    // SAFETY: the pointers are valid for the call, and the length is that of the buffer.
    let status =
        unsafe { libc::getpwuid_r(user, entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &raw mut found) };
    if status != 0 || found.is_null() {
        return None;
    }
    // SAFETY: the call succeeded, so the entry is filled, and its texts are in the buffer.
    let directory = unsafe { (*found).pw_dir };
    if directory.is_null() {
        return None;
    }
    // SAFETY: the text ends with a null byte inside the buffer.
    let directory = unsafe { CStr::from_ptr(directory) };
    absolute_directory(Some(OsStr::from_bytes(directory.to_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_must_be_absolute() {
        for (value, want) in [
            (None, None),
            (Some(""), None),
            (Some("a/b"), None),
            (Some("/proc/self/cwd"), None),
            (Some("/a"), Some("/a")),
        ] {
            assert_eq!(absolute_directory(value.map(OsStr::new)).as_deref(), want.map(Path::new), "{value:?}");
        }
    }

    #[test]
    fn the_password_database_names_a_home_directory() {
        let listed = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let user = rustix::process::getuid().as_raw().to_string();
        let fields = listed.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let want = fields.filter(|fields| fields.get(2) == Some(&user.as_str())).find_map(|f| f.get(5).copied());
        if let Some(want) = want {
            assert_eq!(home_in_password_database().as_deref(), Some(Path::new(want)));
        }
    }
}
