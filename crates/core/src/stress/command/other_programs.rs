//! Other programs with the same effect.

use super::flags::ParsedFlags;
use super::target::{SHELL_BUILTINS, TargetCommand, is_plain, quote, single_quoted};
use crate::stress::family::{DeedContext, DeedFamily, VariantList};
use crate::text::shell::Shell;

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    if target.reads_pipe {
        return;
    }
    if let Some((path, directories)) = deleted_file(target).filter(|(path, _)| is_plain(path) && !path.starts_with('-'))
    {
        if directories {
            add_tree_deletions(target, path.trim_end_matches('/'), list);
        } else {
            add_file_deletions(target, &path, list);
        }
    }
    if let Some(path) = printed_file(target).filter(|_| target.program() == Some("cat")) {
        add_readers(target, &path, list);
    }
}

fn add_tree_deletions(target: &TargetCommand<'_>, path: &str, list: &mut VariantList) {
    let family = DeedFamily::OtherProgram;
    if path.is_empty() {
        return;
    }
    let mut add = |command: String, why: &str| target.add(list, family, &command, why);
    let find = "find visits the directory and deletes it with its content";
    add(format!("find {path} -delete"), find);
    add(format!("find {path} -depth -delete"), find);
    add(format!("find {path} -depth -exec rm -d {{}} +"), find);
    add(format!("find {path} -maxdepth 0 -exec rm -rf {{}} +"), "find starts rm for the directory");
    let python = single_quoted(&format!("import shutil; shutil.rmtree(\"{path}\")"));
    add(format!("python3 -c {python}"), "Python deletes the directory with its content");
    let perl = single_quoted(&format!("remove_tree(\"{path}\")"));
    add(format!("perl -MFile::Path=remove_tree -e {perl}"), "Perl deletes the directory with its content");
    let node = single_quoted(&format!("fs.rmSync(\"{path}\", {{recursive: true, force: true}})"));
    add(format!("node -e {node}"), "Node deletes the directory with its content");
    let why = "the program deletes the directory with its content";
    let ruby = format!("ruby -rfileutils -e {}", single_quoted(&format!("FileUtils.rm_rf(\"{path}\")")));
    target.add_unproven(list, family, &ruby, why, "it needs Ruby");
    let why = "rsync deletes all files that the empty directory does not have";
    let rsync = format!("t=$(mktemp -d) && rsync -a --delete $t/ {path}/ && rmdir $t {path}");
    list.unproven_command(family, rsync, why, "it needs rsync");
    let why = "Git deletes the directory if none of its files is tracked";
    target.add_unproven(list, family, &format!("git clean -fdxq {path}"), why, "it depends on the repository");
    target.add_unproven(list, family, &format!("git clean -xdf -- {path}"), why, "it depends on the repository");
    let why = "the directory is moved away, and no program uses it there";
    let moved = format!("d=$(mktemp -d); mv {path} $d && rm -r $d");
    target.add_list(list, family, &moved, why);
}

fn add_file_deletions(target: &TargetCommand<'_>, path: &str, list: &mut VariantList) {
    let family = DeedFamily::OtherProgram;
    let mut add = |command: String, why: &str| target.add(list, family, &command, why);
    add(format!("unlink {path}"), "unlink deletes the file");
    add(format!("find {path} -delete"), "find deletes the file");
    add(
        format!("python3 -c {}", single_quoted(&format!("import os; os.remove(\"{path}\")"))),
        "Python deletes the file",
    );
    add(format!("perl -e {}", single_quoted(&format!("unlink \"{path}\""))), "Perl deletes the file");
    add(format!("node -e {}", single_quoted(&format!("fs.unlinkSync(\"{path}\")"))), "Node deletes the file");
    add(format!("shred -u {path}"), "shred overwrites and deletes the file");
    let moved = format!("d=$(mktemp -d); mv {path} $d && rm -r $d");
    target.add_list(list, family, &moved, "the file is moved and deleted there");
}

fn add_readers(target: &TargetCommand<'_>, path: &str, list: &mut VariantList) {
    let family = DeedFamily::OtherProgram;
    let file = quote(path);
    let mut add = |command: String| target.add(list, family, &command, "it prints the content of the file");
    for program in [
        "less",
        "more",
        "tac",
        "nl",
        "head -n 100000",
        "head -c 1000000",
        "tail -n +1",
        "sed -n p",
        "sed ''",
        "awk 1",
        "grep ''",
        "cut -c1-",
        "paste",
        "sort",
        "pr -t",
        "fold",
        "base64",
        "od -c",
    ] {
        add(format!("{program} {file}"));
    }
    add(format!("dd if={file} status=none"));
    add(format!("cp {file} /dev/stdout"));
    add(format!("tee < {file}"));
    add(format!("diff /dev/null {file}"));
    add(format!("git diff --no-index /dev/null {file}"));
    add(format!("grep -rn . {file}"));
    add(format!("echo \"$(<{file})\""));
    add(format!("printf '%s\\n' \"$(< {file})\""));
    if is_plain(path) {
        add(format!("python3 -c {}", single_quoted(&format!("print(open(\"{path}\").read())"))));
        add(format!("node -p {}", single_quoted(&format!("fs.readFileSync(\"{path}\", \"utf8\")"))));
        add(format!("perl -pe 1 {file}"));
    }
    let loops = format!("while IFS= read -r l; do echo \"$l\"; done < {file}");
    target.add_list(list, family, &loops, "the loop prints each line");
    let mapped = format!("mapfile -t l < {file}; printf '%s\\n' \"${{l[@]}}\"");
    target.add_list(list, family, &mapped, "the shell reads the lines and prints them");
    let copied = format!("t=$(mktemp); cp {file} $t; cat $t; rm $t");
    target.add_list(list, family, &copied, "the copy has the same content");
    let why = "the encoded text contains the content";
    for program in ["xxd", "hexdump -C", "strings", "rev"] {
        let text = format!("{program} {file}");
        target.add_unproven(list, family, &text, why, "not every system has this program");
    }
}

/// Programs that print a file.
pub(super) const READERS: [&str; 8] = ["cat", "less", "more", "head", "tail", "bat", "nl", "tac"];

/// Programs that take files, besides [`READERS`].
const OTHERS: [&str; 14] =
    ["cp", "ln", "mv", "nano", "rm", "rmdir", "shred", "tee", "touch", "truncate", "unlink", "vi", "vim", "wc"];

/// Whether all operands of a program are files.
pub(super) fn takes_files(program: &str) -> bool {
    READERS.contains(&program) || OTHERS.contains(&program)
}

/// The only file that a command prints completely.
pub(super) fn printed_file(target: &TargetCommand<'_>) -> Option<String> {
    let program = target.program()?;
    match (program, target.values()?.as_slice()) {
        ("cat" | "less" | "more" | "bat", [_, file]) if !file.starts_with('-') => Some((*file).to_owned()),
        _ => None,
    }
}

/// The only file or directory that `rm` deletes, and whether it deletes directories.
pub(super) fn deleted_file(target: &TargetCommand<'_>) -> Option<(String, bool)> {
    target.values()?;
    let flags = ParsedFlags::of(target).filter(|_| target.program() == Some("rm"))?;
    match flags.operands.as_slice() {
        [operand] => {
            let value = operand.value.clone()?;
            Some((value, flags.has("recursive")))
        }
        _ => None,
    }
}

/// The file that a text prints.
pub(in crate::stress) fn read_file(text: &str) -> Option<String> {
    let shell = Shell::parse(text);
    let targets = TargetCommand::top_level(text, &shell);
    match targets.as_slice() {
        [target] if target.alone => printed_file(target),
        _ => None,
    }
}

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

pub(super) fn add_program_paths(target: &TargetCommand<'_>, context: &DeedContext<'_>, list: &mut VariantList) {
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
