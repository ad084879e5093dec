//! The stage that enters existing namespaces and becomes a program in them. In a namespace of processes, the program is
//! its child: a process cannot change its own number. Then the stage ends as the program ends, with its exit status or by
//! its signal.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{move_into_link_name_space, set_no_new_privs};

use super::call_filter::CallFilter;
use super::holder::close_streams;
use super::inner::WriteScope;
use super::rights::{drop_right_to_mount, drop_rights};
use super::spec::{FILE_NAMESPACES, NAMESPACES, PREPARATION_FAILED, exit_code, with_action};
use crate::child_process::{end_like, set_action};

/// The exit statuses of a shell for a program that is missing, and for one that cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
/// The signals that the system knows.
const SIGNALS: std::ops::RangeInclusive<i32> = 1..=64;

pub(super) fn run(args: impl Iterator<Item = OsString>) -> u8 {
    let (status, why) = match enter(&args.collect::<Vec<_>>()) {
        Ok(Ok(status)) => {
            end_like(status);
            return exit_code(status);
        }
        Ok(Err((program, why))) => {
            let status = if why.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
            (status, format!("cannot start {program}: {why}"))
        }
        Err(why) => (PREPARATION_FAILED, why.to_string()),
    };
    eprintln!("hookbench isolate: {why}");
    status
}

/// Runs the program, or returns the reason why it cannot be started, with its name.
fn enter(args: &[OsString]) -> io::Result<Result<ExitStatus, (String, io::Error)>> {
    let missing = || io::Error::other("arguments are missing");
    let (directory, rest) = args.split_first().ok_or_else(missing)?;
    let is_number = |word: &OsString| word.to_str().is_some_and(|word| word.parse::<u32>().is_ok());
    let (numbers, rest) = rest.split_at(rest.iter().take_while(|word| is_number(word)).count());
    let dashes = rest.iter().position(|word| word == "--").ok_or_else(missing)?;
    let (writable, rest) = rest.split_at(dashes);
    let [_, program, arguments @ ..] = rest else { return Err(missing()) };
    let working = std::env::current_dir().map_err(with_action("find the working directory"))?;
    let open = |number: &OsString| File::open(Path::new(directory).join(number));
    let files = numbers.iter().map(open).collect::<io::Result<Vec<File>>>().map_err(with_action("open namespaces"))?;
    for (file, (_, kind)) in files.iter().zip(NAMESPACES) {
        move_into_link_name_space(file.as_fd(), Some(kind))
            .map_err(|why| with_action("enter namespaces")(why.into()))?;
    }
    std::env::set_current_dir(working).map_err(with_action("enter the working directory"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    let cannot_start = |why| Ok(Err((program.to_string_lossy().into_owned(), why)));
    if files.len() == FILE_NAMESPACES {
        drop_right_to_mount();
        return cannot_start(command.exec());
    }
    drop_rights();
    set_no_new_privs(true)?;
    let scope = WriteScope::of(writable).map_err(with_action("limit what can be written"))?;
    let mut filter = CallFilter::of_this_system();
    filter.as_mut().map_or(Ok(()), CallFilter::install).map_err(with_action("refuse system calls"))?;
    scope.as_ref().map_or(Ok(()), WriteScope::enter).map_err(with_action("limit what can be written"))?;
    end_with_this_process(&mut command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(why) => return cannot_start(why),
    };
    // Signals of the process group are for the program.
    SIGNALS.filter(|signal| *signal != libc::SIGCHLD).for_each(|signal| set_action(signal, libc::SIG_IGN));
    close_streams();
    child.wait().map(Ok)
}

#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes system calls")]
fn end_with_this_process(command: &mut Command) {
    // SAFETY: the call is async-signal-safe, and the closure neither allocates nor locks.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?)) };
}
