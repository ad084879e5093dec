//! The record of the additions to a settings file, which allows their exact removal.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::disk::state_dir::{StateDir, StateError};
use hookbench_core::install::MarkedText;

/// The record of the additions to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallRecord {
    pub marked: MarkedText,
    /// Whether the file was created.
    pub created: bool,
    /// The outermost directory that was created for it.
    #[serde(rename = "folder")]
    pub directory: Option<PathBuf>,
}

impl InstallRecord {
    /// Reads the record of a settings file; `None` if it is missing or unreadable.
    pub fn read(state: &StateDir, path: &str) -> Option<InstallRecord> {
        serde_json::from_str(&state.read(&record_name(path))?).ok()
    }

    /// Saves the record.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&self, state: &StateDir, path: &str) -> Result<(), StateError> {
        let name = record_name(path);
        let source = |why: serde_json::Error| StateError { path: name.clone(), source: why.into() };
        state.write(&name, &serde_json::to_string(self).map_err(source)?)
    }
}

/// The name of the record file, derived from the canonical path of the settings file.
fn record_name(path: &str) -> String {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| real_below(Path::new(path)));
    let digest = Sha256::digest(real.as_os_str().as_encoded_bytes());
    let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    format!("installed-{number:016x}.json")
}

/// The canonical path of a file that does not exist, based on the nearest existing directory.
fn real_below(path: &Path) -> PathBuf {
    let Some((parent, name)) = path.parent().zip(path.file_name()) else { return path.to_owned() };
    std::fs::canonicalize(parent).unwrap_or_else(|_| real_below(parent)).join(name)
}
