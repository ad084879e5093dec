//! The names of the stages, the namespaces that programs share, and how stages fail.

#[cfg(target_os = "linux")]
use std::io;
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt as _;
#[cfg(target_os = "linux")]
use std::process::ExitStatus;

#[cfg(target_os = "linux")]
use rustix::thread::LinkNameSpaceType;

/// The first argument of the first stage.
pub const OUTER_STAGE: &str = "isolate";
/// The first argument of the second stage.
pub const INNER_STAGE: &str = "isolated";
/// The first argument of the stage that creates namespaces for several programs.
pub const HOLDER_STAGE: &str = "isolate-several";
/// The first argument of the stage that enters them.
pub const ENTRY_STAGE: &str = "enter-isolation";
/// The first argument of the stage that runs a program on a slow disk.
pub const SLOW_DISK_STAGE: &str = "slow-disk";
/// The line by which a stage says that it is complete.
#[cfg(target_os = "linux")]
pub(super) const READY: &str = "ready";
/// The namespaces that several programs share, with their names in `/proc`. The first one gives the right to enter the
/// others, and the first two are enough to show files in other places.
#[cfg(target_os = "linux")]
pub(super) const NAMESPACES: [(&str, LinkNameSpaceType); 5] = [
    ("user", LinkNameSpaceType::User),
    ("mnt", LinkNameSpaceType::Mount),
    ("net", LinkNameSpaceType::Network),
    ("ipc", LinkNameSpaceType::InterProcessCommunication),
    ("pid_for_children", LinkNameSpaceType::ProcessID),
];
/// The number of namespaces that change nothing but what files programs see.
#[cfg(target_os = "linux")]
pub(super) const FILE_NAMESPACES: usize = 2;
/// The exit status of a stage that could not prepare what the program needs.
pub const PREPARATION_FAILED: u8 = 125;

/// The reason that a stage gave on stderr.
#[cfg(target_os = "linux")]
pub(super) fn first_message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let first = text.lines().next().unwrap_or("hookbench cannot start itself");
    first.trim_start_matches("hookbench isolate: ").to_owned()
}

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
