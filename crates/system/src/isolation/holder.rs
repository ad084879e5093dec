//! The stage that creates namespaces for several programs, and its child, the first process in them, which builds their
//! file system. They exist until hookbench closes the child's stdin, by dropping it or by ending: then the system ends
//! every process in them.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use rustix::process::{WaitOptions, getgid, getuid, waitpid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::inner;
use super::mounts::{self, ProcessView};
use super::spec::IsolationSpec;
use super::spec::{PREPARATION_FAILED, READY, with_action};
use crate::child_process::{fork, set_action};

pub(super) fn run(mut args: impl Iterator<Item = OsString>) -> u8 {
    match hold(args.next().as_deref().map(Path::new)) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("hookbench isolate: {why}");
            PREPARATION_FAILED
        }
    }
}

/// Creates the namespaces and their first process. Both processes return from this call.
fn hold(file: Option<&Path>) -> io::Result<()> {
    let spec = file.map(IsolationSpec::read).transpose().map_err(with_action("read the specification"))?;
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let is_separate = spec.as_ref().is_none_or(|spec| spec.root.is_some());
    enter_namespaces(is_separate).map_err(with_action("create namespaces"))?;
    // Everybody keeps their name. This process has the rights of an administrator inside until it ends.
    let maps = with_action("map the user");
    fs::write("/proc/self/setgroups", "deny").map_err(&maps)?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).map_err(&maps)?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).map_err(&maps)?;
    if is_separate {
        // Hooks cannot hide in further namespaces. Where this file is read-only, they could.
        let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
        inner::bring_up().map_err(with_action("start the loopback interface"))?;
    }
    match fork().map_err(with_action("start the first process"))? {
        Some(keeper) => {
            close_streams();
            // Its end is that of the namespaces, whatever its reason.
            let _ = waitpid(Some(keeper), WaitOptions::empty());
            Ok(())
        }
        None => keep(spec.as_ref()),
    }
}

/// Builds the file system, says so, and waits for the end of hookbench. Without a specification, the file system of the
/// machine does not change.
fn keep(spec: Option<&IsolationSpec>) -> io::Result<()> {
    mounts::separate()?;
    let changed = spec.map_or(Ok(Vec::new()), |spec| mounts::enter(spec, ProcessView::OwnIfPossible))?;
    let mut out = io::stdout();
    for directory in changed {
        writeln!(out, "{}", directory.display())?;
    }
    writeln!(out, "{READY}").and_then(|()| out.flush())?;
    // The system removes processes that have lost their parent, which become children of this one.
    set_action(libc::SIGCHLD, libc::SIG_IGN);
    let mut alive = Vec::new();
    let input = rustix::io::dup(io::stdin())?;
    close_streams();
    // hookbench writes nothing to it.
    fs::File::from(input).read_to_end(&mut alive)?;
    Ok(())
}

/// Closes the streams, of which hookbench may wait for the end.
#[allow(unsafe_code, reason = "the streams have no owner in Rust")]
pub(super) fn close_streams() {
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: the process does not use its streams after this call.
        unsafe { libc::close(stream) };
    }
}

#[allow(unsafe_code, reason = "the call is unsafe for processes with threads; this one has none")]
fn enter_namespaces(is_separate: bool) -> io::Result<()> {
    let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNS;
    if is_separate {
        flags |= UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWPID;
    }
    // SAFETY: no thread runs, and no file descriptor table is unshared.
    Ok(unsafe { unshare_unsafe(flags) }?)
}
