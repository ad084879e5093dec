//! Refuses the system calls by which an isolated program would leave its network: sockets that no network namespace
//! holds, such as Unix sockets in the file system, and the keys of the user's session.
//!
//! A socket of a program on a read-only file system can still be connected to, so the call that opens one is refused.
//! Pairs of connected sockets stay allowed.

use std::io;

use super::bpf::{self, allow, and, is_available, load, load_argument, refuse, when_at_least, when_equal, when_other};

/// The architecture whose calls the filter knows.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
/// No filter is known.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: u32 = 0;

/// The offsets of the number of a call and of its architecture.
const CALL: u32 = 0;
const CALL_ARCHITECTURE: u32 = 4;
/// Calls of x32, a second set of calls of the same architecture, have this bit.
#[cfg(target_arch = "x86_64")]
const OTHER_SET: u32 = 0x4000_0000;
#[cfg(not(target_arch = "x86_64"))]
const OTHER_SET: u32 = u32::MAX;

/// Sockets that belong to a network namespace.
const DOMAINS: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// Pairs of sockets that cannot be connected again, unlike those for datagrams.
const PAIRS: [i32; 2] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
/// The second argument without its flags.
const KIND_OF_SOCKET: u32 = 0xf;
/// Calls that would open sockets without the filter, and those that reach the keys of the user's session.
const UNKNOWN_CALLS: [libc::c_long; 4] =
    [libc::SYS_io_uring_setup, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl];

/// A filter that is ready to be installed.
pub(super) struct CallFilter(Vec<libc::sock_filter>);

impl CallFilter {
    /// The filter, or `None` if this system has none.
    pub(super) fn of_this_system() -> Option<CallFilter> {
        can_filter().then(|| CallFilter(instructions()))
    }

    /// Restricts this process and its children. It must have given up the right to gain privileges. May be called between
    /// fork and exec.
    ///
    /// # Errors
    /// Returns an error if the system refuses the filter.
    pub(super) fn install(&mut self) -> io::Result<()> {
        bpf::install(&mut self.0, 0).map(drop)
    }
}

/// Whether this system can refuse calls.
pub(super) fn can_filter() -> bool {
    ARCHITECTURE != 0 && is_available(libc::SECCOMP_RET_ERRNO)
}

/// A call that is refused with `ENOSYS` looks as if this system did not have it, so programs do without.
fn instructions() -> Vec<libc::sock_filter> {
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    let word = |value: i32| u32::try_from(value).unwrap_or(u32::MAX);
    let mut filter = vec![load(CALL_ARCHITECTURE)];
    filter.extend(when_other(ARCHITECTURE, &[refuse(libc::ENOSYS)]));
    filter.push(load(CALL));
    filter.extend(when_at_least(OTHER_SET, &[refuse(libc::ENOSYS)]));
    for call in UNKNOWN_CALLS {
        filter.extend(when_equal(number(call), &[refuse(libc::ENOSYS)]));
    }
    let mut socket = vec![load_argument(0)];
    socket.extend(DOMAINS.into_iter().flat_map(|domain| when_equal(word(domain), &[allow()])));
    socket.push(refuse(libc::EACCES));
    filter.extend(when_equal(number(libc::SYS_socket), &socket));
    let mut pair = vec![load_argument(1), and(KIND_OF_SOCKET)];
    pair.extend(PAIRS.into_iter().flat_map(|kind| when_equal(word(kind), &[allow()])));
    pair.push(refuse(libc::EACCES));
    filter.extend(when_equal(number(libc::SYS_socketpair), &pair));
    filter.push(allow());
    filter
}
