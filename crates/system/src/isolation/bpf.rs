//! Instructions of the system's packet filter, of which filters of system calls consist.

use std::io;

use libc::sock_filter;

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
