//! A lease on a file: while it is held, no other program can open the file to write, or at all, and the holder learns that
//! one waits.

use std::fs::File;
use std::io;

/// A lease on an open file. It ends when the value is dropped.
#[derive(Debug)]
pub struct Lease<'a>(
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no lease is ever taken"))] &'a File,
    #[cfg(target_os = "linux")] libc::c_int,
);

/// The command that chooses the signal of a lease; the library has no name for it.
#[cfg(target_os = "linux")]
const F_SETSIG: libc::c_int = 10;

#[cfg(target_os = "linux")]
impl<'a> Lease<'a> {
    /// Takes a lease on a file that is open for reading. Other programs cannot open it to write.
    ///
    /// # Errors
    /// Returns `WouldBlock` if another program has the file open to write, and another error if the file system has no leases
    /// or the file belongs to another user.
    pub fn take(file: &'a File) -> io::Result<Lease<'a>> {
        Lease::take_as(file, libc::F_RDLCK)
    }

    /// Takes a lease on a file that no other program has open. Other programs cannot open it, and neither can this one by
    /// its path.
    pub fn take_whole(file: &'a File) -> io::Result<Lease<'a>> {
        Lease::take_as(file, libc::F_WRLCK)
    }

    fn take_as(file: &'a File, kind: libc::c_int) -> io::Result<Lease<'a>> {
        // The default signal would end this program; this one is ignored.
        set(file, F_SETSIG, libc::SIGURG)?;
        set(file, libc::F_SETLEASE, kind)?;
        Ok(Lease(file, kind))
    }

    /// Whether another program waits to open the file.
    pub fn is_awaited(&self) -> bool {
        set(self.0, libc::F_GETLEASE, 0).is_ok_and(|kind| kind != self.1)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let _ = set(self.0, libc::F_SETLEASE, libc::F_UNLCK);
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no library has these commands")]
fn set(file: &File, command: libc::c_int, value: libc::c_int) -> io::Result<libc::c_int> {
    use std::os::fd::AsRawFd as _;
    // SAFETY: the commands take a number and change only the state of the open file.
    match unsafe { libc::fcntl(file.as_raw_fd(), command, value) } {
        -1 => Err(io::Error::last_os_error()),
        answer => Ok(answer),
    }
}

#[cfg(not(target_os = "linux"))]
impl<'a> Lease<'a> {
    /// Other systems have no leases.
    ///
    /// # Errors
    /// Always.
    pub fn take(_file: &'a File) -> io::Result<Lease<'a>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Other systems have no leases.
    ///
    /// # Errors
    /// Always.
    pub fn take_whole(_file: &'a File) -> io::Result<Lease<'a>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Always false, because this system does not have leases.
    pub fn is_awaited(&self) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{self, OpenOptions};

    use super::*;

    #[test]
    fn a_lease_is_not_given_while_a_program_writes_and_knows_who_waits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "1").unwrap();
        let file = File::open(&path).unwrap();
        let writer = OpenOptions::new().append(true).open(&path).unwrap();
        assert_eq!(Lease::take(&file).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(writer);
        let lease = Lease::take(&file).unwrap();
        assert!(!lease.is_awaited());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| OpenOptions::new().append(true).open(&path).is_ok());
            while !lease.is_awaited() {
                std::thread::yield_now();
            }
            drop(lease);
            assert!(waits.join().unwrap());
        });
    }
}
