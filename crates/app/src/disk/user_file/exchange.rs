//! Replaces, creates and removes one file, unless another program changes it at the same time. The new file and the old
//! one change places, so that an edit that arrives in between is found in the old one and put back.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use hookbench_system::disk;
use hookbench_system::lease::Lease;
use tempfile::{Builder, NamedTempFile, TempPath};

use super::write_error::{WriteError, io as fail};

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
    let ours = beside.as_file().metadata().map_err(error)?;
    let beside = beside.into_temp_path();
    while_unchanged(path, expected, |held| match swap(&beside, path) {
        Ok(()) => {
            if held.is_settled(&beside) {
                return Ok(());
            }
            // Another program's edit is in the old file.
            swap(&beside, path).map_err(error)?;
            let is_ours = |now: &Metadata| same_file(now, &ours);
            if fs::metadata(&beside).is_ok_and(|now| is_ours(&now)) && disk::read(&beside).is_ok_and(|now| now == bytes)
            {
                return Err(changed(path));
            }
            Err(WriteError::ChangedTwice { path: shown(path), kept: keep(path, &beside)? })
        }
        // Without this call, a moment remains between the comparison and the change.
        Err(why) if is_unsupported(&why) => fs::rename(&beside, path).map_err(error),
        Err(why) => Err(error(why)),
    })
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

#[cfg(target_os = "linux")]
fn swap(one: &TempPath, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, &**one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
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
