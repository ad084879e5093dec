//! A download that a shell runs.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::TargetCommand;
use crate::text::shell::Shell;

pub(super) fn add(text: &str, shell: &Shell, list: &mut VariantList) {
    let targets = TargetCommand::top_level(text, shell);
    let [download, runner] = targets.as_slice() else { return };
    let name = runner.program().unwrap_or("");
    let downloads = matches!(download.program(), Some("curl" | "wget"));
    let runs = matches!(name, "sh" | "bash" | "dash" | "zsh") && runner.args.len() == 1;
    if !downloads || !runs || !runner.reads_pipe {
        return;
    }
    let get = download.source();
    let mut add = |family, command: String, why: &str| list.command(family, command, why);
    let nested = DeedFamily::NestedShell;
    let why = "the shell runs the downloaded text";
    for other in ["sh", "bash", "dash"].into_iter().filter(|other| *other != name) {
        add(DeedFamily::OtherProgram, format!("{get} | {other}"), "another shell runs the downloaded text");
    }
    add(nested, format!("{name} -c \"$({get})\""), why);
    add(nested, format!("{name} -c \"`{get}`\""), why);
    add(nested, format!("eval \"$({get})\""), why);
    add(nested, format!("{name} <({get})"), why);
    add(nested, format!("{name} < <({get})"), why);
    add(nested, format!("source <({get})"), why);
    add(nested, format!(". <({get})"), why);
    add(nested, format!("{name} <<< \"$({get})\""), why);
    add(nested, format!("x=$({get}); eval \"$x\""), why);
    let pipes = DeedFamily::Separators;
    add(pipes, format!("{get}|{name}"), "`|` needs no blanks");
    add(pipes, format!("{get} |\n{name}"), "the command continues after `|`");
    add(pipes, format!("{get} |& {name}"), "`|&` also passes the error messages");
    add(pipes, format!("{get} | cat | {name}"), "cat only copies the text");
    add(pipes, format!("{get} | tee /dev/null | {name}"), "tee copies the text");
    add(pipes, format!("{get} | {name} -s"), "`-s` reads the input, as the shell does without it");
    add(pipes, format!("{get} | {name} -s -- x"), "the argument is only passed to the script");
    add(pipes, format!("{get} | {name} -"), "`-` names the input");
    add(pipes, format!("{get} | {name} /dev/stdin"), "/dev/stdin is the input");
    add(pipes, format!("{get} | xargs -0 {name} -c"), "xargs passes the text to the shell");
    add(pipes, format!("{get} | while read -r l; do eval \"$l\"; done"), "the shell runs each line");
    let file = DeedFamily::Redirections;
    let why = "the text is saved and then run";
    add(file, format!("{get} > hb.sh; {name} hb.sh; rm hb.sh"), why);
    add(file, format!("{get} > hb.sh && chmod +x hb.sh && ./hb.sh; rm hb.sh"), why);
    add(file, format!("t=$(mktemp); {get} > $t; . $t; rm $t"), why);
}
