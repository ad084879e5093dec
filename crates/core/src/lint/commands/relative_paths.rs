//! HW404: a path that is relative to the agent's current directory.

use super::shell_texts::{self, ShellText, executed_words};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::dialects::settings_format::{PLUGIN, PROJECT};
use crate::git::find_checkout;
use crate::hook::Layer;
use crate::text::shell::{CommandJoin, PartContent, Quote, Word};

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
    let variable = form.variable_for(PROJECT).filter(|_| of_project);
    let help = match variable {
        Some(name) => format!("start the path with \"${name}\"/"),
        // Outside of a repository, such a path would begin at the root of the disk.
        None if of_project && find_checkout(at.agent.files, &at.agent.place.project).is_some() => {
            "start the path with \"$(git rev-parse --show-toplevel)\"/".to_owned()
        }
        None if of_project => "write the absolute path: this directory is not in a git repository".to_owned(),
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
            is_relative(&first.text, false).then_some(first).filter(|_| shell_texts::is_interpreter(path))
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
    let word = first_relative(line)?;
    let found = Diagnostic::new(Code::HW404, says(&word.text()))
        .at(line.span_of(word.at.clone()))
        .with_help(help)
        .with_cause(cause);
    let path = word.constant().filter(|path| !path.contains(['"', '$', '`', '\\']));
    Some(match (variable, path) {
        (Some(name), Some(path)) => {
            let path = path.trim_start_matches("./");
            let quoted = path.contains(|c: char| !(c.is_ascii_alphanumeric() || "/._-+@%=".contains(c)));
            let path = if quoted { format!("\"${name}/{path}\"") } else { format!("\"${name}\"/{path}") };
            found.with_fix(line.fix(word.at.clone(), &path, false))
        }
        _ => found,
    })
}

/// Returns the first relative path, unless the command changes the directory first, tests for the file, or has a
/// fallback.
fn first_relative(line: ShellText<'_>) -> Option<&Word> {
    let tested = |word: &Word| {
        let tests = line.shell.commands.iter().filter(|c| matches!(c.name(), Some("[" | "[[" | "test")));
        tests.flat_map(|c| &c.words).any(|other| other.text() == word.text())
    };
    for (number, simple) in line.shell.commands.iter().enumerate() {
        let replaced = line.shell.commands.get(number + 1).is_some_and(|next| next.join == CommandJoin::Or);
        if replaced {
            continue;
        }
        let program = simple.program_name().unwrap_or_default();
        if matches!(program.as_str(), "cd" | "pushd") {
            return None;
        }
        for (index, word) in executed_words(simple).into_iter().enumerate() {
            let Some(first) = word.parts.first() else { continue };
            let PartContent::Text(text) = &first.piece else { continue };
            let tilde = first.quote == Quote::None && text.starts_with('~');
            if !tilde && is_relative(text, index == 0) && !tested(word) {
                return Some(word);
            }
        }
    }
    None
}

/// Whether the text is a path below the current directory. A program name needs a slash.
fn is_relative(text: &str, program: bool) -> bool {
    let absolute = text.starts_with(['/', '$', '~', '-', '%']) || text.contains("://") || text.contains(":\\");
    let drive = text.as_bytes().get(1) == Some(&b':');
    let file = text.contains('/')
        || !program
            && text.rsplit_once('.').is_some_and(|(name, end)| {
                !name.is_empty() && ["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php"].contains(&end)
            });
    !text.is_empty() && !absolute && !drive && file && !text.contains(char::is_whitespace)
}
