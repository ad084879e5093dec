//! The stage that creates namespaces for several programs, and holds them until hookbench has opened them.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use rustix::process::{getgid, getuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::loopback;
use super::mounts::{self, ProcessView};
use super::spec::IsolationSpec;
use super::stages::{PREPARATION_FAILED, READY, with_action};

pub(super) fn run(mut args: impl Iterator<Item = OsString>) -> u8 {
    match hold(args.next().as_deref().map(Path::new)) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("hookbench isolate: {why}");
            PREPARATION_FAILED
        }
    }
}

/// Without a specification, the file system of the machine does not change.
fn hold(file: Option<&Path>) -> io::Result<()> {
    let spec = file.map(IsolationSpec::read).transpose().map_err(with_action("read the specification"))?;
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    enter_namespaces().map_err(with_action("create namespaces"))?;
    // Everybody keeps their name. This process has the rights of an administrator inside until it ends.
    let maps = with_action("map the user");
    fs::write("/proc/self/setgroups", "deny").map_err(&maps)?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).map_err(&maps)?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).map_err(&maps)?;
    // Hooks cannot hide in further namespaces. Where this file is read-only, they could.
    let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
    loopback::bring_up().map_err(with_action("start the loopback interface"))?;
    mounts::separate()?;
    spec.map_or(Ok(()), |spec| mounts::enter(&spec, ProcessView::Machine))?;
    let mut out = io::stdout();
    writeln!(out, "{READY}").and_then(|()| out.flush())?;
    // hookbench closes it.
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

#[allow(unsafe_code, reason = "the call is unsafe for processes with threads; this one has none")]
fn enter_namespaces() -> io::Result<()> {
    let flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    // SAFETY: no thread runs, and no file descriptor table is unshared.
    Ok(unsafe { unshare_unsafe(flags) }?)
}
