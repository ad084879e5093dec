//! Reads files that a user, a repository or an agent named: only regular files, up to a size limit, and without
//! blocking. An untrusted path may be a pipe, a device, or an endless kernel file.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::own_directories::home_in_password_database;
use hookbench_core::text::from_windows_path;

/// The size limit for files that are read completely, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The number of milliseconds for which a file that another program holds is waited for.
#[cfg(unix)]
const HELD: usize = 100;

/// Opens a regular file for reading. Neither this call nor a later read waits for another program for longer than
/// a moment.
///
/// # Errors
/// Returns an error if the path does not exist or is not a regular file.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    // Checked before opening, because opening a device can have side effects.
    check_regular(&std::fs::metadata(path)?)?;
    let file = open_without_waiting(path)?;
    // Checked again, because the file may have been replaced.
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most 64 MiB.
///
/// # Errors
/// Returns an error if the file cannot be opened or read, or is too large.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_up_to(path, MAX_FILE_BYTES)
}

/// Reads the text of a regular file of at most 64 MiB.
///
/// # Errors
/// Returns an error if the file cannot be opened or read, is too large, or is not UTF-8.
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        io::Error::new(ErrorKind::InvalidData, format!("not UTF-8 (first bad byte at offset {at})"))
    })
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// Returns an error if the file cannot be opened or read, or is too large.
pub fn read_up_to(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_large = || {
        let limit = if most.is_multiple_of(1 << 20) { format!("{} MiB", most >> 20) } else { format!("{most} bytes") };
        io::Error::new(ErrorKind::FileTooLarge, format!("over {limit}"))
    };
    let size = file.metadata()?.len();
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // Kernel files report a size of 0 although they have content.
    file.take(most + 1).read_to_end(&mut bytes).map_err(|why| match why.kind() {
        ErrorKind::WouldBlock => {
            io::Error::new(ErrorKind::InvalidInput, "reading it would block until another program writes")
        }
        _ => why,
    })?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Reads up to `most` bytes from the start of a regular file.
pub fn read_beginning(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check_regular(about: &Metadata) -> io::Result<()> {
    if about.is_dir() {
        Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"))
    } else if about.is_file() {
        Ok(())
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"))
    }
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let mut options = std::fs::OpenOptions::new();
    let options = options.read(true).custom_flags(i32::try_from(flags).unwrap_or_default());
    // A program that replaces the file may hold it for a moment, as hookbench does.
    for _ in 0..HELD {
        match options.open(path) {
            Err(why) if why.kind() == ErrorKind::WouldBlock => std::thread::sleep(std::time::Duration::from_millis(1)),
            opened => return opened,
        }
    }
    options.open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The path of a file without links, in the form in which hookbench keeps paths.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    std::fs::canonicalize(path).map(usual_form)
}

/// The form in which hookbench keeps paths on this system, so that text can be added to them and compared.
pub fn usual_form(path: PathBuf) -> PathBuf {
    if cfg!(windows) { PathBuf::from(from_windows_path(&path.to_string_lossy())) } else { path }
}

/// The reason why a file in a directory of hookbench may have been written by another user, or by the authors of a project.
/// `None` if only this user can have written it, or if it does not exist.
pub fn tampering_reason(directory: &Path, name: &str, project: Option<&Path>) -> Option<String> {
    let directory = canonical(directory).ok()?;
    if let Some(repository) = project.and_then(|project| repository_around(&directory, project)) {
        let (shown, project) = (directory.display(), repository.display());
        return Some(format!("{shown} is part of the project {project} (set HOME to your own directory)"));
    }
    let own = [directory.join(name), directory.clone()].iter().find_map(|path| open_to_others(path, true));
    // A user who can write to a parent directory can replace this directory by another one.
    own.or_else(|| directory.ancestors().skip(1).find_map(|path| open_to_others(path, false)))
}

/// The project, or the repository around it, if a directory of hookbench is in it: its authors can have written what is
/// there. The user's home directory in the password database may itself be a repository.
fn repository_around(directory: &Path, project: &Path) -> Option<PathBuf> {
    let project = canonical(project).ok()?;
    let above = project.ancestors().skip(1).filter(|path| path.join(".git").exists());
    let around = std::iter::once(project.as_path()).chain(above).find(|path| directory.starts_with(path))?;
    let home = home_in_password_database().and_then(|home| canonical(home).ok());
    (!home.is_some_and(|home| home.starts_with(around))).then(|| around.to_owned())
}

/// The reason why other users can change a path: one of hookbench's own (`ours`), or a parent directory, which may
/// belong to the system.
#[cfg(unix)]
fn open_to_others(path: &Path, ours: bool) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let about = std::fs::symlink_metadata(path).ok()?;
    let (shown, owner, mode) = (path.display(), about.uid(), about.mode());
    if about.is_symlink() {
        return Some(format!("{shown} is a link"));
    }
    if owner != rustix::process::geteuid().as_raw() && (ours || owner != 0) {
        return Some(format!("{shown} belongs to another user"));
    }
    // In a sticky directory only its owner may replace entries.
    let wrong = match (ours, mode & 0o1000 != 0) {
        (true, _) => 0o022,
        (false, false) => 0o002,
        (false, true) => 0,
    };
    (mode & wrong != 0).then(|| format!("other users can change {shown} (run chmod go-w on it)"))
}

#[cfg(not(unix))]
fn open_to_others(_path: &Path, _ours: bool) -> Option<String> {
    None
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn regular_files_alone() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a"), "text").unwrap();
        std::fs::write(at("bad"), b"a\xff").unwrap();
        File::create(at("long")).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        symlink(at("a"), at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        symlink("/proc/kmsg", at("kmsg")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let fifo = std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap();
        assert!(fifo.success());
        let says = |name: &str| read_text(at(name)).map_err(|why| why.to_string());
        for name in ["a", "link"] {
            assert_eq!(says(name), Ok("text".to_owned()), "{name}");
        }
        for (name, want) in [
            ("zero", "not a regular file"),
            ("fifo", "not a regular file"),
            ("socket", "not a regular file"),
            ("", "it is a directory"),
            ("long", "over 64 MiB"),
            ("bad", "not UTF-8 (first bad byte at offset 1)"),
        ] {
            assert_eq!(says(name), Err(want.to_owned()), "{name}");
        }
        // Without permission to read the file, the error differs.
        assert!(says("kmsg").is_err());
        assert_eq!(read_beginning(at("a"), 2).unwrap(), b"te");
        assert_eq!(read_up_to(at("a"), 3).unwrap_err().to_string(), "over 3 bytes");
    }
}
