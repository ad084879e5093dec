//! Writes programs that tests start.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable file. A separate process writes it: if this process had the file open for writing, a program
/// that another thread starts at the same time would inherit the open file, and executing the file would fail with
/// "text file busy" until that program ends.
pub fn write_program(path: &Path, text: &[u8]) {
    let mut tee = Command::new("tee").arg(path).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    tee.stdin.take().unwrap().write_all(text).unwrap();
    assert!(tee.wait().unwrap().success(), "{}", path.display());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The process that a process of hookbench waits for, which does its work. Waits until it has started.
#[allow(dead_code, reason = "not every test program kills one")]
pub fn kept_by(keeper: u32) -> rustix::process::Pid {
    loop {
        let children = fs::read_to_string(format!("/proc/{keeper}/task/{keeper}/children")).unwrap();
        if let Ok(child) = children.trim().parse() {
            return rustix::process::Pid::from_raw(child).unwrap();
        }
        std::thread::yield_now();
    }
}
