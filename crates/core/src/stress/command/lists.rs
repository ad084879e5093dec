//! The command among others that change nothing.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::SHELL_BUILTINS;
use crate::text::shell::{Shell, SimpleCommand};

/// Texts around the command.
const AROUND: [(&str, &str, &str); 20] = [
    ("true; ", "", "`;` runs both commands"),
    ("true && ", "", "`&&` runs the second command after a success"),
    ("false || ", "", "`||` runs the second command after a failure"),
    ("true\n", "", "each line is a command"),
    ("# cleanup\n", "", "a comment ends with its line"),
    ("cd . && ", "", "`cd .` stays in the directory"),
    ("echo ok; ", "", "`;` runs both commands"),
    (":;", "", "`;` needs no blanks"),
    ("", "; true", "`;` runs both commands"),
    ("", " && true", "the first command runs before `&&`"),
    ("", " || true", "the first command runs before `||`"),
    ("", " # --dry-run", "a comment is not part of the command"),
    ("", "\ntrue", "each line is a command"),
    ("{ ", "; }", "braces group commands"),
    ("! ", "", "`!` only inverts the exit status"),
    ("if true; then ", "; fi", "the condition is true"),
    ("for i in 1; do ", "; done", "the loop runs once"),
    ("while true; do ", "; break; done", "the loop runs once"),
    ("case x in x) ", ";; esac", "the pattern matches"),
    ("f() { ", "; }; f", "the function runs the command"),
];

/// Texts around the command that run it in another process.
const IN_PROCESS: [(&str, &str, &str); 5] = [
    ("(", ")", "brackets run the command in a subshell"),
    ("true | ", "", "the command ignores the empty input"),
    ("", " | cat", "cat only copies the output"),
    ("", " & wait", "`&` runs the command in the background"),
    ("echo \"$(", ")\"", "the command runs before its output is printed"),
];

/// Whether other text can be put around the command.
pub(super) fn is_enclosable(text: &str, shell: &Shell) -> bool {
    let document = |command: &SimpleCommand| command.redirections.iter().any(|r| r.operator.starts_with("<<"));
    let ends = text.trim_end();
    !shell.commands.iter().any(document) && !ends.ends_with([';', '&', '|', '\\']) && !text.contains('#')
}

/// Whether the text changes the shell in which it runs.
pub(super) fn changes_shell(shell: &Shell) -> bool {
    let changes = |command: &SimpleCommand| {
        command.program_name().is_some_and(|name| SHELL_BUILTINS.contains(&name.as_str()))
            || command.words.is_empty() && !command.assignments.is_empty()
    };
    shell.commands.last().is_some_and(changes)
}

pub(super) fn add(text: &str, shell: &Shell, list: &mut VariantList) {
    if !is_enclosable(text, shell) {
        return;
    }
    let text = text.trim();
    // These bind to the first command of a list.
    let grouped = if shell.commands.len() > 1 { format!("{{ {text}; }}") } else { text.to_owned() };
    let with = |before: &str, after: &str| {
        let inner = if matches!(before, "! " | "true | ") { &grouped } else { text };
        format!("{before}{inner}{after}")
    };
    for (before, after, why) in AROUND {
        list.command(DeedFamily::Separators, with(before, after), why);
    }
    if !changes_shell(shell) {
        for (before, after, why) in IN_PROCESS {
            list.command(DeedFamily::Separators, with(before, after), why);
        }
    }
}
