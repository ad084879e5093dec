//! The number of times in a row that a session was kept from stopping.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The counter of one session.
pub struct BlockCounter(PathBuf);

impl BlockCounter {
    /// The counter of a session, whose id is a valid file name.
    pub fn new(state: &Path, session: &str) -> BlockCounter {
        BlockCounter(state.join("guard-blocks").join(session))
    }

    /// Reads the number.
    pub fn read(&self) -> u32 {
        let bytes = crate::disk::read_beginning(&self.0, 16).unwrap_or_default();
        std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// Writes the number; zero removes it. Errors are ignored, because the agent waits for an answer.
    pub fn write(&self, number: u32) {
        if number == 0 {
            let _ = std::fs::remove_file(&self.0);
            return;
        }
        if let Some(directory) = self.0.parent() {
            let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
        }
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(&self.0);
        let _ = file.and_then(|mut file| file.write_all(number.to_string().as_bytes()));
    }
}
