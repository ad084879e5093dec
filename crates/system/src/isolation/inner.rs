//! The second stage, the first process of its namespace: builds the file system, runs the program as the user, and
//! ends every process when the program or the first stage ends.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::mount::{MountFlags, mount_remount};
use rustix::process::{Pid, WaitOptions, wait};
use rustix::thread::{UnshareFlags, set_no_new_privs, unshare_unsafe};

use super::call_filter::CallFilter;
use super::mounts::{self, PROCESSES, ProcessView, c_text};
use super::rights::drop_rights;
use super::spec::IsolationSpec;
use super::stages::{PREPARATION_FAILED, with_action};
use super::write_scope::WriteScope;

/// The exit status if the first stage has ended.
const ABANDONED: i32 = 130;

pub(super) fn run(args: impl Iterator<Item = OsString>) -> u8 {
    match start(&args.collect::<Vec<_>>()) {
        Ok(status) => status,
        Err(why) => {
            eprintln!("hookbench isolate: {why}");
            PREPARATION_FAILED
        }
    }
}

fn start(args: &[OsString]) -> io::Result<u8> {
    let [user, group, file, dashes, program, rest @ ..] = args else {
        return Err(io::Error::other("arguments are missing"));
    };
    if dashes != "--" {
        return Err(io::Error::other("-- is missing"));
    }
    let spec = IsolationSpec::read(Path::new(file)).map_err(with_action("read the specification"))?;
    // Nothing is ever written to it: it ends with the first stage. The end of this process ends all others.
    std::thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(ABANDONED);
    });
    mounts::separate()?;
    let discarded = mounts::enter(&spec, ProcessView::Own)?;
    let scope = WriteScope::of(&spec.writable(&discarded)).map_err(with_action("limit what can be written"))?;
    std::env::set_current_dir(&spec.directory).map_err(with_action("enter the working directory"))?;
    let mut command = Command::new(program);
    command.args(rest).stdin(if spec.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    become_user(&mut command, &user.to_string_lossy(), &group.to_string_lossy(), scope)?;
    let mut child = command
        .spawn()
        .map_err(|why| io::Error::new(why.kind(), format!("cannot start {}: {why}", program.to_string_lossy())))?;
    if let Some(mut pipe) = child.stdin.take() {
        // The program may end without reading it.
        std::thread::spawn(move || drop(pipe.write_all(spec.stdin.as_bytes())));
    }
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        // Orphans of the namespace are children of this process, and are reaped like it.
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == leader => {
                let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
                return Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(PREPARATION_FAILED));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(why) => return Err(why.into()),
        }
    }
}

/// Gives the program the user's own name and no right in the namespaces, so that it cannot undo what they forbid.
#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes system calls")]
fn become_user(command: &mut Command, user: &str, group: &str, scope: Option<WriteScope>) -> io::Result<()> {
    let mut filter = CallFilter::of_this_system();
    let write = |path: &str, text: &str| Ok::<_, io::Error>((c_text(path)?, text.to_owned()));
    let maps = [
        write("/proc/self/setgroups", "deny")?,
        write("/proc/self/uid_map", &format!("{user} 0 1"))?,
        write("/proc/self/gid_map", &format!("{group} 0 1"))?,
    ];
    let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // SAFETY: the calls are async-signal-safe, the closure neither allocates nor locks, and its process has one thread.
    unsafe {
        command.pre_exec(move || {
            unshare_unsafe(UnshareFlags::NEWUSER)?;
            for (path, text) in &maps {
                let file = open(path.as_c_str(), OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
                rustix::io::write(&file, text.as_bytes())?;
            }
            unshare_unsafe(UnshareFlags::NEWNS)?;
            mount_remount(PROCESSES, read_only, c"")?;
            drop_rights();
            set_no_new_privs(true)?;
            filter.as_mut().map_or(Ok(()), CallFilter::install)?;
            scope.as_ref().map_or(Ok(()), WriteScope::enter)
        });
    }
    Ok(())
}
