//! The file system, as the core accesses it.

use std::io::{Error, ErrorKind};
use std::path::Path;

use hookbench_core::config::{FileError, Files};
use hookbench_system::disk;
use hookbench_system::disk::canonical;

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        let other = |why: &str, cure| FileError::Unreadable { why: why.to_owned(), help: cure };
        let unreadable = |why: std::io::Error| match why.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => FileError::Missing,
            ErrorKind::PermissionDenied => other("permission denied", "make it readable: chmod u+r"),
            ErrorKind::IsADirectory => other("it is a directory", "replace it with a file, or delete it"),
            // Reading a pipe or a device would block forever.
            ErrorKind::InvalidInput => {
                other("it is not a regular file", "replace it with a regular file, or delete it")
            }
            ErrorKind::FileTooLarge => {
                other("it is over 64 MiB", "settings are usually a few lines: is this the right file?")
            }
            _ => other(&why.to_string(), "check whether you can open it"),
        };
        disk::read(path).map_err(unreadable)
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn canonical(&self, path: &str) -> Option<String> {
        canonical(path).ok().map(|p| p.to_string_lossy().into_owned())
    }

    fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn executable(&self, path: &str) -> Option<bool> {
        executable(path)
    }

    fn is_admin_only(&self, path: &str) -> bool {
        // Check both the path as given and the canonical path.
        let real = canonical(path);
        let guarded = |path: &Path| path.ancestors().all(|part| part.as_os_str().is_empty() || guarded(part));
        guarded(Path::new(path)) && real.is_ok_and(|real| guarded(&real))
    }
}

#[cfg(unix)]
fn executable(path: &str) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(meta.permissions().mode() & 0o111 != 0)
}

#[cfg(unix)]
fn guarded(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).is_ok_and(|meta| meta.uid() == 0 && meta.mode() & 0o022 == 0)
}

/// Write permissions are controlled by access control lists, which are not read here.
#[cfg(not(unix))]
fn guarded(_path: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn executable(path: &str) -> Option<bool> {
    Path::new(path).is_file().then_some(true)
}

/// The cause of an error of the file system, without the path and the number that the system adds.
pub fn io_cause(why: &Error) -> String {
    match why.kind() {
        ErrorKind::NotFound => "the file does not exist".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        kind @ (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::StorageFull) => {
            kind.to_string()
        }
        _ => why.to_string(),
    }
}
