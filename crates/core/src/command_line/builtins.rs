//! Commands whose result follows from files and variables alone: shell builtins, and a few programs that are
//! commonly used to find a directory.

use super::ResolvedWord;
use super::expansion::VariableValue;
use super::join_path;
use super::line_walk::{CommandResult, CommandStatus, LineWalk};
use crate::git::find_checkout;
use crate::script_keys::{ScriptSource, is_shell};
use crate::text::shell::{Shell, SimpleCommand};

/// Shell builtins that are not evaluated. They count as starting no program, with an
/// unknown result. Variables that they name become unknown.
const OTHERS: [&str; 42] = [
    "set",
    "unset",
    "read",
    "eval",
    "trap",
    "wait",
    "sleep",
    "return",
    "local",
    "shift",
    "builtin",
    "ulimit",
    "umask",
    "getopts",
    "alias",
    "unalias",
    "kill",
    "jobs",
    "bg",
    "fg",
    "disown",
    "suspend",
    "times",
    "break",
    "continue",
    "dirs",
    "enable",
    "caller",
    "complete",
    "compgen",
    "coproc",
    "declare",
    "typeset",
    "readonly",
    "mapfile",
    "readarray",
    "shopt",
    "pushd",
    "popd",
    "let",
    "exec",
    "command",
];

impl LineWalk<'_> {
    /// Evaluates a command without running it. `None` if it may start a program whose result is unknown.
    pub(super) fn builtin(
        &mut self,
        parsed: &Shell,
        simple: &SimpleCommand,
        words: &[ResolvedWord],
    ) -> Option<CommandResult> {
        let Some((first, rest)) = words.split_first() else { return Some(CommandResult::silent(CommandStatus::Is(0))) };
        if !first.exact {
            return None;
        }
        let text = |index: usize| rest.get(index).filter(|word| word.exact).map(|word| word.text.as_str());
        let exact = rest.iter().all(|word| word.exact);
        if is_shell(&first.text) && matches!(ScriptSource::of(words), ScriptSource::Text(_)) {
            self.programs?.find(&first.text, self.cwd.as_deref().unwrap_or_default()).ok()?;
            return Some(self.shell_with_text(words));
        }
        Some(match first.text.as_str() {
            "true" | ":" => CommandResult::silent(CommandStatus::Is(0)),
            "false" => CommandResult::silent(CommandStatus::Is(1)),
            "exit" => {
                let status = match rest.first() {
                    None => CommandStatus::Unknown,
                    Some(_) => {
                        text(0).and_then(|text| text.parse().ok()).map_or(CommandStatus::Unknown, CommandStatus::Is)
                    }
                };
                CommandResult { exits: true, ..CommandResult::silent(status) }
            }
            "cd" => self.change_directory(rest),
            "pwd" => match self.cwd.clone() {
                Some(cwd) => {
                    CommandResult { output: Some(format!("{cwd}\n")), ..CommandResult::silent(CommandStatus::Is(0)) }
                }
                None => CommandResult { output: None, ..CommandResult::silent(CommandStatus::Is(0)) },
            },
            "echo" => {
                let plain = rest.first().is_none_or(|word| !word.text.starts_with('-'));
                let all: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
                CommandResult {
                    output: (exact && plain).then(|| all.join(" ") + "\n"),
                    ..CommandResult::silent(CommandStatus::Is(0))
                }
            }
            "printf" => {
                let out = text(1).filter(|_| rest.len() == 2 && matches!(text(0), Some("%s" | "%s\\n")));
                CommandResult { output: out.map(str::to_owned), ..CommandResult::silent(CommandStatus::Is(0)) }
            }
            "[" | "test" | "[[" => CommandResult::silent(self.test(rest)),
            "command" | "type" | "hash" => self
                .find_command(rest)
                .unwrap_or_else(|| CommandResult { output: None, ..CommandResult::silent(CommandStatus::Unknown) }),
            "which" => self.find_command(rest).unwrap_or_else(CommandResult::unknown),
            name @ ("dirname" | "basename") => {
                let words = rest.split_first().filter(|(first, _)| first.text == "--").map_or(rest, |(_, words)| words);
                match words {
                    [path] if path.exact && name == "dirname" => with_output(directory_of(&path.text)),
                    [path] if path.exact => {
                        with_output(path.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned())
                    }
                    _ => CommandResult::unknown(),
                }
            }
            "realpath" | "readlink" => {
                let path = rest.last().filter(|word| word.exact && !word.text.starts_with('-'));
                match path.zip(self.cwd.clone()) {
                    Some((path, cwd)) => self
                        .context
                        .files
                        .canonical(&join_path(&cwd, &path.text))
                        .map_or_else(CommandResult::unknown, with_output),
                    None => CommandResult::unknown(),
                }
            }
            "git" => self.git(rest)?,
            "export" => {
                for set in &simple.assignments {
                    let value = self.expand(parsed, &set.value);
                    self.vars.insert(set.name.clone(), Some(value.text).filter(|_| value.exact));
                }
                CommandResult::silent(CommandStatus::Is(0))
            }
            "." | "source" => {
                let path = rest.first().filter(|word| word.exact && word.text.contains('/'));
                match path.zip(self.cwd.clone()) {
                    Some((path, cwd)) => self.source(join_path(&cwd, &path.text), words),
                    None => CommandResult { output: None, ..CommandResult::silent(CommandStatus::Unknown) },
                }
            }
            other if OTHERS.contains(&other) => {
                let names = rest.iter().map(|word| word.text.split('=').next().unwrap_or_default().to_owned());
                if other != "set" {
                    self.vars.extend(names.map(|name| (name, None)));
                }
                CommandResult { output: None, ..CommandResult::silent(CommandStatus::Unknown) }
            }
            _ => return None,
        })
    }

    fn change_directory(&mut self, rest: &[ResolvedWord]) -> CommandResult {
        let target = rest.iter().find(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e"));
        let path = match target {
            None => self.value("HOME").set(),
            Some(word) if !word.exact || word.text == "-" => None,
            Some(word) => Some(word.text.clone()),
        };
        let Some(path) = path.zip(self.cwd.clone()).map(|(path, cwd)| join_path(&cwd, &path)) else {
            self.cwd = None;
            return CommandResult { output: None, ..CommandResult::silent(CommandStatus::Unknown) };
        };
        let files = self.context.files;
        if files.exists(&path) && files.executable(&path).is_none() {
            self.cwd = Some(path);
            self.obstacle = None;
            return CommandResult::silent(CommandStatus::Is(0));
        }
        self.obstacle = Some(format!("the directory {} does not exist", self.context.display_path(&path)));
        CommandResult::silent(CommandStatus::Fails)
    }

    /// Evaluates `[ -x FILE ]`, `[ -n "$X" ]` and similar tests.
    fn test(&mut self, words: &[ResolvedWord]) -> CommandStatus {
        let words = match words.split_last() {
            Some((last, rest)) if matches!(last.text.as_str(), "]" | "]]") => rest,
            _ => words,
        };
        let (words, not) = match words.split_first() {
            Some((first, rest)) if first.text == "!" => (rest, true),
            _ => (words, false),
        };
        if words.iter().any(|word| !word.exact) {
            return CommandStatus::Unknown;
        }
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let holds = match texts.as_slice() {
            [text] => Some(!text.is_empty()),
            ["-n", text] => Some(!text.is_empty()),
            ["-z", text] => Some(text.is_empty()),
            [operator, path] => self.test_file(operator, path),
            [a, "=" | "==", b] if !b.contains(['*', '?', '[']) => Some(a == b),
            [a, "!=", b] if !b.contains(['*', '?', '[']) => Some(a != b),
            _ => None,
        };
        holds.map_or(CommandStatus::Unknown, |holds| CommandStatus::of(holds != not))
    }

    fn test_file(&mut self, operator: &str, path: &str) -> Option<bool> {
        let path = join_path(self.cwd.as_deref()?, path);
        let files = self.context.files;
        let holds = match operator {
            "-e" => files.exists(&path),
            "-f" | "-r" | "-s" | "-w" => files.executable(&path).is_some() || files.read(&path).is_ok(),
            "-x" => files.executable(&path).unwrap_or_else(|| files.exists(&path)),
            "-d" => files.exists(&path) && files.executable(&path).is_none() && files.read(&path).is_err(),
            _ => return None,
        };
        if !holds && !files.exists(&path) {
            self.missing_file.get_or_insert(path);
        }
        Some(holds)
    }

    /// Evaluates `command -v NAME`, `type NAME`, `hash NAME` and `which NAME`.
    fn find_command(&self, rest: &[ResolvedWord]) -> Option<CommandResult> {
        let name = rest.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.exact)?;
        let cwd = self.cwd.as_deref()?;
        Some(match self.programs?.find(&name.text, cwd) {
            Ok(path) => with_output(path),
            Err(_) if OTHERS.contains(&name.text.as_str()) => CommandResult::silent(CommandStatus::Is(0)),
            Err(_) => CommandResult::silent(CommandStatus::Is(1)),
        })
    }

    /// Evaluates `git [-C DIR] rev-parse --show-toplevel` or `--is-inside-work-tree`, with git's search for the
    /// checkout.
    fn git(&mut self, rest: &[ResolvedWord]) -> Option<CommandResult> {
        let texts: Vec<&str> = rest.iter().filter(|w| w.exact).map(|w| w.text.as_str()).collect();
        let (directory, texts) = match texts.as_slice() {
            ["-C", directory, rest @ ..] => (Some(*directory), rest),
            all => (None, all),
        };
        if texts.len() + if directory.is_some() { 2 } else { 0 } != rest.len() {
            return None;
        }
        let ["rev-parse", question] = texts else { return None };
        if !matches!(*question, "--show-toplevel" | "--is-inside-work-tree") {
            return None;
        }
        let elsewhere = ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| self.value(name) != VariableValue::Unset);
        let Some(cwd) = self.cwd.clone().filter(|_| !elsewhere) else { return Some(CommandResult::unknown()) };
        let cwd = directory.map_or(cwd.clone(), |directory| join_path(&cwd, directory));
        let real = self.context.files.canonical(&cwd).unwrap_or(cwd);
        Some(match find_checkout(self.context.files, &real) {
            Some(found) if *question == "--show-toplevel" => with_output(found.root),
            Some(_) => with_output("true".to_owned()),
            None => {
                // Outside `$(…)`, the line itself reacts to the exit status, so a failure is not a problem.
                if self.substitution_depth > 0 {
                    let own = Some(&real) == self.context.files.canonical(self.context.cwd).as_ref();
                    let directory = if own { "this directory" } else { self.context.display_path(&real) };
                    self.obstacle = Some(format!(
                        "`git rev-parse {question}` fails because {directory} is not in a git repository"
                    ));
                }
                CommandResult::silent(CommandStatus::Is(128))
            }
        })
    }
}

fn with_output(text: String) -> CommandResult {
    CommandResult { output: Some(text + "\n"), ..CommandResult::silent(CommandStatus::Is(0)) }
}

/// The directory of a path, like `dirname`.
fn directory_of(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None => ".".to_owned(),
    }
}
