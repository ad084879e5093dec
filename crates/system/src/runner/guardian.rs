//! A process that ends hooks if hookbench is killed. The system ends only a hook itself then, and not what its shell has
//! started.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::platform;

/// The first argument of the process.
pub const GUARDIAN_STAGE: &str = "end-hooks";

/// Whether this program can be started as the guardian.
static IS_ENABLED: AtomicBool = AtomicBool::new(false);
static GUARDIAN: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// Lets this program watch over its hooks: a guardian is started with the first one, and processes that lose their parent
/// become children of hookbench, which can name them. Only for programs that run the guardian for its first argument.
pub fn guard_hooks() {
    IS_ENABLED.store(true, Ordering::Relaxed);
    adopt_orphans();
}

#[cfg(target_os = "linux")]
fn adopt_orphans() {
    // Without it, processes that a hook detaches are not found.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// This system has no such feature.
#[cfg(not(target_os = "linux"))]
fn adopt_orphans() {}

/// Tells the guardian that a process group exists.
pub(super) fn add(group: u32) {
    if IS_ENABLED.load(Ordering::Relaxed) {
        tell(GUARDIAN.get_or_init(|| start().ok()).as_ref(), '+', group);
    }
}

/// Tells the guardian that a process group is not its concern any more.
pub(super) fn remove(group: u32) {
    tell(GUARDIAN.get().and_then(Option::as_ref), '-', group);
}

fn tell(guardian: Option<&Mutex<ChildStdin>>, sign: char, group: u32) {
    if let Some(guardian) = guardian {
        // A guardian that was killed guards nothing.
        let _ = writeln!(guardian.lock().unwrap_or_else(PoisonError::into_inner), "{sign}{group}");
    }
}

fn start() -> io::Result<Mutex<ChildStdin>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(GUARDIAN_STAGE).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C in the terminal is for hookbench alone.
    let mut guardian = command.process_group(0).spawn()?;
    guardian.stdin.take().map(Mutex::new).ok_or_else(|| io::Error::other("the guardian has no stdin"))
}

/// Runs the guardian: it waits for the end of hookbench, and kills the process groups that are left.
pub fn run_guardian() {
    let mut groups = BTreeSet::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Some((sign, Ok(group))) = line.split_at_checked(1).map(|(sign, group)| (sign, group.parse::<u32>())) else {
            continue;
        };
        if sign == "+" { groups.insert(group) } else { groups.remove(&group) };
    }
    groups.into_iter().for_each(platform::kill_group);
}
