//! What was put into a settings file, so that it can be taken out to the byte.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::state_dir::{StateDir, StoreError};
use hookbench_core::install::Marked;

/// What was put into one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub marked: Marked,
    /// The file was not there before.
    pub created: bool,
    /// The folder that was made for it.
    pub folder: Option<PathBuf>,
}

impl Memory {
    /// What was put into a file; none: nothing, or it cannot be read.
    pub fn read(state: &StateDir, path: &str) -> Option<Memory> {
        serde_json::from_str(&state.read(&name(path))?).ok()
    }

    /// Remembers it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, state: &StateDir, path: &str) -> Result<(), StoreError> {
        let name = name(path);
        let source = |why: serde_json::Error| StoreError { path: name.clone(), source: why.into() };
        state.write(&name, &serde_json::to_string(self).map_err(source)?)
    }
}

/// One file for each settings file, under its real path.
fn name(path: &str) -> String {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| real_below(Path::new(path)));
    let digest = Sha256::digest(real.as_os_str().as_encoded_bytes());
    let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    format!("installed-{number:016x}.json")
}

/// The real path of a file that is not there, below the nearest folder that is.
fn real_below(path: &Path) -> PathBuf {
    let Some((parent, name)) = path.parent().zip(path.file_name()) else { return path.to_owned() };
    std::fs::canonicalize(parent).unwrap_or_else(|_| real_below(parent)).join(name)
}
