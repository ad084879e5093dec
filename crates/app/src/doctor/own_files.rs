//! Our own files: what is remembered and the configuration, and who may read or change them.

use std::path::Path;

use crate::state_dir::{StateDir, config_file};
use hookbench_core::config::Place;

/// One file or folder of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFile {
    pub path: String,
    /// `state` or `config`.
    pub kind: &'static str,
    pub there: bool,
    /// As `chmod` takes it; none where the system has no such thing, or nothing is there.
    pub mode: Option<String>,
    /// What is not as it should be.
    pub note: Option<String>,
}

/// The folder of what is remembered, what lies in it by name, and the configuration.
pub fn own_files(place: &Place) -> Vec<OwnFile> {
    let folder = StateDir::of(place).root().to_owned();
    let mut inside: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    inside.sort();
    let mut files: Vec<OwnFile> =
        std::iter::once(&folder).chain(&inside).map(|path| look(path, "state", 0o077)).collect();
    // Others may know how we are configured, but whoever changes it chooses what opens files.
    files.extend(config_file(&|name| place.var(name).map(str::to_owned)).map(|path| look(&path, "config", 0o022)));
    files
}

/// `wrong` are the permissions that it must not have.
fn look(path: &Path, kind: &'static str, wrong: u32) -> OwnFile {
    let name = path.display().to_string();
    let gone = |note| OwnFile { path: name.clone(), kind, there: false, mode: None, note };
    match std::fs::metadata(path) {
        Ok(found) => {
            let mode: Option<u32> = mode(&found).into();
            let note = mode.filter(|mode| mode & wrong != 0).map(|mode| {
                let does = if mode & 0o022 != 0 { "change" } else { "read" };
                format!("others than you may {does} it")
            });
            OwnFile { there: true, mode: mode.map(|mode| format!("{mode:04o}")), note, ..gone(None) }
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => gone(None),
        Err(why) => gone(Some(format!("cannot be looked at: {why}"))),
    }
}

/// Its permissions, where the system has such.
#[cfg(unix)]
fn mode(found: &std::fs::Metadata) -> impl Into<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> impl Into<Option<u32>> {
    None
}
