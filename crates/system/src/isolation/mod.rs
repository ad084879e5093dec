//! Runs a program in new namespaces: it has only a loopback interface, it can write only to the files of a list, and it
//! sees only its own processes. The server that the program may reach listens
//! inside and is served from outside.
//!
//! | file | content |
//! |---|---|
//! | `spec` | the part of the machine that the program sees, as a file |
//! | `stages` | the names of both stages, and how they fail |
//! | `outer` | the first stage: creates the namespaces, and the socket of the server |
//! | `inner` | the second stage: builds the file system, and runs the program |
//! | `mounts` | the file system |
//! | `loopback` | the network interface, and the socket |
//!
//! hookbench runs itself as both stages, because a process that has threads cannot enter a user namespace.

mod spec;
mod stages;

#[cfg(target_os = "linux")]
mod inner;
#[cfg(target_os = "linux")]
mod loopback;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod outer;

use std::ffi::OsString;

pub use spec::{Bind, IsolationSpec, SERVER_PORT};
pub use stages::{INNER_STAGE, OUTER_STAGE, PREPARATION_FAILED};

#[cfg(target_os = "linux")]
pub use loopback::ArrivingListener;

/// Runs the first stage and returns the exit status of the program. `args` are a file with the specification, `--`,
/// and the program with its arguments.
#[cfg(target_os = "linux")]
pub fn run_outer(args: impl Iterator<Item = OsString>) -> u8 {
    outer::run(args)
}

/// Runs the second stage.
#[cfg(target_os = "linux")]
pub fn run_inner(args: impl Iterator<Item = OsString>) -> u8 {
    inner::run(args)
}

/// This system has no namespaces.
#[cfg(not(target_os = "linux"))]
pub fn run_outer(_args: impl Iterator<Item = OsString>) -> u8 {
    PREPARATION_FAILED
}

/// This system has no namespaces.
#[cfg(not(target_os = "linux"))]
pub fn run_inner(_args: impl Iterator<Item = OsString>) -> u8 {
    PREPARATION_FAILED
}
