//! Redirections of input and output.

use super::super::family::DeedFamily;
use super::other_programs::printed_file;
use super::target::{SHELL_BUILTINS, TargetCommand, quote};
use crate::stress::family::VariantList;
use crate::text::shell::Shell;

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Redirections;
    if target.program().is_none_or(|name| SHELL_BUILTINS.contains(&name)) || !target.at_shell_level {
        return;
    }
    let source = target.source();
    target.add(list, family, &format!("2>/dev/null {source}"), "only error messages are discarded");
    target.add(list, family, &format!("{source} 2>/dev/null"), "only error messages are discarded");
    target.add(list, family, &format!("{source} 2>&1"), "error messages go to the output");
    if !target.reads_pipe {
        target.add(list, family, &format!("</dev/null {source}"), "the command ignores its input");
        target.add(list, family, &format!("{source} < /dev/null"), "the command ignores its input");
    }
    if let (Some(path), Some("cat")) = (printed_file(target), target.program())
        && !target.reads_pipe
    {
        let path = quote(&path);
        let why = "cat copies its input";
        target.add(list, family, &format!("cat < {path}"), why);
        target.add(list, family, &format!("cat <{path}"), why);
        target.add(list, family, &format!("<{path} cat"), "a redirection may precede the command");
        target.add(list, family, &format!("cat - < {path}"), why);
        target.add(list, family, &format!("cat 0<{path}"), "0 is the input");
    }
}

/// The file that an `echo` or `printf` writes, with its content.
pub(in super::super) fn written_file(text: &str) -> Option<(String, String)> {
    let shell = Shell::parse(text);
    let [command] = shell.commands.as_slice() else { return None };
    let [redirection] = command.redirections.as_slice() else { return None };
    let words: Option<Vec<String>> = command.words.iter().map(|word| word.constant()).collect();
    let words = words?;
    let (program, rest) = words.split_first()?;
    let writes = program == "echo" && !rest.iter().any(|word| word.starts_with('-')) && redirection.operator == ">";
    let path = redirection.target.constant().filter(|_| writes && redirection.fd.is_none())?;
    Some((path, format!("{}\n", rest.join(" "))))
}
