//! The paths where client and server meet, and their required ownership.

use std::path::{Path, PathBuf};

/// The maximum length of a socket path.
pub const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The inputs of the default socket path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SocketFolders {
    /// `XDG_RUNTIME_DIR`.
    pub runtime: Option<String>,
    /// `TMPDIR`. Used only on macOS.
    pub temporary: Option<String>,
    pub mac: bool,
    pub uid: u32,
}

/// The folder in which a running server stores the path of its socket (`socket`), and clients their log. It does
/// not use `XDG_STATE_HOME`: some agents start hooks without such variables, but never without a home folder.
pub fn state_folder(home: &Path) -> PathBuf {
    home.join(".local/state/hookbench")
}

/// Returns the path of the user's settings: `$XDG_CONFIG_HOME/hookbench/config.toml`, else under `~/.config`.
/// `None` without a home folder.
pub fn settings_file(config_home: Option<&str>, home: Option<&Path>) -> Option<PathBuf> {
    let said = config_home.filter(|dir| dir.starts_with('/')).map(PathBuf::from);
    let base = said.or_else(|| Some(home.filter(|home| home.is_absolute())?.join(".config")))?;
    Some(base.join("hookbench/config.toml"))
}

/// Returns the default socket path.
pub fn default_socket(folders: &SocketFolders) -> PathBuf {
    let absolute = |dir: &Option<String>| dir.as_deref().filter(|d| d.starts_with('/')).map(PathBuf::from);
    if let Some(runtime) = absolute(&folders.runtime) {
        return runtime.join("hookbench/hookbench.sock");
    }
    let temporary = absolute(&folders.temporary).filter(|_| folders.mac);
    let base = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    base.join(format!("hookbench-{}/hookbench.sock", folders.uid))
}

/// The metadata of a folder, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderMetadata {
    /// Whether it is a folder and not a link to one.
    pub real: bool,
    pub owner: u32,
    /// The permission bits.
    pub mode: u32,
}

/// Returns why a socket in this folder is not trusted. `None` if only the user can use the folder.
pub fn distrust_reason(folder: FolderMetadata, uid: u32) -> Option<&'static str> {
    if !folder.real {
        Some("it is a link or a file, not a directory")
    } else if folder.owner != uid {
        Some("it belongs to another user")
    } else if folder.mode & 0o077 != 0 {
        Some("other users have access to it (run chmod 700 on it)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_socket_paths() {
        let some = |text: &str| Some(text.to_owned());
        let folders = |runtime: Option<String>, temporary, mac| SocketFolders { runtime, temporary, mac, uid: 7 };
        for (folders, path) in [
            (folders(some("/run/user/7"), some("/t"), true), "/run/user/7/hookbench/hookbench.sock"),
            (folders(some("run"), some("/t"), true), "/t/hookbench-7/hookbench.sock"),
            (folders(None, some("/t"), false), "/tmp/hookbench-7/hookbench.sock"),
            (folders(None, None, true), "/tmp/hookbench-7/hookbench.sock"),
        ] {
            assert_eq!(default_socket(&folders), Path::new(path));
        }
        let folder = FolderMetadata { real: true, owner: 7, mode: 0o700 };
        assert_eq!(distrust_reason(folder, 7), None);
        assert!(distrust_reason(folder, 0).is_some());
        assert!(distrust_reason(FolderMetadata { real: false, ..folder }, 7).is_some());
        assert!(distrust_reason(FolderMetadata { mode: 0o755, ..folder }, 7).is_some());
        assert!(distrust_reason(FolderMetadata { mode: 0o720, ..folder }, 7).is_some());
    }
}
