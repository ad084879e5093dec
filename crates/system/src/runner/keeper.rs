//! The process that waits for hookbench. It is still there after a signal that no program can handle has ended hookbench: it
//! restores the terminal, and ends what the hooks have started, also in sessions of their own. Everything else that
//! happens to it happens to hookbench: signals, the exit status, the end by a signal.
//!
//! Both are in one process group, so job control works as for one process. A signal to the whole group reaches hookbench
//! twice, and a SIGKILL to it reaches both; then the guardian is left.

use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, WaitOptions, getpid, getppid, set_parent_process_death_signal, waitpid};

use super::guardian::adopt_orphans;
use super::leftovers::end_all_children;
use super::platform::own_session;
use crate::child_process::{end_like, fork, set_action};

/// The signals that the keeper does not wait for: those that stop a process stop it, too.
const NOT_HEARD: [i32; 3] = [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

static KEEPER: OnceLock<Pid> = OnceLock::new();

/// Splits this program into a keeper and hookbench, for which the call returns. Before any other thread runs. The keeper
/// calls `restore` with the signal that ended hookbench. If the system has no more processes, hookbench runs without it.
pub fn keep(restore: impl FnOnce(i32)) {
    let own = getpid();
    // An ignored signal would let the end of hookbench pass unseen.
    set_action(libc::SIGCHLD, libc::SIG_DFL);
    let (heard, before) = hear_signals();
    match fork() {
        Ok(Some(hookbench)) => {
            adopt_orphans();
            let status = wait(hookbench, &heard);
            if let Some(signal) = status.signal() {
                restore(signal);
                end_all_children();
            }
            end_like(status);
            std::process::exit(status.code().unwrap_or_default());
        }
        Ok(None) => {
            // In order: it restores the terminal, and answers what it holds.
            let _ = set_parent_process_death_signal(Some(Signal::TERM));
            adopt_orphans();
            set_mask(&before);
            let _ = KEEPER.set(own);
            if is_alone() {
                std::process::exit(128 + libc::SIGTERM);
            }
        }
        Err(_) => set_mask(&before),
    }
}

/// Ends what hooks have left if a SIGKILL has ended the keeper, because no other process does.
pub fn end_what_is_left() {
    if is_alone() {
        end_all_children();
    }
}

fn is_alone() -> bool {
    KEEPER.get().is_some_and(|keeper| getppid() != Some(*keeper))
}

/// Waits for the end of hookbench, and passes signals on.
fn wait(hookbench: Pid, heard: &libc::sigset_t) -> ExitStatus {
    let leads_session = own_session() == Some(getpid());
    loop {
        if let Ok(Some((_, status))) = waitpid(Some(hookbench), WaitOptions::NOHANG) {
            return ExitStatus::from_raw(status.as_raw());
        }
        let Some((signal, sender)) = next_signal(heard) else { continue };
        // What the terminal sends, it sends to both, except for the one signal that only the leader of the session gets.
        let is_for_both = sender.is_none() && !(leads_session && signal == libc::SIGHUP);
        if signal != libc::SIGCHLD && !is_for_both && sender != Some(hookbench.as_raw_nonzero().get()) {
            send(hookbench, signal);
        }
    }
}

/// Blocks the signals, so that none is lost. Returns them, and those that were blocked before.
#[allow(unsafe_code, reason = "no library has these calls")]
fn hear_signals() -> (libc::sigset_t, libc::sigset_t) {
    let (mut heard, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the first call fills `heard`, and the last one `before`; no other thread runs.
    unsafe {
        libc::sigfillset(heard.as_mut_ptr());
        for signal in NOT_HEARD {
            libc::sigdelset(heard.as_mut_ptr(), signal);
        }
        libc::sigemptyset(before.as_mut_ptr());
        libc::sigprocmask(libc::SIG_BLOCK, heard.as_ptr(), before.as_mut_ptr());
        (heard.assume_init(), before.assume_init())
    }
}

#[allow(unsafe_code, reason = "no library has this call")]
fn set_mask(mask: &libc::sigset_t) {
    // SAFETY: the mask was filled by the system.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

/// The next signal, with the process that sent it. `None` for the kernel.
#[allow(unsafe_code, reason = "no library has this call")]
fn next_signal(heard: &libc::sigset_t) -> Option<(i32, Option<i32>)> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: zeros are a value of `info`, and a process has set the field that is read.
    let (signal, code, sender) = unsafe {
        let signal = libc::sigwaitinfo(heard, info.as_mut_ptr());
        let info = info.assume_init();
        (signal, info.si_code, info.si_pid())
    };
    (signal > 0).then_some((signal, (code <= 0).then_some(sender)))
}

#[allow(unsafe_code, reason = "the library has no name for signals of real time")]
fn send(process: Pid, signal: i32) {
    // SAFETY: the call takes two numbers. The process is a child that was not waited for, so its number is its own.
    unsafe { libc::kill(process.as_raw_nonzero().get(), signal) };
}
