//! The directories under which hookbench keeps files that it trusts. None depends on the directory in which it is started,
//! because a cloned repository could then bring such files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::disk::usual_form;
use hookbench_core::live::is_fixed;

/// The variable with the user's home directory.
const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
/// The longest entry of the password database that is read, in bytes.
#[cfg(unix)]
const LONGEST_ENTRY: usize = 64 * 1024;
/// The most links that a path is followed through, as the system does.
const MOST_LINKS: usize = 40;

/// The value of an environment variable. `None` if it is empty, or not Unicode.
pub fn text_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The user's home directory: `HOME` (`USERPROFILE` on Windows), or else the password database. `None` if neither names a
/// fixed path.
pub fn home_directory() -> Option<PathBuf> {
    absolute_directory(std::env::var_os(HOME).as_deref()).or_else(home_in_password_database)
}

/// The directory that a variable names. `None` if the path depends on the process, as a relative one does, and one with a
/// link to `/proc/self/cwd`.
pub fn absolute_directory(value: Option<&OsStr>) -> Option<PathBuf> {
    let path = value.map(Path::new).filter(|path| is_fixed(path) && has_fixed_links(path));
    path.map(|path| usual_form(path.to_owned()))
}

/// Whether no link in a path leads to a place that depends on the process.
fn has_fixed_links(path: &Path) -> bool {
    let mut waiting = vec![path.to_owned()];
    for _ in 0..MOST_LINKS {
        let Some(path) = waiting.pop() else { return true };
        let link = path.ancestors().find_map(|part| Some((part, std::fs::read_link(part).ok()?)));
        let Some((part, target)) = link else { continue };
        let target = part.parent().unwrap_or(Path::new("/")).join(target);
        if !is_fixed(&target) {
            return false;
        }
        waiting.extend([part.parent().unwrap_or(Path::new("/")).to_owned(), target]);
    }
    false
}

/// The directory for temporary files: `TMPDIR` if that is an absolute path, else the system's.
pub fn temporary_directory() -> PathBuf {
    let system = if cfg!(windows) { r"C:\Windows\Temp" } else { "/tmp" };
    absolute_directory(Some(std::env::temp_dir().as_os_str())).unwrap_or_else(|| PathBuf::from(system))
}

/// Makes temporary files of this process independent of the current directory.
pub fn use_absolute_temporary_directory() {
    if absolute_directory(Some(std::env::temp_dir().as_os_str())).is_none() {
        // Fails only if it was done before.
        let _ = tempfile::env::override_temp_dir(&temporary_directory());
    }
}

/// The user's home directory in the password database.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library asks the database only if HOME is not set")]
pub(crate) fn home_in_password_database() -> Option<PathBuf> {
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
    let directory = unsafe { std::ffi::CStr::from_ptr(directory) };
    absolute_directory(Some(std::os::unix::ffi::OsStrExt::from_bytes(directory.to_bytes())))
}

/// There is no such database.
#[cfg(windows)]
pub(crate) fn home_in_password_database() -> Option<PathBuf> {
    None
}

#[cfg(unix)]
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
    fn no_link_leads_to_the_working_directory() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("real")).unwrap();
        for (name, target) in [
            ("cwd", "/proc/self/cwd"),
            ("self", "/proc/self"),
            ("again", "cwd"),
            ("up", "real/../cwd"),
            ("loop", "loop"),
            ("good", "real"),
            ("better", "good"),
        ] {
            std::os::unix::fs::symlink(target, at(name)).unwrap();
        }
        for (name, is_known) in [
            ("cwd", false),
            ("cwd/x", false),
            ("self/cwd", false),
            ("again", false),
            ("up", false),
            ("loop", false),
            ("real/../cwd", false),
            ("good", true),
            ("better/new", true),
            ("new/x", true),
        ] {
            assert_eq!(absolute_directory(Some(at(name).as_os_str())).is_some(), is_known, "{name}");
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
