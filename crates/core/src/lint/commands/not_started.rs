//! HW401, HW402, HW415: a command that cannot be started.

use super::consequence::{blocks_event, consequence};
use super::environment::value;
use super::script_files::GENERATED;
use super::shell_texts;
use super::windows::path_of_another_system;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialects::{RuleContext, StartPrediction};
use crate::git::{find_checkout, ignores};
use crate::hook::Layer;
use crate::text::{Span, nearest};

/// Predicts the error of the shell.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let start = at.start.filter(|start| start.fails)?;
    // A first line that ends in a carriage return is reported by another rule.
    if at.script.is_some_and(|script| script.text.split('\n').next().is_some_and(|line| line.ends_with('\r'))) {
        return None;
    }
    let place = missing_word(at, start);
    let name = start.message.split(' ').next().unwrap_or_default();
    // What follows in the command, such as `|| exit 2`, may choose another status than the shell's 126.
    let is_plain = |path: &String| at.agent.files.executable(path) == Some(false);
    if start.program.is_none() && start.script.as_ref().is_some_and(is_plain) {
        let status = start.status.unwrap_or(126);
        let then =
            if start.direct { format!("{} continues without it", at.agent_name()) } else { consequence(at, status) };
        let says = format!("{}, so it cannot start; {then}", start.message);
        let found = Diagnostic::new(Code::HW402, says).at(place);
        let found = found.with_help("run chmod +x, or write the interpreter before the script");
        let found = found.with_cause(format!("not executable in {}, {}", directory(start), blocks_event(at, status)));
        let source = at.script.filter(|script| Some(&script.path) == start.script.as_ref()).map(|s| s.source);
        return Some(match source {
            Some(source) => found.with_fix(Fix { executable: true, ..Fix::new(true, source, []) }),
            None => found,
        });
    }
    if start.direct && start.program.is_none() {
        let says = format!("{}, so this hook cannot start; {} continues without it", start.message, at.agent_name());
        return Some(if start.by_name {
            let found = Diagnostic::new(Code::HW415, says).at(place).with_help("install it, or use its absolute path");
            found.with_cause(format!("{name} is not found"))
        } else {
            name_near_file(at, start, Diagnostic::new(Code::HW401, says).at(place).with_help("fix the path"))
        });
    }
    if start.by_name && start.program.is_none() && start.script.is_none() {
        let then = start.status.map(|status| format!("; {}", consequence(at, status))).unwrap_or_default();
        let says = format!("{}, so this command cannot start{then}", start.message);
        let help = "install it, or test for it with `command -v` and choose the exit status if it is missing";
        return Some(
            Diagnostic::new(Code::HW415, says).at(place).with_help(help).with_cause(format!("{name} is not found")),
        );
    }
    let says = match start.status {
        Some(status) => {
            let lead = if blocks_event(at, status) { "" } else { ", so this hook does nothing" };
            format!("{}{lead}: it exits with {status}, and {}", start.message, consequence(at, status))
        }
        None => format!("{}, so this hook does nothing", start.message),
    };
    let asks_git = at.command().is_some_and(|command| command.contains("rev-parse"));
    let special = if asks_git && find_checkout(at.agent.files, &start.cwd).is_none() {
        Some("run `git init` in the project, or write a path without git".to_owned())
    } else if let Some(meant) = meant_variable(at) {
        Some(meant)
    } else if start.program.is_some()
        && start.script.is_none()
        && at.command().is_some_and(|line| line.contains(" adapt "))
    {
        Some("hookbench adapt --help shows how to call it".to_owned())
    } else {
        path_of_another_system(at).map(str::to_owned)
    };
    // A refusal on every call is a different problem from a hook that does nothing.
    let refuses = start.status.is_some_and(|status| blocks_event(at, status));
    let cause = format!("missing in {}, {refuses}", directory(start));
    Some(match why_it_may_exist(at, start) {
        Some((why, help)) => {
            let says = format!("{says} ({why})");
            Diagnostic::lowered(Code::HW401, Severity::Warning, says).at(place).with_help(help).with_cause(cause)
        }
        None => {
            let found = Diagnostic::new(Code::HW401, says).at(place).with_cause(cause);
            match special {
                Some(help) => found.with_help(help),
                None => name_near_file(at, start, found.with_help("fix the path, or create the file")),
            }
        }
    })
}

/// Names the file that is meant: beside the missing one under a close name, or under its name elsewhere.
fn name_near_file(at: &RuleContext<'_>, start: &StartPrediction, found: Diagnostic) -> Diagnostic {
    let path = start.script.as_deref().or(start.program.as_deref());
    let Some((directory, name)) = path.and_then(|path| path.rsplit_once('/')) else { return found };
    let beside = at.agent.files.list(directory);
    let others: Vec<&str> = beside.iter().map(String::as_str).filter(|other| *other != name).collect();
    let near = nearest(name, &others);
    let root = root_of_search(at, directory);
    let in_root = |path: &str| path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
    let (written, meant) = match near {
        Some(near) => (name.to_owned(), near.to_owned()),
        None => match file_elsewhere(at, root, name) {
            Some(meant) => (in_root(&format!("{directory}/{name}")).unwrap_or_default(), meant),
            None => return found,
        },
    };
    let span = found.span.and_then(|span| {
        let text = at.agent.sources.text(span.source).get(span.start..span.end)?;
        let begin = span.start + text.rfind(&written).filter(|_| !written.is_empty())?;
        Some(Span::new(span.source, begin, begin + written.len()))
    });
    let found = found.with_help(format!("did you mean {meant}?"));
    match span {
        Some(span) => found.with_fix(Fix::proposal(span, meant)),
        None => found,
    }
}

/// The directory in which a missing file is looked for: the project, or what exists of the user's directory of the
/// file.
fn root_of_search<'a>(at: &'a RuleContext<'_>, directory: &'a str) -> &'a str {
    let place = at.agent.place;
    let is_in = |path: &str, root: &str| path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
    let mut existing = directory;
    while !is_in(directory, &place.project) && is_in(existing, &place.home) {
        if at.agent.files.exists(existing) {
            return existing;
        }
        existing = existing.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    &place.project
}

/// The most directories that the search for a missing file reads.
const MOST_DIRECTORIES: usize = 300;

/// The path, from `root`, of the only file of that name near it.
fn file_elsewhere(at: &RuleContext<'_>, root: &str, name: &str) -> Option<String> {
    // A name with an ending is taken for a file, so that a large directory of files costs one read.
    let is_searched = |entry: &str| {
        entry != ".git"
            && (entry == "bin" || !GENERATED.contains(&entry))
            && !entry.get(1..).is_some_and(|e| e.contains('.'))
    };
    let mut directories = vec![String::new()];
    let mut found = None;
    let mut read = 0;
    while let Some(directory) = directories.get(read).filter(|_| read < MOST_DIRECTORIES).cloned() {
        read += 1;
        for entry in at.agent.files.list(&format!("{root}/{directory}")) {
            let path = format!("{directory}{entry}");
            if entry == name {
                if found.replace(path).is_some() {
                    return None;
                }
            } else if is_searched(&entry) && directories.len() < MOST_DIRECTORIES {
                directories.push(format!("{path}/"));
            }
        }
    }
    found
}

/// Returns the help for a variable without a value whose name is close to one that the agent sets.
fn meant_variable(at: &RuleContext<'_>) -> Option<String> {
    let line = shell_texts::command(at)?;
    let known: Vec<&str> = at.agent.dialect.settings_format().variables.iter().map(|variable| variable.name).collect();
    let assigned = line.shell.assigned_variables();
    let mut names =
        line.shell.words().flat_map(|(_, word)| word.variables()).map(|(_, variable)| variable.name.as_str());
    names.find_map(|name| {
        let is_empty = !known.contains(&name) && !assigned.contains(name) && value(at, name).is_none();
        nearest(name, &known).filter(|_| is_empty).map(|meant| format!("write ${meant}"))
    })
}

/// Returns why a script that is missing on this machine may exist elsewhere, and the help for that case.
fn why_it_may_exist(at: &RuleContext<'_>, start: &StartPrediction) -> Option<(String, &'static str)> {
    let path = start.script.as_deref().or(start.program.as_deref())?;
    let whole = at.agent;
    let of_project = matches!(at.definition.provenance.layer, Layer::Project | Layer::Local);
    let project = path.strip_prefix(&whole.place.project).is_some_and(|rest| rest.starts_with('/'));
    let home =
        !whole.place.home.is_empty() && path.strip_prefix(&whole.place.home).is_some_and(|rest| rest.starts_with('/'));
    if of_project && home && !project {
        let help = "keep the script in the project, or document that it must be installed";
        return Some(("the path is in your home directory".to_owned(), help));
    }
    let repository = find_checkout(whole.files, &whole.place.project)?;
    let ignored = ignores(whole.files, whole.place, &repository, path)?;
    let file = whole.place.display_path(&ignored.file);
    Some((format!("{file} ignores it, so it may not be built yet"), "build it, or fix the path"))
}

/// Returns the directory of the script, so that one finding covers all of a directory.
fn directory(start: &StartPrediction) -> &str {
    let path = start.script.as_deref().or(start.program.as_deref()).unwrap_or_default();
    path.rsplit_once('/').map_or(path, |(directory, _)| directory)
}

/// Returns the span of the word in the command that names the missing file.
fn missing_word(at: &RuleContext<'_>, start: &StartPrediction) -> Span {
    let Some(written) = at.written else { return at.handler_span() };
    let name = start.script.as_deref().or(start.program.as_deref()).and_then(|path| path.rsplit('/').next());
    if let (Some(name), Some(line)) = (name, shell_texts::command(at)) {
        let run = line.shell.commands.iter().flat_map(shell_texts::executed_words);
        if let Some(word) = run.into_iter().find(|word| word.text().ends_with(name)) {
            return line.span_of(word.at.clone());
        }
    }
    if let Some(name) = name
        && let Some(literal) = written.args.iter().flatten().find(|literal| literal.text.ends_with(name))
    {
        return literal.span;
    }
    let first = || shell_texts::command(at).and_then(|line| Some((line, line.shell.commands.first()?.words.first()?)));
    if start.by_name
        && !start.direct
        && let Some((line, word)) = first()
    {
        return line.span_of(word.at.clone());
    }
    written.command.span
}
