//! Refuses the system calls by which an isolated program would leave its network: sockets that no network namespace
//! holds, such as Unix sockets in the file system, and the keys of the user's session.
//!
//! A socket of a program on a read-only file system can still be connected to, so the call that opens one is refused.
//! Pairs of connected sockets stay allowed.

use std::io;

use libc::sock_filter;

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
    pub(super) fn install(&mut self) -> io::Result<()> {
        install(&mut self.0, 0).map(drop)
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

/// The offset of the first argument of a call, and the size of each.
const ARGUMENTS: u32 = 16;
const ARGUMENT_SIZE: u32 = 8;

/// Whether the system knows the result of a filter.
#[allow(unsafe_code, reason = "no library has this call")]
pub(super) fn is_available(result: u32) -> bool {
    // SAFETY: the call only reads the number.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const result) == 0 }
}

/// Filters the calls of this thread and of the programs that it starts. Returns the result of the call, which is a file with
/// some flags. May be called between fork and exec.
#[allow(unsafe_code, reason = "no library has this call")]
pub(super) fn install(filter: &mut [sock_filter], flags: libc::c_ulong) -> io::Result<i32> {
    let length = u16::try_from(filter.len()).unwrap_or_default();
    let program = libc::sock_fprog { len: length, filter: filter.as_mut_ptr() };
    // SAFETY: the filter has the given length, and is only read.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    i32::try_from(result).ok().filter(|result| *result >= 0).ok_or_else(io::Error::last_os_error)
}

fn instruction(code: u32, value: u32, when_true: usize, when_false: usize) -> sock_filter {
    let skip = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
    sock_filter { code: u16::try_from(code).unwrap_or_default(), jt: skip(when_true), jf: skip(when_false), k: value }
}

/// Reads a part of the call.
pub(super) fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

/// Reads the lower half of an argument, which is all of an `int`.
pub(super) fn load_argument(number: u32) -> sock_filter {
    let lower = if cfg!(target_endian = "little") { 0 } else { ARGUMENT_SIZE / 2 };
    load(ARGUMENTS + number * ARGUMENT_SIZE + lower)
}

/// Keeps these bits of the value.
pub(super) fn and(bits: u32) -> sock_filter {
    instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits, 0, 0)
}

/// Ends the filter.
pub(super) fn end_with(result: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, result, 0, 0)
}

/// Lets the call go on.
pub(super) fn allow() -> sock_filter {
    end_with(libc::SECCOMP_RET_ALLOW)
}

/// Refuses the call with an error.
pub(super) fn refuse(error: i32) -> sock_filter {
    end_with(libc::SECCOMP_RET_ERRNO | u32::try_from(error).unwrap_or_default())
}

/// Executes instructions only if what was read has this value.
pub(super) fn when_equal(value: u32, instructions: &[sock_filter]) -> Vec<sock_filter> {
    block(instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 0, instructions.len()), instructions)
}

/// Executes instructions only if what was read has another value.
pub(super) fn when_other(value: u32, instructions: &[sock_filter]) -> Vec<sock_filter> {
    block(instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, instructions.len(), 0), instructions)
}

/// Executes instructions only if what was read is at least this.
pub(super) fn when_at_least(value: u32, instructions: &[sock_filter]) -> Vec<sock_filter> {
    block(instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, value, 0, instructions.len()), instructions)
}

fn block(test: sock_filter, instructions: &[sock_filter]) -> Vec<sock_filter> {
    std::iter::once(test).chain(instructions.iter().copied()).collect()
}
