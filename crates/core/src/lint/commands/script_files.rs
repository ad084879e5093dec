//! HW404 inside scripts: relative files that a script runs, loads or reads. They are resolved against the directory in
//! which the agent starts the hook.

use std::ops::Range;

use hookbench_script::{Value, is_interpreter, place_in};

use super::relative_paths::is_relative;
use super::shell_texts::{self, ShellText, changes_directory, directory_part, executed_words, read_words};
use crate::config::Os;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::settings_format::PROJECT;
use crate::dialects::{RuleContext, Script};
use crate::hook::Layer;
use crate::lint::answers::HookText;
use crate::text::shell::{CommandJoin, Word};
use crate::text::{Span, normalize_path};

/// Directories that programs create, so that they may be missing in a fresh checkout.
pub(super) const GENERATED: [&str; 8] = ["node_modules", "venv", ".venv", "target", "dist", "build", "vendor", "bin"];

/// Signs that a script checks whether a file exists, handles its absence, or changes its directory.
const CAREFUL: [&str; 8] =
    ["chdir", "exists(", "existsSync", "isfile", "is_file", "except", "catch", "FileNotFoundError"];

/// Reports the first relative file of a project's script.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    if !matches!(at.definition.provenance.layer, Layer::Project | Layer::Local) || at.agent.place.os == Os::Windows {
        return None;
    }
    let script = at.script?;
    let start = at.start.filter(|start| !start.unknown && !start.cwd.is_empty())?;
    // A command that changes its directory starts the script somewhere else.
    if shell_texts::command(at).is_some_and(moves) {
        return None;
    }
    let form = at.agent.dialect.settings_format();
    let (files, place) = (at.agent.files, at.agent.place);
    let is_in_project =
        |name: &str| !name.starts_with(['/', '~']) && files.exists(&normalize_path(&format!("{}/{name}", start.cwd)));
    let (named, own_directory) = match shell_texts::script(at) {
        Some(text) => (files_of_shell(text, &is_in_project), "\"$(dirname \"$0\")\"/"),
        None if script.interpreter.starts_with("python") => (files_of_code(at, script), "os.path.dirname(__file__)"),
        None => (files_of_code(at, script), "the script's own directory"),
    };
    named.into_iter().find_map(|(name, span)| {
        let exists = files.exists(&normalize_path(&format!("{}/{name}", start.cwd)));
        if exists && form.project_hooks_stay {
            return None;
        }
        let generated = name.trim_start_matches("./").split('/').next().is_some_and(|first| GENERATED.contains(&first));
        if !exists && generated {
            return None;
        }
        let agent = at.agent_name();
        let says = if exists {
            format!("{name} is resolved against the directory in which {agent} starts this hook: if that is not the project, it is not found")
        } else {
            format!("{name} does not exist in {}, in which {agent} starts this hook", directory(&start.cwd, &place.project))
        };
        let help = match form.variable_for(PROJECT) {
            Some(variable) if script.shell.is_some() => format!("start the path with \"${variable}\"/ or {own_directory}"),
            _ => format!("start the path with {own_directory}"),
        };
        let cause = format!("relative paths in {}", script.file);
        Some(Diagnostic::new(Code::HW404, says).at(span).with_help(help).with_cause(cause))
    })
}

/// The directory in words.
fn directory<'a>(cwd: &'a str, project: &str) -> &'a str {
    if cwd == project { "the project's directory" } else { cwd }
}

fn moves(text: ShellText<'_>) -> bool {
    text.shell.commands.iter().any(changes_directory)
}

/// The relative name of a word: its text, or what follows the current directory in `"$PWD"/x`.
fn relative_name(word: &Word, is_program: bool) -> Option<String> {
    match word.constant() {
        Some(name) => is_relative(&name, is_program).then_some(name),
        None => directory_part(word)?.strip_prefix('/').filter(|rest| !rest.is_empty()).map(str::to_owned),
    }
}

/// The relative files that a shell script runs or loads in any case, unless it tests for them or has a fallback.
fn files_of_shell(text: ShellText<'_>, is_in_project: &dyn Fn(&str) -> bool) -> Vec<(String, Span)> {
    if moves(text) {
        return Vec::new();
    }
    let commands = &text.shell.commands;
    let is_test = |name: Option<&str>| matches!(name, Some("[" | "[[" | "test" | "command"));
    let tested = |name: &str| {
        let tests = commands.iter().filter(|simple| is_test(simple.name()));
        tests.flat_map(|simple| &simple.words).any(|word| word.text() == name)
    };
    let mut found = Vec::new();
    for (number, simple) in commands.iter().enumerate() {
        let replaced = commands.get(number + 1).is_some_and(|next| next.join == CommandJoin::Or);
        if simple.depth > 0 || simple.join != CommandJoin::Next || replaced {
            continue;
        }
        let executed = executed_words(simple).into_iter().enumerate();
        let executed = executed.filter_map(|(index, word)| Some((relative_name(word, index == 0)?, word)));
        // Another file may be one that the script has just written.
        let read = read_words(simple).into_iter().filter_map(|word| Some((word.constant()?, word)));
        let read = read.filter(|(name, _)| is_in_project(name));
        let relative = executed.chain(read).filter(|(name, _)| !tested(name));
        found.extend(relative.map(|(name, word)| (name, text.span_of(word.at.clone()))));
    }
    found
}

/// The relative files that a script in another language reads, or starts with an interpreter or itself.
fn files_of_code(at: &RuleContext<'_>, script: &Script) -> Vec<(String, Span)> {
    if CAREFUL.iter().any(|sign| script.text.contains(sign)) {
        return Vec::new();
    }
    let Some(walked) = HookText::of(at).and_then(|text| text.walk(at)) else { return Vec::new() };
    let span = |name: &str, at: &Range<usize>| {
        let place = place_in(&script.text, name, at);
        (name.to_owned(), script.span(place.start, place.end))
    };
    let is_here =
        |name: &str| !name.starts_with(['/', '~']) && !name.contains("://") && name.as_bytes().get(1) != Some(&b':');
    let read = walked.read_files.iter().filter(|(name, _)| is_here(name)).map(|(name, at)| span(name, at));
    let started = walked.started.iter().filter(|one| !one.moves).filter_map(|one| {
        if is_relative(&one.program, true) {
            return Some(span(&one.program, &one.at));
        }
        let first = one.arguments.first().and_then(Value::known_text)?;
        (is_relative(&first, false) && is_interpreter(&one.program)).then(|| span(&first, &one.at))
    });
    read.chain(started).collect()
}
