//! HW401, HW402, HW415: a command that cannot be started.

use super::consequence::comes_to;
use super::lines;
use crate::diagnostic::{Diagnostic, Fix};
use crate::dialects::{Looked, Start};
use crate::git::checkout;
use crate::text::Span;

/// What the shell would say, said before.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let start = at.start.filter(|start| start.fails)?;
    // A first line that ends in a carriage return names a program that nobody has: that is another finding.
    if at.script.is_some_and(|script| script.text.lines().next().is_some_and(|line| line.ends_with('\r'))) {
        return None;
    }
    let place = word(at, start);
    let name = start.says.split(' ').next().unwrap_or_default();
    if start.direct && start.program.is_none() {
        let says = format!("this hook cannot be started: {}; {} goes on without it", start.says, at.agent());
        return Some(if start.by_name {
            let found = Diagnostic::warning("HW415", says).at(place).help("install it, or name it by its whole path");
            found.cause(format!("{name} is not found"))
        } else {
            Diagnostic::error("HW401", says).at(place).help("correct the path")
        });
    }
    if start.by_name && start.program.is_none() && start.script.is_none() && start.status != Some(126) {
        let then = start.status.map(|status| format!(", and {}", comes_to(at, status))).unwrap_or_default();
        let says = format!("this command cannot be started: {}{then}", start.says);
        let help = "install it, or test for it with `command -v` and end on purpose where it is missing";
        return Some(Diagnostic::warning("HW415", says).at(place).help(help).cause(format!("{name} is not found")));
    }
    if start.status == Some(126) {
        let says = format!("this command cannot be started: {}, and {}", start.says, comes_to(at, 126));
        let found = Diagnostic::error("HW402", says).at(place);
        let found = found.help("chmod +x, or name the interpreter before the script");
        let found = found.cause(format!("not executable in {}", folder(start)));
        let source = at.script.filter(|script| Some(&script.path) == start.script.as_ref()).map(|s| s.source);
        return Some(match source {
            Some(source) => found.fix(Fix { safe: true, edits: Vec::new(), executable: vec![source] }),
            None => found,
        });
    }
    let says = match start.status {
        Some(status) => {
            format!("this hook does nothing: {}; it ends with {status}, and {}", start.says, comes_to(at, status))
        }
        None => format!("this hook does nothing: {}", start.says),
    };
    let asks_git = at.command().is_some_and(|command| command.contains("rev-parse"));
    let help = if asks_git && checkout(at.whole.files, &start.cwd).is_none() {
        "run `git init` in the project, or write the path without git"
    } else {
        "correct the path, or create the file"
    };
    Some(Diagnostic::error("HW401", says).at(place).help(help).cause(format!("missing in {}", folder(start))))
}

/// The folder of the script: what is wrong with all of a folder is one thing.
fn folder(start: &Start) -> &str {
    let path = start.script.as_deref().or(start.program.as_deref()).unwrap_or_default();
    path.rsplit_once('/').map_or(path, |(folder, _)| folder)
}

/// The word of the command that names what is missing.
fn word(at: &Looked<'_>, start: &Start) -> Span {
    let Some(written) = at.written else { return at.handler() };
    let name = start.script.as_deref().or(start.program.as_deref()).and_then(|path| path.rsplit('/').next());
    if let (Some(name), Some(line)) = (name, lines::command(at)) {
        let run = line.shell.commands.iter().flat_map(lines::run_by);
        if let Some(word) = run.into_iter().find(|word| word.text().ends_with(name)) {
            return line.place(word.at.clone());
        }
    }
    if let Some(name) = name
        && let Some(literal) = written.args.iter().flatten().find(|literal| literal.text.ends_with(name))
    {
        return literal.span;
    }
    let first = || lines::command(at).and_then(|line| Some((line, line.shell.commands.first()?.words.first()?)));
    if start.by_name
        && !start.direct
        && let Some((line, word)) = first()
    {
        return line.place(word.at.clone());
    }
    written.command.span
}
