//! The first stage: enters new namespaces, opens the socket of the server, and starts the second stage in them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::{Signal, getgid, getppid, getuid, set_parent_process_death_signal};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::inner;
use super::spec::IsolationSpec;
use super::spec::{INNER_STAGE, PREPARATION_FAILED, exit_code, with_action};

pub(super) fn run(args: impl Iterator<Item = OsString>) -> u8 {
    match enter(&args.collect::<Vec<_>>()) {
        Ok(status) => exit_code(status),
        Err(why) => {
            eprintln!("hookbench isolate: {why}");
            PREPARATION_FAILED
        }
    }
}

fn enter(args: &[OsString]) -> io::Result<ExitStatus> {
    let parent = getppid();
    let file = args.first().ok_or_else(|| io::Error::other("the specification is missing"))?;
    let spec = IsolationSpec::read(Path::new(file)).map_err(with_action("read the specification"))?;
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    enter_namespaces().map_err(with_action("create namespaces"))?;
    // A change of the user clears it.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != parent {
        return Err(io::Error::other("the caller has ended"));
    }
    // The administrator of the namespaces is the user outside.
    let maps = with_action("map the user");
    fs::write("/proc/self/setgroups", "deny").map_err(&maps)?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1")).map_err(&maps)?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1")).map_err(&maps)?;
    inner::bring_up().map_err(with_action("start the loopback interface"))?;
    if let Some(link) = &spec.link {
        inner::offer_listener(link).map_err(with_action("open the socket of the server"))?;
    }
    let mut inner = Command::new(std::env::current_exe()?);
    inner.arg(INNER_STAGE).arg(user.to_string()).arg(group.to_string()).args(args);
    // The second stage ends when this pipe closes, which it does whenever this process ends.
    inner.stdin(Stdio::piped());
    let mut child = inner.spawn().map_err(with_action("start the second stage"))?;
    let alive = child.stdin.take();
    let status = child.wait();
    drop(alive);
    status
}

#[allow(unsafe_code, reason = "the call is unsafe for processes with threads; this one has none")]
fn enter_namespaces() -> io::Result<()> {
    let flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWPID;
    // SAFETY: no thread runs, and no file descriptor table is unshared.
    Ok(unsafe { unshare_unsafe(flags) }?)
}
