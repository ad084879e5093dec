//! Other programs with the same effect.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::file_programs::{deleted_file, printed_file};
use super::target::{TargetCommand, is_plain, quote, single_quoted};

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
