//! The signals that end a program which does not listen to them. Whoever has taken the terminal or started hooks listens
//! to all of them, so that neither is left behind.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

/// Signals that ask a program to end, beside the two that keys send (interrupt and quit).
const ASK: [Signal; 2] = [Signal::TERM, Signal::HUP];
/// Signals that end a program by default, for whatever reason they are sent. Faults of the program itself are none of
/// them: after `SEGV`, `BUS`, `ILL` and `FPE` nothing can go on.
const END: [Signal; 9] = [
    Signal::ABORT,
    Signal::USR1,
    Signal::USR2,
    Signal::ALARM,
    Signal::VTALARM,
    Signal::PROF,
    Signal::XCPU,
    Signal::TRAP,
    Signal::SYS,
];
#[cfg(target_os = "linux")]
const END_HERE: [Signal; 3] = [Signal::IO, Signal::POWER, Signal::STKFLT];
#[cfg(not(target_os = "linux"))]
const END_HERE: [Signal; 0] = [];
/// Signals without a name of their own, which end a program too.
#[cfg(target_os = "linux")]
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
#[cfg(not(target_os = "linux"))]
const REAL_TIME: std::ops::RangeInclusive<i32> = 1..=0;

/// Every signal after which the program has to end in order. Those that whoever started it has made it ignore stay
/// ignored.
pub fn ending_signals() -> Vec<SignalKind> {
    let ignored = ignored();
    let heard = move |raw: &i32| ignored & (1_u64 << (raw - 1)) == 0;
    // A file that may not grow is an error of that write, not the end.
    if heard(&Signal::XFSZ.as_raw()) {
        let _ = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    }
    let more = END.iter().chain(&END_HERE).map(|signal| signal.as_raw()).chain(REAL_TIME).filter(heard);
    ASK.iter().map(|signal| signal.as_raw()).chain(more).map(SignalKind::from_raw).collect()
}

/// The signals that are ignored, a bit for each.
fn ignored() -> u64 {
    let status = hookbench_system::disk::read_text("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
