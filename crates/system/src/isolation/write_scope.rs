//! Keeps what a program writes inside listed directories, by a domain of Landlock. A read-only file system refuses writes
//! to files, but not to named pipes and devices.

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::path::Path;
use std::{mem, ptr};

use rustix::fs::{Mode, OFlags, open};

/// The flag that asks for the version of Landlock.
const ASK_VERSION: u32 = 1;
/// The first version in which files can be moved from one directory to another.
const FIRST_VERSION: i64 = 2;
const WRITE_FILE: u64 = 1 << 1;
/// Files are moved to other directories, which every domain refuses otherwise.
const MOVE_FILE: u64 = 1 << 13;
/// A rule for everything below a directory.
const BELOW: u32 = 1;
/// The directory of devices is the program's own.
const DEVICES: &str = "/dev";

/// The rights that a domain limits, as the system reads them.
#[repr(C)]
struct DomainRights {
    files: u64,
}

/// The rights below a directory, as the system reads them.
#[repr(C, packed)]
struct DirectoryRights {
    rights: u64,
    directory: i32,
}

/// A domain that is ready to be entered.
pub(super) struct WriteScope(OwnedFd);

impl WriteScope {
    /// A domain in which files of these directories can be written, as this process sees them. `None` if this system has
    /// none.
    ///
    /// # Errors
    /// Returns an error if a directory does not exist.
    #[allow(unsafe_code, reason = "no library has this call")]
    pub(super) fn of<P: AsRef<Path>>(writable: &[P]) -> io::Result<Option<WriteScope>> {
        if !can_limit_writes() {
            return Ok(None);
        }
        let rights = DomainRights { files: WRITE_FILE | MOVE_FILE };
        let size = mem::size_of::<DomainRights>();
        // SAFETY: the rights have the given size, and are only read.
        let file = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const rights, size, 0) };
        let file = i32::try_from(file).ok().filter(|file| *file >= 0).ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the call has just opened the file, and nothing else knows its number.
        let scope = WriteScope(unsafe { OwnedFd::from_raw_fd(file) });
        scope.add(Path::new("/"), MOVE_FILE)?;
        scope.add(Path::new(DEVICES), WRITE_FILE)?;
        for directory in writable {
            scope.add(directory.as_ref(), WRITE_FILE)?;
        }
        Ok(Some(scope))
    }

    #[allow(unsafe_code, reason = "no library has this call")]
    fn add(&self, directory: &Path, rights: u64) -> io::Result<()> {
        let directory = open(directory, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let rule = DirectoryRights { rights, directory: directory.as_raw_fd() };
        // SAFETY: the rule is of the kind that the number says, and only read.
        let added =
            unsafe { libc::syscall(libc::SYS_landlock_add_rule, self.0.as_raw_fd(), BELOW, &raw const rule, 0) };
        if added == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Restricts this process and its children. It must have given up the right to gain privileges. May be called between
    /// fork and exec.
    ///
    /// # Errors
    /// Returns an error if the system refuses the domain.
    #[allow(unsafe_code, reason = "no library has this call")]
    pub(super) fn enter(&self) -> io::Result<()> {
        // SAFETY: the call only reads the number of the file.
        match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.0.as_raw_fd(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Whether this system can limit writes.
#[allow(unsafe_code, reason = "no library has this call")]
pub(super) fn can_limit_writes() -> bool {
    let nothing = ptr::null::<DomainRights>();
    // SAFETY: with this flag, the call only returns a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, ASK_VERSION) };
    version >= FIRST_VERSION
}
