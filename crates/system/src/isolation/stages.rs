//! The names of both stages, and how they fail.

#[cfg(target_os = "linux")]
use std::io;
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt as _;
#[cfg(target_os = "linux")]
use std::process::ExitStatus;

/// The first argument of the first stage.
pub const OUTER_STAGE: &str = "isolate";
/// The first argument of the second stage.
pub const INNER_STAGE: &str = "isolated";
/// The exit status of a stage that could not prepare what the program needs.
pub const PREPARATION_FAILED: u8 = 125;

/// The exit status as shells write it.
#[cfg(target_os = "linux")]
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(PREPARATION_FAILED)
}

/// Adds the action that failed to an error.
#[cfg(target_os = "linux")]
pub(super) fn with_action(action: &'static str) -> impl Fn(io::Error) -> io::Error {
    move |why| io::Error::new(why.kind(), format!("cannot {action}: {why}"))
}
