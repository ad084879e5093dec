//! The stage that enters existing namespaces and becomes a program in them. It stays the same process, so signals,
//! streams and the exit status are those of the program.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::thread::{move_into_link_name_space, set_no_new_privs};

use super::rights::drop_rights;
use super::signals;
use super::stages::{NAMESPACES, PREPARATION_FAILED, with_action};

/// The exit statuses of a shell for a program that is missing, and for one that cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

pub(super) fn run(args: impl Iterator<Item = OsString>) -> u8 {
    let (status, why) = match enter(&args.collect::<Vec<_>>()) {
        Ok((program, why)) => {
            let status = if why.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
            (status, format!("cannot start {}: {why}", program.to_string_lossy()))
        }
        Err(why) => (PREPARATION_FAILED, why.to_string()),
    };
    eprintln!("hookbench isolate: {why}");
    status
}

/// Returns only if the program cannot be started, with the reason.
fn enter(args: &[OsString]) -> io::Result<(&OsString, io::Error)> {
    let missing = || io::Error::other("arguments are missing");
    let (directory, rest) = args.split_first().ok_or_else(missing)?;
    let (numbers, rest) = rest.split_at_checked(NAMESPACES.len()).ok_or_else(missing)?;
    let [dashes, program, arguments @ ..] = rest else { return Err(missing()) };
    if dashes != "--" {
        return Err(io::Error::other("-- is missing"));
    }
    let working = std::env::current_dir().map_err(with_action("find the working directory"))?;
    let open = |number: &OsString| File::open(Path::new(directory).join(number));
    let files = numbers.iter().map(open).collect::<io::Result<Vec<File>>>().map_err(with_action("open namespaces"))?;
    for (file, (_, kind)) in files.iter().zip(NAMESPACES) {
        move_into_link_name_space(file.as_fd(), Some(kind))
            .map_err(|why| with_action("enter namespaces")(why.into()))?;
    }
    std::env::set_current_dir(working).map_err(with_action("enter the working directory"))?;
    drop_rights();
    set_no_new_privs(true)?;
    // Older systems do not know it; the description of the containment then says so.
    let _ = signals::scope_to_own_processes();
    Ok((program, Command::new(program).args(arguments).exec()))
}
