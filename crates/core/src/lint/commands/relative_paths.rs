//! HW404: a path that depends on the agent's current directory.

use hookbench_script::is_interpreter;

use super::consequence::blocks_event;
use super::shell_texts::{self, ShellText, changes_directory, executed_words, read_words};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::dialects::settings_format::{PLUGIN, PROJECT, SettingsAbove};
use crate::git::find_checkout;
use crate::hook::Layer;
use crate::port::project_directory;
use crate::text::normalize_path;
use crate::text::shell::{CommandJoin, PartContent, Quote, SimpleCommand, Word, WordPart};

/// A path that depends on the current directory.
struct RelativePath<'a> {
    word: &'a Word,
    /// The first part, if it expands to the current directory or the session's.
    expanded: Option<&'a WordPart>,
    /// Whether the command reads the file instead of executing it.
    is_read: bool,
}

/// Checks for a relative path of a program or script.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let of_project = matches!(at.definition.provenance.layer, Layer::Project | Layer::Local);
    let form = at.agent.dialect.settings_format();
    if of_project && form.project_hooks_stay {
        return None;
    }
    let says = |path: &str| {
        if of_project {
            format!(
                "{path} is resolved against the session's directory: if that is not the project, the hook is not found"
            )
        } else {
            format!("{path} is resolved against the project in which {} runs", at.agent_name())
        }
    };
    let expression = of_project.then(|| {
        let expression = project_directory(form, at.agent.files, &at.agent.place.project);
        // Braces are needed only before a letter.
        let name = expression.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        name.map_or(expression.clone(), |name| format!("${name}"))
    });
    let variable = form.variable_for(PROJECT).filter(|_| of_project);
    let help = match &expression {
        Some(expression) => format!("start the path with \"{expression}\"/"),
        None => match form.variable_for(PLUGIN).filter(|_| at.definition.provenance.bundle.is_some()) {
            Some(name) => format!("start the path with \"${{{name}}}\"/"),
            None => "write the absolute path, or start it with \"$HOME\"/".to_owned(),
        },
    };
    // Group the findings by file: one file usually writes all paths in the same way.
    let cause = format!("relative paths in {}", at.definition.provenance.file);
    if let Some(written) = at.written.filter(|written| written.args.is_some()) {
        let path = written.command.text.as_str();
        let relative = is_relative(path, false).then_some(&written.command);
        let literal = relative.or_else(|| {
            let first = written.args.iter().flatten().find(|arg| !arg.text.starts_with('-'))?;
            is_relative(&first.text, false).then_some(first).filter(|_| is_interpreter(path))
        })?;
        let found =
            Diagnostic::new(Code::HW404, says(&literal.text)).at(literal.span).with_help(help).with_cause(cause);
        return Some(match variable {
            Some(name) => {
                let path = literal.text.trim_start_matches("./");
                found.with_fix(shell_texts::rewrite(literal, &format!("${{{name}}}/{path}")))
            }
            None => found,
        });
    }
    let line = shell_texts::command(at)?;
    let of_session = session_variable(at).filter(|_| of_project);
    let in_project = |name: &str| at.agent.files.exists(&normalize_path(&format!("{}/{name}", at.agent.place.project)));
    let RelativePath { word, expanded, is_read } = first_relative(line, of_session, of_project, &in_project)?;
    let message = match expanded.map(|part| (part, &part.piece)) {
        Some((part, PartContent::Variable(variable))) if Some(variable.name.as_str()) == of_session => format!(
            "{} is the session's directory: in a session that starts in a subdirectory, {} reads this hook and does not find the file",
            line.source_text(&part.at),
            at.agent_name()
        ),
        Some((part, _)) => format!(
            "{} is the directory in which the hook starts: if that is not the project, the file is not found",
            line.source_text(&part.at)
        ),
        None if is_read => says(&word.text()).replace("the hook is not found", "the file is not found"),
        None => says(&word.text()),
    };
    let found =
        Diagnostic::new(Code::HW404, message).at(line.span_of(word.at.clone())).with_help(help).with_cause(cause);
    let program = line.shell.commands.first().and_then(SimpleCommand::program_name).unwrap_or_default();
    let found = match program.as_str() {
        // Python ends so if it cannot open its script.
        "python" | "python3" if !is_read && blocks_event(at, 2) => {
            found.with_note(format!("{program} then exits with 2, which blocks each {}", at.event.name))
        }
        _ => found,
    };
    let path = word.constant().filter(|path| !path.contains(['"', '$', '`', '\\']));
    Some(match (expression, path, expanded) {
        (Some(expression), _, Some(part)) => found.with_fix(line.fix(part.at.clone(), &expression, false)),
        (Some(expression), Some(path), None) => {
            let path = path.trim_start_matches("./");
            let quoted = path.contains(|c: char| !(c.is_ascii_alphanumeric() || "/._-+@%=".contains(c)));
            let path = if quoted { format!("\"{expression}/{path}\"") } else { format!("\"{expression}\"/{path}") };
            found.with_fix(line.fix(word.at.clone(), &path, false))
        }
        _ => found,
    })
}

/// Returns the agent's variable for the project if it holds the session's directory, and sessions below the project run the
/// hook, too.
fn session_variable(at: &RuleContext<'_>) -> Option<&'static str> {
    let form = at.agent.dialect.settings_format();
    let root = find_checkout(at.agent.files, &at.agent.place.project)?.root;
    let reads_above = form.settings_above != SettingsAbove::None && root == at.agent.place.project;
    form.variable_for(PROJECT).filter(|_| reads_above)
}

/// Returns the first relative path, unless the command changes the directory first, tests for the file, or has a
/// fallback. `of_session` is a variable with the session's directory. A file that is only read counts if the project has
/// it.
fn first_relative<'a>(
    line: ShellText<'a>,
    of_session: Option<&str>,
    of_project: bool,
    in_project: &dyn Fn(&str) -> bool,
) -> Option<RelativePath<'a>> {
    let tested = |word: &Word| {
        let tests = line.shell.commands.iter().filter(|c| matches!(c.name(), Some("[" | "[[" | "test")));
        tests.flat_map(|c| &c.words).any(|other| other.text() == word.text())
    };
    for (number, simple) in line.shell.commands.iter().enumerate() {
        let replaced = |next: &SimpleCommand| next.join == CommandJoin::Or && next.name() != Some("exit");
        let replaced = line.shell.commands.get(number + 1).is_some_and(replaced);
        if replaced {
            continue;
        }
        if changes_directory(simple) {
            return None;
        }
        let executed = executed_words(simple).into_iter().enumerate().map(|(index, word)| (word, index == 0, false));
        let read = read_words(simple).into_iter().filter(|_| of_project).map(|word| (word, false, true));
        for (word, is_program, is_read) in executed.chain(read) {
            let Some(first) = word.parts.first() else { continue };
            let is_path = || {
                word.parts
                    .get(1)
                    .is_some_and(|part| matches!(&part.piece, PartContent::Text(text) if text.starts_with('/')))
            };
            let expanded = match &first.piece {
                PartContent::Text(text) => {
                    let tilde = first.quote == Quote::None && text.starts_with('~');
                    let names_file = if is_read {
                        word.constant().is_some_and(|name| is_file_of(&name, in_project))
                    } else {
                        is_relative(text, is_program)
                    };
                    if tilde || !names_file {
                        continue;
                    }
                    None
                }
                PartContent::Variable(variable) if of_project && variable.rest.is_empty() && !variable.length => {
                    let name = variable.name.as_str();
                    Some(first).filter(|_| (name == "PWD" || Some(name) == of_session) && is_path())
                }
                PartContent::Substitution(range) if of_project => {
                    let only_pwd = line.shell.commands.get(range.clone()).is_some_and(
                        |inner| matches!(inner, [one] if one.name() == Some("pwd") && one.words.len() == 1),
                    );
                    Some(first).filter(|_| only_pwd && is_path())
                }
                _ => continue,
            };
            let is_expansion = !matches!(first.piece, PartContent::Text(_));
            if (!is_expansion || expanded.is_some()) && !tested(word) {
                return Some(RelativePath { word, expanded, is_read });
            }
        }
    }
    None
}

/// Whether a name is that of a file of the project, and not an absolute path.
fn is_file_of(name: &str, in_project: &dyn Fn(&str) -> bool) -> bool {
    !name.starts_with(['/', '~']) && !name.contains("://") && in_project(name)
}

/// Whether the text is a path below the current directory. A program name needs a slash.
pub(super) fn is_relative(text: &str, program: bool) -> bool {
    let absolute = text.starts_with(['/', '$', '~', '-', '%']) || text.contains("://") || text.contains(":\\");
    let drive = text.as_bytes().get(1) == Some(&b':');
    let file = text.contains('/')
        || !program
            && text.rsplit_once('.').is_some_and(|(name, end)| {
                !name.is_empty() && ["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php"].contains(&end)
            });
    !text.is_empty() && !absolute && !drive && file && !text.contains(char::is_whitespace)
}
