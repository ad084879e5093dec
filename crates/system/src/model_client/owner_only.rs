//! Files that only their owner can read.

use std::fs::DirBuilder;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Creates a directory and its parents.
pub fn create_directory(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Replaces a file atomically. The directory must exist.
pub fn replace_file(directory: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(directory.join(name)).map_err(|why| why.error)?;
    Ok(())
}
