//! Runs the commands that agents start for every event before the runtime of the standard library starts. The runtime
//! reads the memory map of the process to find the end of the stack, and sets up a second stack for its message about an
//! overflow. That takes 0.1 ms, a sixth of the time of `/bin/true`.

use std::panic;

/// The status of a program that panics.
const PANICKED: u8 = 101;

/// The system calls this function before `main`, and after the standard library has the arguments.
#[used]
#[allow(unsafe_code, reason = "there is no other way to run code before the runtime")]
// SAFETY: the section holds pointers to functions of this type.
#[unsafe(link_section = ".init_array")]
static RUN_HOOK: extern "C" fn() = run_hook;

#[allow(clippy::disallowed_methods, reason = "this is the end of the program, as in main")]
extern "C" fn run_hook() {
    let run = || {
        hookbench::early_process::prepare();
        super::hook_status()
    };
    let status = panic::catch_unwind(run).unwrap_or(Some(PANICKED));
    if let Some(status) = status {
        std::process::exit(status.into());
    }
}
