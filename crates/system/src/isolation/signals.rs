//! Keeps signals among the programs that one hook starts, by a domain of Landlock.

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::{mem, ptr};

/// The flag that asks for the version of Landlock.
const ASK_VERSION: u32 = 1;
/// The first version that knows `SCOPED_SIGNALS`.
const FIRST_VERSION: i64 = 6;
/// Signals reach only processes of the same domain.
const SCOPED_SIGNALS: u64 = 2;

/// The rules of a domain, as the system reads them.
#[repr(C)]
struct DomainRules {
    files: u64,
    network: u64,
    scoped: u64,
}

/// Whether the system can keep signals inside a domain.
#[allow(unsafe_code, reason = "no library has this call")]
pub(super) fn can_be_scoped() -> bool {
    // SAFETY: with this flag, the call only returns a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<DomainRules>(), 0_usize, ASK_VERSION) };
    version >= FIRST_VERSION
}

/// Restricts this process and its children: they can send signals only to each other. The process must have given up the
/// right to gain privileges.
///
/// # Errors
/// Returns an error if the system has no such domains.
#[allow(unsafe_code, reason = "no library has these calls")]
pub(super) fn scope_to_own_processes() -> io::Result<()> {
    let rules = DomainRules { files: 0, network: 0, scoped: SCOPED_SIGNALS };
    // SAFETY: the rules have the given size, and are only read.
    let file =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const rules, mem::size_of::<DomainRules>(), 0) };
    let file = i32::try_from(file).ok().filter(|file| *file >= 0).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the call has just opened the file, and nothing else knows its number.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    // SAFETY: the call only reads the number of the file.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, file.as_raw_fd(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
