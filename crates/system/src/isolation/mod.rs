//! Runs programs in new namespaces: they have only a loopback interface, and can write only to the files of a list.
//!
//! They see only their own processes, and can open no socket that leads out of their network. One program alone may reach
//! a server that listens inside and is served from outside. Hooks share their namespaces.
//!
//! | file | content |
//! |---|---|
//! | `spec` | the part of the machine that the program sees, as a file |
//! | `outer` | the first stage: creates the namespaces, and the socket of the server |
//! | `inner` | the second stage: builds the file system, and runs the program |
//! | `shared` | namespaces that hooks share |
//! | `holder`, `entry` | their stages: create and keep them, and enter them |
//! | `mounts` | the file system |
//! | `rights` | the rights in the namespaces |
//! | `call_filter` | the system calls that are refused, and the instructions of such filters |
//! | `slow_disk` | the stage in which files are slow |
//!
//! hookbench runs itself as each stage, because a process that has threads cannot enter a user namespace.

mod shared;
mod spec;

#[cfg(target_os = "linux")]
mod call_filter;
#[cfg(target_os = "linux")]
mod entry;
#[cfg(target_os = "linux")]
mod holder;
#[cfg(target_os = "linux")]
mod inner;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod outer;
#[cfg(target_os = "linux")]
mod rights;
#[cfg(target_os = "linux")]
mod slow_disk;

use std::ffi::{OsStr, OsString};
#[cfg(not(target_os = "linux"))]
use std::{io, path::Path};

pub use spec::{Bind, IsolationSpec, SERVER_PORT};
pub use spec::{ENTRY_STAGE, HOLDER_STAGE, INNER_STAGE, OUTER_STAGE, PREPARATION_FAILED, SLOW_DISK_STAGE};

#[cfg(target_os = "linux")]
pub use inner::ArrivingListeners;
pub use shared::SharedNamespaces;
#[cfg(target_os = "linux")]
pub use slow_disk::slow_disk_prefix;

/// Runs a stage of isolation and returns its exit status. `None` if `name` is not the name of a stage.
///
/// The arguments of the first stage are a file with the specification, `--`, and the program with its arguments; its exit
/// status is that of the program.
#[cfg(target_os = "linux")]
pub fn run_stage(name: &OsStr, args: impl Iterator<Item = OsString>) -> Option<u8> {
    Some(match name.to_str()? {
        OUTER_STAGE => outer::run(args),
        INNER_STAGE => inner::run(args),
        HOLDER_STAGE => holder::run(args),
        ENTRY_STAGE => entry::run(args),
        SLOW_DISK_STAGE => slow_disk::run(args),
        _ => return None,
    })
}

/// This system cannot slow a disk.
#[cfg(not(target_os = "linux"))]
pub fn slow_disk_prefix(_program: &Path) -> io::Result<Vec<String>> {
    Err(io::Error::other("hookbench slows a disk only on Linux"))
}

/// The abilities that isolated programs keep on this system: clauses that follow "hooks can". Empty if the
/// system has everything that isolation uses.
#[cfg(target_os = "linux")]
pub fn gaps() -> Vec<&'static str> {
    let sockets = (!call_filter::can_filter()).then_some("connect to Unix sockets of your programs");
    let pipes = (!inner::can_limit_writes()).then_some("write into named pipes of your programs");
    let processes = mounts::hides_processes().then_some("see the processes of this system with their command lines");
    sockets.into_iter().chain(pipes).chain(processes).collect()
}

/// This system isolates no program, so no isolation has a gap.
#[cfg(not(target_os = "linux"))]
pub fn gaps() -> Vec<&'static str> {
    Vec::new()
}

/// This system has no namespaces.
#[cfg(not(target_os = "linux"))]
pub fn run_stage(_name: &OsStr, _args: impl Iterator<Item = OsString>) -> Option<u8> {
    None
}
