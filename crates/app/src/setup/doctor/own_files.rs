//! hookbench's own files: the state directory and the configuration, with their permissions.

use std::path::Path;

use serde::Serialize;

use crate::disk::state_dir::{StateDir, config_file};
use hookbench_core::config::Place;

/// One of hookbench's own files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OwnFileDoc"))]
pub struct OwnFile {
    pub path: String,
    /// `state` or `config`.
    pub kind: &'static str,
    pub exists: bool,
    /// Octal; null if the file does not exist.
    pub mode: Option<String>,
    /// A problem with the file.
    pub note: Option<String>,
}

/// The state directory, its files by name, and the configuration.
pub fn own_files(place: &Place) -> Vec<OwnFile> {
    let directory = StateDir::of(place).root().to_owned();
    let mut inside: Vec<_> = std::fs::read_dir(&directory).into_iter().flatten().flatten().map(|e| e.path()).collect();
    inside.sort();
    let mut files: Vec<OwnFile> =
        std::iter::once(&directory).chain(&inside).map(|path| examine_file(path, "state", 0o077)).collect();
    // The configuration may be readable by others, but a user who can change it chooses the program that opens
    // files.
    files.extend(
        config_file(&|name| place.var(name).map(str::to_owned)).map(|path| examine_file(&path, "config", 0o022)),
    );
    files
}

/// Examines one file; `wrong` are the permission bits that it must not have.
fn examine_file(path: &Path, kind: &'static str, wrong: u32) -> OwnFile {
    let name = path.display().to_string();
    let gone = |note| OwnFile { path: name.clone(), kind, exists: false, mode: None, note };
    match std::fs::metadata(path) {
        Ok(found) => {
            let mode: Option<u32> = mode(&found).into();
            let note = mode.filter(|mode| mode & wrong != 0).map(|mode| {
                let does = if mode & 0o022 != 0 { "change" } else { "read" };
                format!("other users can {does} it")
            });
            OwnFile { exists: true, mode: mode.map(|mode| format!("{mode:04o}")), note, ..gone(None) }
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => gone(None),
        Err(why) => gone(Some(format!("cannot be checked: {why}"))),
    }
}

/// The permission bits, if the system has them.
#[cfg(unix)]
fn mode(found: &std::fs::Metadata) -> impl Into<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> impl Into<Option<u32>> {
    None
}
