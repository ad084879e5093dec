//! The same program under its path.

use super::super::context::DeedContext;
use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::{SHELL_BUILTINS, TargetCommand, is_plain};

/// Programs that each system has in `/bin` or `/usr/bin`, which often are one directory.
const IN_BIN: [&str; 34] = [
    "bash", "cat", "chgrp", "chmod", "chown", "cp", "dash", "date", "dd", "df", "ed", "grep", "gunzip", "gzip",
    "hostname", "kill", "ln", "ls", "mkdir", "mknod", "mount", "mv", "ps", "rm", "rmdir", "sed", "sh", "sleep", "stty",
    "sync", "tar", "touch", "umount", "uname",
];

/// Programs that packages install in `/usr/bin`.
const IN_USR_BIN: [&str; 30] = [
    "awk", "cut", "curl", "diff", "dirname", "docker", "env", "find", "git", "head", "id", "install", "kubectl",
    "less", "mysql", "nohup", "npm", "perl", "psql", "python3", "shred", "sort", "sqlite3", "ssh", "sudo", "tail",
    "tee", "truncate", "unlink", "wget",
];

pub(super) fn add(target: &TargetCommand<'_>, context: &DeedContext<'_>, list: &mut VariantList) {
    let family = DeedFamily::ProgramPath;
    let Some(program) = target.program().filter(|name| is_plain(name)) else { return };
    if SHELL_BUILTINS.contains(&program) || target.args.first().is_some_and(|arg| arg.source.contains('/')) {
        return;
    }
    let mut add = |source: &str, why: &str| target.add(list, family, &target.with(0, source), why);
    let in_bin = IN_BIN.contains(&program);
    let directories: &[&str] = match () {
        () if in_bin => &["/bin", "/usr/bin"],
        () if IN_USR_BIN.contains(&program) => &["/usr/bin"],
        () => &[],
    };
    for directory in directories {
        add(&format!("{directory}/{program}"), "the path names the same program");
    }
    if let Some(directory) = directories.first() {
        add(&format!("{directory}//{program}"), "two slashes in a path are one");
        add(&format!("{directory}/./{program}"), "`.` in a path is the same directory");
        add(&format!("/usr/..{directory}/{program}"), "`..` in a path is the parent directory");
        if let Some((first, rest)) = program.split_at_checked(1) {
            let why = "the pattern matches exactly this program";
            target.add(list, DeedFamily::Globs, &target.with(0, &format!("{directory}/[{first}]{rest}")), why);
        }
    }
    let mut add = |source: &str, why: &str| target.add(list, family, &target.with(0, source), why);
    add(&format!("$(command -v {program})"), "`command -v` prints the path of the same program");
    add(&format!("\"$(type -P {program})\""), "`type -P` prints the path of the same program");
    if context.ignores_case && !directories.is_empty() {
        let upper = target.with(0, &program.to_uppercase());
        target.add(list, DeedFamily::Case, &upper, "this file system ignores the case of program names");
    }
}
