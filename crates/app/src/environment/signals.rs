//! The signals that end a program by default. A process that has changed the terminal or started hooks must handle
//! all of them, so that it can restore the terminal and end the hooks.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

/// Signals that ask a program to end, besides the two sent by the keyboard (interrupt and quit).
const TERMINATION: [Signal; 2] = [Signal::TERM, Signal::HUP];
/// Signals that end a program by default, whatever their purpose. Program faults are excluded: after `SEGV`, `BUS`,
/// `ILL`, `FPE` and `ABRT` the program cannot continue.
const ENDING: [Signal; 8] =
    [Signal::USR1, Signal::USR2, Signal::ALARM, Signal::VTALARM, Signal::PROF, Signal::XCPU, Signal::TRAP, Signal::SYS];
#[cfg(target_os = "linux")]
const END_HERE: [Signal; 3] = [Signal::IO, Signal::POWER, Signal::STKFLT];
#[cfg(not(target_os = "linux"))]
const END_HERE: [Signal; 0] = [];
/// Signals without names, which also end a program.
#[cfg(target_os = "linux")]
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
#[cfg(not(target_os = "linux"))]
const REAL_TIME: std::ops::RangeInclusive<i32> = 1..=0;

/// Every signal after which the program must shut down cleanly. Signals that the parent process has set to ignored
/// stay ignored.
pub fn ending_signals() -> Vec<SignalKind> {
    let ignored = ignored();
    let heard = move |raw: &i32| ignored & (1_u64 << (raw - 1)) == 0;
    // Exceeding the file size limit is an error of that write and does not end the program.
    if heard(&Signal::XFSZ.as_raw()) {
        let _ = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    }
    let more = ENDING.iter().chain(&END_HERE).map(|signal| signal.as_raw()).chain(REAL_TIME).filter(heard);
    TERMINATION.iter().map(|signal| signal.as_raw()).chain(more).map(SignalKind::from_raw).collect()
}

/// The ignored signals as a bit mask.
fn ignored() -> u64 {
    let status = hookbench_system::disk::read_text("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
