//! The stage that runs a program on a slow disk: every access to a file by its name takes longer, as on a network drive.
//!
//! A filter hands the system calls with the name of a file to this process, which lets each go on after a while. The
//! filter belongs to one thread and to the programs that this thread starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::thread::set_no_new_privs;

use super::call_filter::{self, allow, end_with, load, when_equal};
use super::spec::{PREPARATION_FAILED, READY, SLOW_DISK_STAGE, exit_code, first_message};

/// How much longer each access takes.
const DELAY: Duration = Duration::from_millis(1);

/// The calls that take the name of a file. A program for another architecture has other numbers: then other calls are
/// slow.
const CALLS: [libc::c_long; 9] = [
    libc::SYS_openat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
];
/// The older names of these calls.
#[cfg(target_arch = "x86_64")]
const OLDER_CALLS: [libc::c_long; 9] = [
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_mkdir,
    libc::SYS_unlink,
    libc::SYS_rename,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER_CALLS: [libc::c_long; 0] = [];

/// The program and its first arguments that start another program on a slow disk. `program` is hookbench itself.
///
/// # Errors
/// Returns the reason if the system cannot slow a disk.
pub fn slow_disk_prefix(program: &Path) -> io::Result<Vec<String>> {
    let tried = Command::new(program).arg(SLOW_DISK_STAGE).stdin(Stdio::null()).output()?;
    if tried.stdout != format!("{READY}\n").as_bytes() {
        return Err(io::Error::other(first_message(&tried.stderr)));
    }
    Ok(vec![program.to_string_lossy().into_owned(), SLOW_DISK_STAGE.to_owned()])
}

/// Runs the program. Without one, it only tries whether the system has such filters, and says so on stdout.
pub(super) fn run(args: impl Iterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.collect();
    let started = match args.split_first() {
        Some((program, rest)) => start(program.clone(), rest.to_vec()),
        None => slow_thread().map(|_| println!("{READY}")),
    };
    let Err(why) = started else { return 0 };
    eprintln!("hookbench isolate: cannot slow the disk: {why}");
    PREPARATION_FAILED
}

/// Returns only if there is an error: the end of the program ends this process.
fn start(program: OsString, args: Vec<OsString>) -> io::Result<()> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let slowed = slow_thread();
        let is_slow = slowed.is_ok();
        // The other thread waits for it.
        let _ = sender.send(slowed);
        if is_slow {
            std::process::exit(run_program(&program, &args));
        }
    });
    let calls = receiver.recv().map_err(io::Error::other)??;
    loop {
        calls.delay_next()?;
    }
}

/// Runs the program to its end, and returns the exit status of this process.
fn run_program(program: &OsStr, args: &[OsString]) -> i32 {
    match Command::new(program).args(args).status() {
        Ok(status) => exit_code(status).into(),
        Err(why) => {
            eprintln!("hookbench isolate: cannot start {}: {why}", program.to_string_lossy());
            PREPARATION_FAILED.into()
        }
    }
}

/// The calls of the filtered programs that wait.
struct WaitingCalls(OwnedFd);

/// Filters this thread and the programs that it starts.
#[allow(unsafe_code, reason = "no library has this call")]
fn slow_thread() -> io::Result<WaitingCalls> {
    set_no_new_privs(true)?;
    let file = call_filter::install(&mut filter(), libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)?;
    // SAFETY: the call has just opened the file, and nothing else knows its number.
    Ok(WaitingCalls(unsafe { OwnedFd::from_raw_fd(file) }))
}

/// The filter: the listed calls wait, all others go on.
fn filter() -> Vec<libc::sock_filter> {
    let calls = CALLS.iter().chain(&OLDER_CALLS).filter_map(|call| u32::try_from(*call).ok());
    // The number of the call is the first field.
    let mut filter = vec![load(0)];
    filter.extend(calls.flat_map(|call| when_equal(call, &[end_with(libc::SECCOMP_RET_USER_NOTIF)])));
    filter.push(allow());
    filter
}

impl WaitingCalls {
    /// Waits for the next call, and lets it go on after the delay.
    #[allow(unsafe_code, reason = "no library has these calls")]
    fn delay_next(&self) -> io::Result<()> {
        let data = libc::seccomp_data { nr: 0, arch: 0, instruction_pointer: 0, args: [0; 6] };
        let mut call = libc::seccomp_notif { id: 0, pid: 0, flags: 0, data };
        // SAFETY: the call writes one value of this type.
        if unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) } != 0 {
            return ended_call();
        }
        thread::sleep(DELAY);
        let flags = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).map_err(io::Error::other)?;
        let answer = libc::seccomp_notif_resp { id: call.id, val: 0, error: 0, flags };
        // SAFETY: the call reads one value of this type.
        match unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) } {
            0 => Ok(()),
            _ => ended_call(),
        }
    }
}

/// The error of the last call, unless it means that the process which waited has ended.
fn ended_call() -> io::Result<()> {
    let why = io::Error::last_os_error();
    match why.raw_os_error() {
        Some(libc::ENOENT | libc::EINTR) => Ok(()),
        _ => Err(why),
    }
}
