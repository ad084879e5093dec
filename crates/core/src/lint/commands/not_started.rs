//! HW401, HW402, HW415: a command that cannot be started.

use super::consequence::{comes_to, held};
use super::lines;
use crate::diagnostic::{Diagnostic, Fix};
use crate::dialects::{Looked, Start};
use crate::git::{checkout, ignores};
use crate::hook::Layer;
use crate::text::Span;

/// Predicts the error of the shell.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let start = at.start.filter(|start| start.fails)?;
    // A first line that ends in a carriage return is reported by another rule.
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
        let found = found.cause(format!("not executable in {}, {}", folder(start), held(at, 126)));
        let source = at.script.filter(|script| Some(&script.path) == start.script.as_ref()).map(|s| s.source);
        return Some(match source {
            Some(source) => found.fix(Fix { safe: true, edits: Vec::new(), executable: vec![source] }),
            None => found,
        });
    }
    let says = match start.status {
        Some(status) => {
            let lead = if held(at, status) { "the script of this hook is missing" } else { "this hook does nothing" };
            format!("{lead}: {}; it ends with {status}, and {}", start.says, comes_to(at, status))
        }
        None => format!("this hook does nothing: {}", start.says),
    };
    let asks_git = at.command().is_some_and(|command| command.contains("rev-parse"));
    let help = if asks_git && checkout(at.whole.files, &start.cwd).is_none() {
        "run `git init` in the project, or write the path without git"
    } else {
        "correct the path, or create the file"
    };
    // A refusal on every call is a different problem from a hook that does nothing.
    let refuses = start.status.is_some_and(|status| held(at, status));
    let cause = format!("missing in {}, {refuses}", folder(start));
    Some(match elsewhere(at, start) {
        Some((why, help)) => {
            let says = format!("{says} ({why})");
            Diagnostic::warning("HW401", says).at(place).help(help).cause(cause)
        }
        None => Diagnostic::error("HW401", says).at(place).help(help).cause(cause),
    })
}

/// Returns why a script that is missing on this machine may exist elsewhere, and the help for that case.
fn elsewhere(at: &Looked<'_>, start: &Start) -> Option<(String, &'static str)> {
    let path = start.script.as_deref().or(start.program.as_deref())?;
    let whole = at.whole;
    let of_project = matches!(at.definition.from.layer, Layer::Project | Layer::Local);
    let project = path.strip_prefix(&whole.place.project).is_some_and(|rest| rest.starts_with('/'));
    let home =
        !whole.place.home.is_empty() && path.strip_prefix(&whole.place.home).is_some_and(|rest| rest.starts_with('/'));
    if of_project && home && !project {
        let help = "keep the script in the project, or tell everybody who works here to install it";
        return Some(("it is looked for in your home folder".to_owned(), help));
    }
    let repository = checkout(whole.files, &whole.place.project)?;
    let ignored = ignores(whole.files, whole.place, &repository, path)?;
    let file = whole.place.show(&ignored.file);
    Some((format!("{file} ignores it: it may not be built yet"), "build it, or correct the path"))
}

/// Returns the folder of the script, so that one finding covers all of a folder.
fn folder(start: &Start) -> &str {
    let path = start.script.as_deref().or(start.program.as_deref()).unwrap_or_default();
    path.rsplit_once('/').map_or(path, |(folder, _)| folder)
}

/// Returns the span of the word in the command that names the missing file.
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
