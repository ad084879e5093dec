//! The paths where client and server meet, and their required ownership.

use std::path::{Component, Path, PathBuf};

/// The maximum length of a socket path.
pub const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The inputs of the default socket path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SocketDirectories {
    /// `XDG_RUNTIME_DIR`.
    pub runtime: Option<String>,
    /// `TMPDIR`. Used only on macOS.
    pub temporary: Option<String>,
    pub mac: bool,
    /// The name of the user on Windows, where the socket is a named pipe.
    pub pipes_of: Option<String>,
    pub uid: u32,
}

/// Whether a path names the same directory in every process, wherever it was started. A path below `/proc` or `/dev/fd` can
/// lead to the working directory, which may be a cloned repository.
pub fn is_fixed(path: &Path) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_str().unwrap_or_default()),
            Component::ParentDir => drop(names.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        // Not only at the end: `/dev/fd/..` is `/proc/self`.
        if matches!(names.as_slice(), ["proc", ..] | ["dev", "fd" | "stdin" | "stdout" | "stderr", ..]) {
            return false;
        }
    }
    path.is_absolute()
}

/// The directory in which a running server stores the path of its socket (`socket`), and clients their log. It does
/// not use `XDG_STATE_HOME`: some agents start hooks without such variables, but never without a home directory.
pub fn state_directory(home: &Path) -> PathBuf {
    home.join(".local/state/hookbench")
}

/// Returns the path of the user's settings: `$XDG_CONFIG_HOME/hookbench/config.toml`, else under `~/.config`.
/// `None` without a home directory.
pub fn settings_file(config_home: Option<&str>, home: Option<&Path>) -> Option<PathBuf> {
    let said = config_home.map(PathBuf::from).filter(|dir| is_fixed(dir));
    let base = said.or_else(|| Some(home.filter(|home| is_fixed(home))?.join(".config")))?;
    Some(base.join("hookbench/config.toml"))
}

/// Returns the default socket path.
pub fn default_socket(directories: &SocketDirectories) -> PathBuf {
    if let Some(user) = &directories.pipes_of {
        return PathBuf::from(format!(r"\\.\pipe\hookbench-{user}"));
    }
    let absolute = |dir: &Option<String>| dir.as_deref().map(PathBuf::from).filter(|dir| is_fixed(dir));
    if let Some(runtime) = absolute(&directories.runtime) {
        return runtime.join("hookbench/hookbench.sock");
    }
    let temporary = absolute(&directories.temporary).filter(|_| directories.mac);
    let base = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    base.join(format!("hookbench-{}/hookbench.sock", directories.uid))
}

/// The metadata of a directory, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryMetadata {
    /// Whether it is a directory and not a link to one.
    pub real: bool,
    pub owner: u32,
    /// The permission bits.
    pub mode: u32,
}

/// Returns why a socket in this directory is not trusted. `None` if only the user can use the directory.
pub fn distrust_reason(directory: DirectoryMetadata, uid: u32) -> Option<&'static str> {
    if !directory.real {
        Some("it is a link or a file, not a directory")
    } else if directory.owner != uid {
        Some("it belongs to another user")
    } else if directory.mode & 0o077 != 0 {
        Some("other users have access to it (run chmod 700 on it)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_fixed_path_does_not_hang_on_the_process() {
        for (path, fixed) in [
            ("/home/me", true),
            ("/processes/x", true),
            ("/dev/shm/x", true),
            ("/proc2", true),
            ("", false),
            (".", false),
            ("home/me", false),
            ("/proc/self/cwd", false),
            ("/proc", false),
            ("//proc/1/cwd", false),
            ("/./proc/self/root/../cwd", false),
            ("/home/../proc/self/cwd", false),
            ("/dev/fd/3", false),
            ("/dev/fd/../cwd", false),
            ("/dev/stdin/x", false),
        ] {
            assert_eq!(is_fixed(Path::new(path)), fixed, "{path:?}");
        }
        assert_eq!(settings_file(Some("/proc/self/cwd"), None), None);
        assert_eq!(settings_file(None, Some(Path::new("/proc/self/cwd"))), None);
    }

    #[test]
    fn a_user_of_windows_has_a_pipe() {
        let directories = SocketDirectories { pipes_of: Some("me".to_owned()), ..SocketDirectories::default() };
        assert_eq!(default_socket(&directories), Path::new(r"\\.\pipe\hookbench-me"));
    }

    #[cfg(unix)]
    #[test]
    fn default_socket_paths() {
        let some = |text: &str| Some(text.to_owned());
        let directories = |runtime: Option<String>, temporary, mac| SocketDirectories {
            runtime,
            temporary,
            mac,
            pipes_of: None,
            uid: 7,
        };
        for (directories, path) in [
            (directories(some("/run/user/7"), some("/t"), true), "/run/user/7/hookbench/hookbench.sock"),
            (directories(some("run"), some("/t"), true), "/t/hookbench-7/hookbench.sock"),
            (directories(None, some("/t"), false), "/tmp/hookbench-7/hookbench.sock"),
            (directories(None, None, true), "/tmp/hookbench-7/hookbench.sock"),
        ] {
            assert_eq!(default_socket(&directories), Path::new(path));
        }
        let directory = DirectoryMetadata { real: true, owner: 7, mode: 0o700 };
        assert_eq!(distrust_reason(directory, 7), None);
        assert!(distrust_reason(directory, 0).is_some());
        assert!(distrust_reason(DirectoryMetadata { real: false, ..directory }, 7).is_some());
        assert!(distrust_reason(DirectoryMetadata { mode: 0o755, ..directory }, 7).is_some());
        assert!(distrust_reason(DirectoryMetadata { mode: 0o720, ..directory }, 7).is_some());
    }
}
