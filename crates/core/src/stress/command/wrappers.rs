//! Programs and builtins that start the command that they are given.

use super::super::family::DeedFamily;
use super::target::{SHELL_BUILTINS, TargetCommand, is_plain};
use crate::stress::family::VariantList;

/// Programs that start another program and add nothing to it.
const PROGRAMS: [(&str, &str); 12] = [
    ("env", "env starts the program in the same environment"),
    ("/usr/bin/env", "env starts the program in the same environment"),
    ("env X=1", "env only adds a variable"),
    ("env --", "env starts the program in the same environment"),
    ("nohup", "nohup only ignores the hangup signal"),
    ("nice", "nice only lowers the priority"),
    ("nice -n 5", "nice only lowers the priority"),
    ("timeout 60", "timeout only limits the duration"),
    ("setsid -w", "setsid only starts a new session"),
    ("stdbuf -o0", "stdbuf only changes the buffering"),
    ("flock .", "flock only waits for a lock"),
    ("chrt -o 0", "chrt only sets the scheduling"),
];

/// Wrappers that only the shell knows.
const BUILTINS: [(&str, &str); 5] = [
    ("command", "command runs the program and skips functions"),
    ("command --", "command runs the program and skips functions"),
    ("exec", "exec replaces the shell by the program"),
    ("time", "time only measures the duration"),
    ("eval", "eval runs the words as a command"),
];

/// Wrappers that need another user or other software.
const UNPROVEN: [(&str, &str, &str); 4] = [
    ("sudo", "sudo runs the same command with more rights", "it needs the rights of another user"),
    ("sudo -n -u root", "sudo runs the same command with more rights", "it needs the rights of another user"),
    ("doas", "doas runs the same command with more rights", "it needs the rights of another user"),
    ("caffeinate", "caffeinate only keeps the machine awake", "only macOS has it"),
];

/// Programs that BusyBox contains under the same name.
const APPLETS: [&str; 14] =
    ["cat", "chmod", "chown", "cp", "dd", "find", "ln", "mv", "rm", "rmdir", "sh", "tee", "unlink", "wget"];

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Wrappers;
    let source = target.source();
    let Some(program) = target.program() else { return };
    if SHELL_BUILTINS.contains(&program) || program == "[" || program == "[[" {
        return;
    }
    for (wrapper, why) in PROGRAMS {
        target.add(list, family, &format!("{wrapper} {source}"), why);
    }
    if target.at_shell_level {
        let plain = target.args.iter().all(|arg| arg.value.as_deref().is_some_and(is_plain));
        for (wrapper, why) in BUILTINS {
            let replaces_shell = wrapper == "exec" && !target.alone;
            if !replaces_shell && (wrapper != "eval" || plain) {
                target.add(list, family, &format!("{wrapper} {source}"), why);
            }
        }
        target.add(list, family, &format!("X=1 {source}"), "the assignment only adds a variable");
    }
    for (wrapper, why, reason) in UNPROVEN {
        target.add_unproven(list, family, &format!("{wrapper} {source}"), why, reason);
    }
    if APPLETS.contains(&program) {
        let why = "BusyBox contains the same program";
        target.add_unproven(list, family, &format!("busybox {program} {}", target.rest()), why, "it needs BusyBox");
    }
    if let Some(last) = target.last_operand()
        && let Some(value) = target.args.get(last).and_then(|arg| arg.value.as_deref())
        && is_plain(value)
    {
        let before: Vec<&str> = target.args.iter().take(last).map(|arg| arg.source.as_str()).collect();
        let before = before.join(" ");
        let why = "xargs appends the word that it reads to the command";
        target.add_pipeline(list, family, &format!("echo {value} | xargs {before}"), why);
        target.add_pipeline(list, family, &format!("printf '%s\\0' {value} | xargs -0 {before}"), why);
        let why = "xargs inserts the word that it reads into the command";
        target.add_pipeline(list, family, &format!("echo {value} | xargs -I% {before} %"), why);
        target.add_pipeline(list, family, &format!("xargs {before} <<< {value}"), why);
    }
    if !target.reads_pipe {
        let why = "find starts the command for the directory that it visits";
        target.add(list, family, &format!("find . -maxdepth 0 -exec {source} \\;"), why);
        let why = "xargs starts the command for the word that it reads and does not insert it";
        target.add_pipeline(list, family, &format!("echo x | xargs -I@@ {source}"), why);
    }
}
