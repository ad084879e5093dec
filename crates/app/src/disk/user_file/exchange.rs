//! Replaces, creates and removes one file, unless another program changes it at the same time. The new file and the old
//! one change places, so that an edit that arrives in between is found in the old one and put back. Until it is known that
//! the old file was the expected one, no program can open the new one: it would read a text without that edit.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use hookbench_system::disk;
use hookbench_system::lease::Lease;
use tempfile::{Builder, NamedTempFile, TempPath};

use super::held_directory::{WriteError, io as fail};

/// How often, and after which time, the file is looked at again while another program has it open to write.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(2);
/// A program that found the old file by its name before the exchange opens it within this time.
const SETTLES: Duration = Duration::from_millis(1);

/// The old file, with the lease that keeps other programs from writing to it, where the system has leases.
struct Held<'a> {
    file: &'a File,
    lease: Option<Lease<'a>>,
    expected: &'a [u8],
}

/// The new file, under a name beside the old one.
struct NewFile<'a> {
    file: &'a File,
    beside: &'a TempPath,
    bytes: &'a [u8],
}

/// Replaces the content of a file that has the expected content, keeping its mode and owner. `None` expects no file.
pub(super) fn replace(path: &Path, expected: Option<&[u8]>, bytes: &[u8]) -> Result<(), WriteError> {
    let mut beside = beside(path)?;
    let error = |source| fail(path, source);
    beside.write_all(bytes).map_err(error)?;
    like(path, beside.as_file()).map_err(error)?;
    beside.as_file().sync_all().map_err(error)?;
    let Some(expected) = expected else {
        return match beside.persist_noclobber(path) {
            Ok(_) => Ok(()),
            Err(why) if why.error.kind() == ErrorKind::AlreadyExists => Err(changed(path)),
            Err(why) => Err(error(why.error)),
        };
    };
    let (file, beside) = beside.into_parts();
    while_unchanged(path, expected, |held| {
        exchange(held, &NewFile { file: &file, beside: &beside, bytes }, path, |_| ())
    })
}

/// Exchanges a file with a new one beside it, unless it is not the expected one. `meanwhile` is called while both have
/// changed places, with the lease on the new one.
fn exchange(
    held: &Held<'_>,
    new: &NewFile<'_>,
    path: &Path,
    meanwhile: impl FnOnce(Option<&Lease<'_>>),
) -> Result<(), WriteError> {
    let error = |source| fail(path, source);
    let NewFile { mut file, beside, bytes } = *new;
    let lease = Lease::take_whole(file).ok();
    match swap(beside, path) {
        Ok(()) => {}
        // Without this call, a moment remains between the comparison and the change.
        Err(why) if is_unsupported(&why) => return fs::rename(beside, path).map_err(error),
        Err(why) => return Err(error(why)),
    }
    meanwhile(lease.as_ref());
    if held.is_settled(beside) {
        return Ok(());
    }
    // Another program's edit is in the old file.
    swap(beside, path).map_err(error)?;
    let is_ours = fs::metadata(beside).and_then(|now| Ok(same_file(&now, &file.metadata()?))).unwrap_or(false);
    if is_ours && lease.is_some() {
        // A program that waits to read the new file reads the edit instead, so that it does not write a text without it.
        if let Ok(edited) = disk::read(path) {
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&edited)).map_err(error)?;
        }
        return Err(changed(path));
    }
    if is_ours && disk::read(beside).is_ok_and(|now| now == bytes) {
        return Err(changed(path));
    }
    Err(WriteError::ChangedTwice { path: shown(path), kept: keep(path, beside)? })
}

/// Removes a file that has the expected content.
pub(super) fn remove(path: &Path, expected: &[u8]) -> Result<(), WriteError> {
    let error = |source| fail(path, source);
    let aside = beside(path)?.into_temp_path();
    while_unchanged(path, expected, |held| {
        fs::rename(path, &aside).map_err(error)?;
        if held.is_settled(&aside) {
            return Ok(());
        }
        match fs::hard_link(&aside, path) {
            Ok(()) => Err(changed(path)),
            Err(_) => Err(WriteError::ChangedTwice { path: shown(path), kept: keep(path, &aside)? }),
        }
    })
}

/// Calls a function if the file has the expected content and no other program has it open to write.
fn while_unchanged(
    path: &Path,
    expected: &[u8],
    act: impl FnOnce(&Held<'_>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    for look in 1.. {
        let file = match disk::open(path) {
            Ok(file) => file,
            Err(why) if why.kind() == ErrorKind::NotFound => return Err(changed(path)),
            Err(why) => return Err(fail(path, why)),
        };
        let lease = match Lease::take(&file) {
            Ok(lease) => Some(lease),
            Err(why) if why.kind() == ErrorKind::WouldBlock && look < LOOKS => {
                thread::sleep(PAUSE);
                continue;
            }
            Err(why) if why.kind() == ErrorKind::WouldBlock => return Err(changed(path)),
            Err(_) => None,
        };
        let mut now = Vec::new();
        (&file).read_to_end(&mut now).map_err(|source| fail(path, source))?;
        let held = Held { file: &file, lease, expected };
        return if now == expected && held.is_at(path) { act(&held) } else { Err(changed(path)) };
    }
    Err(changed(path))
}

impl Held<'_> {
    /// Whether the file has this path.
    fn is_at(&self, path: &Path) -> bool {
        let own = self.file.metadata();
        own.and_then(|own| Ok(same_file(&own, &fs::metadata(path)?))).unwrap_or(false)
    }

    /// Whether the file, which has this path now, is the expected one, and no program is about to write to it.
    fn is_settled(&self, path: &Path) -> bool {
        // A file that another program has replaced goes back at once: until then, a program may read ours.
        let is_expected = || self.is_at(path) && disk::read(path).is_ok_and(|now| now == self.expected);
        if !is_expected() {
            return false;
        }
        thread::sleep(SETTLES);
        let is_awaited = self.lease.as_ref().is_some_and(Lease::is_awaited);
        !is_awaited && is_expected()
    }
}

fn beside(path: &Path) -> Result<NamedTempFile, WriteError> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    NamedTempFile::new_in(directory).map_err(|source| fail(path, source))
}

/// Keeps a file that would be removed, under a new name beside `path`.
fn keep(path: &Path, aside: &Path) -> Result<String, WriteError> {
    let error = |source| fail(path, source);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let directory = path.parent().unwrap_or(Path::new("."));
    let kept: PathBuf = Builder::new()
        .prefix(&format!("{name}.kept-"))
        .make_in(directory, |kept| fs::hard_link(aside, kept))
        .map_err(error)?
        .into_temp_path()
        .keep()
        .map_err(|why| error(why.error))?;
    Ok(shown(&kept))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn changed(path: &Path) -> WriteError {
    WriteError::Changed(shown(path))
}

/// Copies the mode and owner of the replaced file to the new one.
#[cfg(unix)]
fn like(path: &Path, file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let Ok(old) = fs::metadata(path) else {
        return file.set_permissions(fs::Permissions::from_mode(0o644));
    };
    let new = file.metadata()?;
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn like(path: &Path, file: &fs::File) -> std::io::Result<()> {
    match fs::metadata(path) {
        Ok(old) => file.set_permissions(old.permissions()),
        Err(_) => Ok(()),
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn swap(one: &TempPath, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, &**one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn swap(_one: &TempPath, _other: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether the system or the file system cannot exchange two files.
fn is_unsupported(why: &io::Error) -> bool {
    matches!(why.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

#[cfg(unix)]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// A replacement of `old` by `mine`. `before` happens between the comparison and the exchange, `meanwhile` while both
    /// files have changed places.
    fn replace_while(
        path: &Path,
        before: impl FnOnce(),
        meanwhile: impl FnOnce(Option<&Lease<'_>>),
    ) -> Result<(), WriteError> {
        let mut new = beside(path).unwrap();
        new.write_all(b"mine").unwrap();
        let (file, beside) = new.into_parts();
        while_unchanged(path, b"old", |held| {
            before();
            exchange(held, &NewFile { file: &file, beside: &beside, bytes: b"mine" }, path, meanwhile)
        })
    }

    fn replaced(path: &Path, text: &str) {
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }

    #[test]
    fn an_edit_between_the_comparison_and_the_exchange_is_put_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        let why = replace_while(&path, || replaced(&path, "theirs"), |_| ()).unwrap_err();
        assert!(matches!(why, WriteError::Changed(_)), "{why}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    /// An editor that replaces files reads the file while the new one is there, and then replaces it.
    #[test]
    fn a_program_that_reads_during_the_exchange_reads_the_edit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        std::thread::scope(|scope| {
            let mut reader = None;
            let edited = || replaced(&path, "theirs");
            let read = |lease: Option<&Lease<'_>>| {
                reader = Some(scope.spawn(|| fs::read_to_string(&path)));
                while !lease.unwrap().is_awaited() {
                    std::thread::yield_now();
                }
            };
            let why = replace_while(&path, edited, read).unwrap_err();
            assert!(matches!(why, WriteError::Changed(_)), "{why}");
            assert_eq!(reader.unwrap().join().unwrap().unwrap(), "theirs");
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn a_program_that_reads_during_a_write_that_succeeds_reads_the_new_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        std::thread::scope(|scope| {
            let mut readers = Vec::new();
            let read = |lease: Option<&Lease<'_>>| {
                readers.push(scope.spawn(|| fs::read_to_string(&path)));
                readers.push(scope.spawn(|| disk::read_text(&path)));
                while !lease.unwrap().is_awaited() {
                    std::thread::yield_now();
                }
            };
            replace_while(&path, || (), read).unwrap();
            for reader in readers {
                assert_eq!(reader.join().unwrap().unwrap(), "mine");
            }
        });
    }
}
