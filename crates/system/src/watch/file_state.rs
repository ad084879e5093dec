//! The state of a file.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::SystemTime;

/// Longer files are compared only by length and time: they are programs, not settings.
const LONG: u64 = 16 << 20;

/// The state of a file, in enough detail to detect changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileState {
    Missing,
    /// A directory, a pipe, or a file without read permission.
    Closed(u32),
    /// The names in a directory.
    Names(u64),
    Short {
        hash: u64,
        mode: u32,
    },
    Long {
        length: u64,
        time: Option<SystemTime>,
        mode: u32,
    },
}

impl FileState {
    /// Reads the state of a file, following links.
    pub fn read(path: &Path) -> FileState {
        let found = match path.metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return FileState::Closed(0),
            Err(_) => return FileState::Missing,
        };
        // Read and write permissions of others are irrelevant.
        let mode = mode(&found) & !0o666;
        // Reading anything but a regular file could block.
        if !found.is_file() {
            return FileState::Closed(mode);
        }
        if found.len() > LONG {
            return FileState::Long { length: found.len(), time: found.modified().ok(), mode };
        }
        match hash(path) {
            Ok(hash) => FileState::Short { hash, mode },
            Err(error) if error.kind() == ErrorKind::NotFound => FileState::Missing,
            Err(_) => FileState::Closed(mode),
        }
    }
}

impl FileState {
    /// Reads the names in a directory.
    pub fn read_directory(path: &Path) -> FileState {
        let Ok(entries) = path.read_dir() else { return FileState::Missing };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        let mut hasher = DefaultHasher::new();
        names.hash(&mut hasher);
        FileState::Names(hasher.finish())
    }
}

fn hash(path: &Path) -> io::Result<u64> {
    let mut file = crate::disk::open(path)?;
    let mut hasher = DefaultHasher::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(hasher.finish()),
            // `write` instead of `hash`, because the result must not depend on how the bytes are split.
            Ok(count) => hasher.write(&chunk[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(unix)]
fn mode(found: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(found)
}

#[cfg(not(unix))]
fn mode(found: &Metadata) -> u32 {
    u32::from(found.permissions().readonly())
}
