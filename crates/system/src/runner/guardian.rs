//! A process that ends hooks if hookbench is killed together with its keeper. The system ends only a hook itself then, and
//! not what its shell has started.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, kill_process_group};

/// The first argument of the process.
pub const GUARDIAN_STAGE: &str = "end-hooks";

/// Whether this program can be started as the guardian.
static IS_ENABLED: AtomicBool = AtomicBool::new(false);
static GUARDIAN: OnceLock<Option<ChildStdin>> = OnceLock::new();

/// Lets this program watch over its hooks: a guardian is started with the first one, and processes that lose their parent
/// become children of hookbench, which can name them. Only for programs that run the guardian for its first argument.
pub fn guard_hooks() {
    IS_ENABLED.store(true, Ordering::Relaxed);
    adopt_orphans();
}

#[cfg(target_os = "linux")]
pub(super) fn adopt_orphans() {
    // Without it, processes that a hook detaches are not found.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// This system has no such feature.
#[cfg(not(target_os = "linux"))]
fn adopt_orphans() {}

/// The guardian's pipe, into which each hook writes its own number before its program runs. `None` without a guardian.
pub(super) fn pipe() -> Option<BorrowedFd<'static>> {
    let guardian = IS_ENABLED.load(Ordering::Relaxed).then(|| GUARDIAN.get_or_init(|| start().ok()).as_ref());
    guardian.flatten().map(AsFd::as_fd)
}

/// Tells the guardian that this process leads a group. May be called between fork and exec.
pub(super) fn add_own_group(pipe: BorrowedFd<'_>) {
    // A line break, and the digits before it, from the last one.
    let mut line = [b'\n'; 12];
    let mut number = rustix::process::getpid().as_raw_nonzero().get();
    let mut begin = line.len() - 1;
    while number > 0 && begin > 1 {
        begin -= 1;
        line[begin] = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
    line[begin - 1] = b'+';
    // A guardian that was killed guards nothing.
    let _ = rustix::io::write(pipe, &line[begin - 1..]);
}

/// Tells the guardian that the last process did not start.
pub(super) fn remove_last() {
    tell("-\n");
}

/// Tells the guardian that a process group is not its concern any more.
pub(super) fn remove(group: u32) {
    tell(&format!("-{group}\n"));
}

fn tell(line: &str) {
    if let Some(mut guardian) = GUARDIAN.get().and_then(Option::as_ref) {
        let _ = guardian.write_all(line.as_bytes());
    }
}

fn start() -> io::Result<ChildStdin> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(GUARDIAN_STAGE).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C in the terminal is for hookbench alone.
    let mut guardian = command.process_group(0).spawn()?;
    guardian.stdin.take().ok_or_else(|| io::Error::other("the guardian has no stdin"))
}

/// Runs the guardian: it waits for the end of hookbench, and kills the process groups that are left.
pub fn run_guardian() {
    let (mut groups, mut last) = (BTreeSet::new(), 0);
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_at_checked(1) {
            Some(("+", group)) => {
                last = group.parse().unwrap_or_default();
                groups.insert(last);
            }
            Some(("-", group)) => _ = groups.remove(&group.parse().unwrap_or(last)),
            _ => {}
        }
    }
    for group in groups.into_iter().filter(|group| *group > 1).filter_map(Pid::from_raw) {
        // It may have ended in the meantime.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
