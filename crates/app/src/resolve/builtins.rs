//! Commands whose result follows from files and variables alone: shell builtins, and a few programs that are
//! commonly used to find a folder.

use super::Word;
use super::program::{find_program, folder_of, join, shown};
use super::walk::{End, Status, Walk};
use super::words::Value;
use super::{is_shell, program};
use hookbench_core::git::checkout;
use hookbench_core::text::shell::{Shell, Simple};

/// Builtins whose effects are not modelled, except that they start no file.
const OTHERS: [&str; 34] = [
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
    "time",
    "declare",
    "typeset",
    "readonly",
    "mapfile",
    "readarray",
    "shopt",
    "pushd",
    "popd",
    "let",
    "select",
    "function",
    "exec",
    "command",
    "if",
    "for",
    "while",
    "case",
    "until",
];

impl Walk<'_> {
    /// The result of a command that starts no file. `None` if it starts one.
    pub(super) fn builtin(&mut self, parsed: &Shell, simple: &Simple, words: &[Word]) -> Option<End> {
        let Some((first, rest)) = words.split_first() else { return Some(End::silent(Status::Is(0))) };
        if !first.exact {
            return None;
        }
        let text = |index: usize| rest.get(index).filter(|word| word.exact).map(|word| word.text.as_str());
        let exact = rest.iter().all(|word| word.exact);
        let name = first.text.rsplit('/').next().unwrap_or_default();
        if is_shell(name) && program::shell_text(words).is_some() {
            if find_program(&first.text, self.look, &self.cwd.clone().unwrap_or_default()).is_err() {
                return None;
            }
            return Some(self.shell_with_text(words));
        }
        Some(match first.text.as_str() {
            "true" | ":" => End::silent(Status::Is(0)),
            "false" => End::silent(Status::Is(1)),
            "exit" => {
                let status = match rest.first() {
                    None => Status::Unknown,
                    Some(_) => text(0).and_then(|text| text.parse().ok()).map_or(Status::Unknown, Status::Is),
                };
                End { exits: true, ..End::silent(status) }
            }
            "cd" => self.change_folder(rest),
            "pwd" => match self.cwd.clone() {
                Some(cwd) => End { out: Some(format!("{cwd}\n")), ..End::silent(Status::Is(0)) },
                None => End { out: None, ..End::silent(Status::Is(0)) },
            },
            "echo" => {
                let plain = rest.first().is_none_or(|word| !word.text.starts_with('-'));
                let all: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
                End { out: (exact && plain).then(|| all.join(" ") + "\n"), ..End::silent(Status::Is(0)) }
            }
            "printf" => {
                let out = text(1).filter(|_| rest.len() == 2 && matches!(text(0), Some("%s" | "%s\\n")));
                End { out: out.map(str::to_owned), ..End::silent(Status::Is(0)) }
            }
            "[" | "test" | "[[" => End::silent(self.test(rest)),
            "command" | "type" | "hash" => {
                self.asks(rest).unwrap_or_else(|| End { out: None, ..End::silent(Status::Unknown) })
            }
            "which" => self.asks(rest).unwrap_or_else(End::unknown),
            "dirname" => match text(0).filter(|_| rest.len() == 1) {
                Some(path) => printed(folder_of(path)),
                None => End::unknown(),
            },
            "basename" => match text(0).filter(|_| rest.len() == 1) {
                Some(path) => printed(path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()),
                None => End::unknown(),
            },
            "realpath" | "readlink" => {
                let path = rest.last().filter(|word| word.exact && !word.text.starts_with('-'));
                match path.zip(self.cwd.clone()) {
                    Some((path, cwd)) => {
                        self.look.files.canonical(&join(&cwd, &path.text)).map_or_else(End::unknown, printed)
                    }
                    None => End::unknown(),
                }
            }
            "git" => self.git(rest)?,
            "export" => {
                for set in &simple.sets {
                    let value = self.expand(parsed, &set.value);
                    self.vars.insert(set.name.clone(), Some(value.text).filter(|_| value.exact));
                }
                End::silent(Status::Is(0))
            }
            "." | "source" => {
                let path = rest.first().filter(|word| word.exact && word.text.contains('/'));
                match path.zip(self.cwd.clone()) {
                    Some((path, cwd)) => self.source(join(&cwd, &path.text), words),
                    None => End { out: None, ..End::silent(Status::Unknown) },
                }
            }
            other if OTHERS.contains(&other) => {
                let names = rest.iter().map(|word| word.text.split('=').next().unwrap_or_default().to_owned());
                if other != "set" {
                    self.vars.extend(names.map(|name| (name, None)));
                }
                End { out: None, ..End::silent(Status::Unknown) }
            }
            _ => return None,
        })
    }

    fn change_folder(&mut self, rest: &[Word]) -> End {
        let target = rest.iter().find(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e"));
        let path = match target {
            None => self.value("HOME").set(),
            Some(word) if !word.exact || word.text == "-" => None,
            Some(word) => Some(word.text.clone()),
        };
        let Some(path) = path.zip(self.cwd.clone()).map(|(path, cwd)| join(&cwd, &path)) else {
            self.cwd = None;
            return End { out: None, ..End::silent(Status::Unknown) };
        };
        let files = self.look.files;
        if files.exists(&path) && files.executable(&path).is_none() {
            self.cwd = Some(path);
            self.because = None;
            return End::silent(Status::Is(0));
        }
        self.because = Some(format!("the folder {} does not exist", shown(&path, self.look)));
        End::silent(Status::Fails)
    }

    /// Evaluates `[ -x FILE ]`, `[ -n "$X" ]` and similar tests.
    fn test(&mut self, words: &[Word]) -> Status {
        let words = match words.split_last() {
            Some((last, rest)) if matches!(last.text.as_str(), "]" | "]]") => rest,
            _ => words,
        };
        let (words, not) = match words.split_first() {
            Some((first, rest)) if first.text == "!" => (rest, true),
            _ => (words, false),
        };
        if words.iter().any(|word| !word.exact) {
            return Status::Unknown;
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
        holds.map_or(Status::Unknown, |holds| Status::of(holds != not))
    }

    fn test_file(&mut self, operator: &str, path: &str) -> Option<bool> {
        let path = join(self.cwd.as_deref()?, path);
        let files = self.look.files;
        let holds = match operator {
            "-e" => files.exists(&path),
            "-f" | "-r" | "-s" | "-w" => files.executable(&path).is_some() || files.read(&path).is_ok(),
            "-x" => files.executable(&path).unwrap_or_else(|| files.exists(&path)),
            "-d" => files.exists(&path) && files.executable(&path).is_none() && files.read(&path).is_err(),
            _ => return None,
        };
        if !holds && !files.exists(&path) {
            self.absent.get_or_insert(path);
        }
        Some(holds)
    }

    /// Evaluates `command -v NAME` and `which NAME`.
    fn asks(&self, rest: &[Word]) -> Option<End> {
        let name = rest.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.exact)?;
        let cwd = self.cwd.as_deref()?;
        Some(match find_program(&name.text, self.look, cwd) {
            Ok(path) => printed(path),
            Err(_) if OTHERS.contains(&name.text.as_str()) => End::silent(Status::Is(0)),
            Err(_) => End::silent(Status::Is(1)),
        })
    }

    /// Evaluates `git rev-parse --show-toplevel`; the folder is found in the same way as git finds it.
    fn git(&mut self, rest: &[Word]) -> Option<End> {
        let texts: Vec<&str> = rest.iter().filter(|w| w.exact).map(|w| w.text.as_str()).collect();
        let (folder, texts) = match texts.as_slice() {
            ["-C", folder, rest @ ..] => (Some(*folder), rest),
            all => (None, all),
        };
        if texts.len() + if folder.is_some() { 2 } else { 0 } != rest.len() {
            return None;
        }
        let ["rev-parse", question] = texts else { return None };
        if !matches!(*question, "--show-toplevel" | "--is-inside-work-tree") {
            return None;
        }
        let elsewhere = ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| self.value(name) != Value::Unset);
        let Some(cwd) = self.cwd.clone().filter(|_| !elsewhere) else { return Some(End::unknown()) };
        let cwd = folder.map_or(cwd.clone(), |folder| join(&cwd, folder));
        let real = self.look.files.canonical(&cwd).unwrap_or(cwd);
        Some(match checkout(self.look.files, &real) {
            Some(found) if *question == "--show-toplevel" => printed(found.root),
            Some(_) => printed("true".to_owned()),
            None => {
                // Outside a substitution the command is a test, whose failure the line handles itself.
                if self.inside > 0 {
                    let own = Some(&real) == self.look.files.canonical(&self.look.spec.cwd).as_ref();
                    let folder = if own { "this folder" } else { shown(&real, self.look) };
                    self.because =
                        Some(format!("`git rev-parse {question}` fails because {folder} is not in a git repository"));
                }
                End::silent(Status::Is(128))
            }
        })
    }
}

fn printed(text: String) -> End {
    End { out: Some(text + "\n"), ..End::silent(Status::Is(0)) }
}
