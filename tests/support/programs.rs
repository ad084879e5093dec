//! Programs that tests write and start.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a file that can be run. Another process writes it: a file that this one had open for writing would be inherited
/// by whatever another thread starts meanwhile, and as long as that has it open it cannot be run ("text file busy").
pub fn write_program(path: &Path, text: &[u8]) {
    let mut tee = Command::new("tee").arg(path).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    tee.stdin.take().unwrap().write_all(text).unwrap();
    assert!(tee.wait().unwrap().success(), "{}", path.display());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
