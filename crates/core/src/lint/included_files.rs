//! The files that a script includes: `. "$(dirname "$0")/lib.sh"`, `from lib import refuse`, `require('./lib')`.

use hookbench_script::{Grammar, Include, IncludedFile};

use crate::config::{Files, Place};
use crate::diagnostic::Diagnostic;
use crate::dialects::{RuleContext, StartPrediction};
use crate::text::normalize_path;

/// How many words may be inside one another, as `$(dirname "$X")` in the value of a variable.
const MOST_NESTED: usize = 12;

/// A script and the facts about its start, from which the paths of included files follow.
pub(super) struct IncludingScript<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub language: Option<Grammar>,
    pub start: Option<&'a StartPrediction>,
    pub place: &'a Place,
    pub files: &'a dyn Files,
}

impl IncludingScript<'_> {
    /// The file that a statement includes. `None` if a part of its path is not known, or if it cannot be read.
    pub fn find(&self, include: &Include<'_>) -> Option<IncludedFile> {
        let from = include.from.unwrap_or(self.path);
        let candidates = match self.language? {
            Grammar::Shell => self.shell_paths(include.written, from),
            Grammar::Python => self.python_paths(include.written, from),
            Grammar::JavaScript => script_paths(include.written, from),
        };
        candidates.into_iter().find_map(|path| {
            let path = normalize_path(&path);
            let text = String::from_utf8(self.files.read(&path).ok()?).ok()?;
            Some(IncludedFile { path, text })
        })
    }

    fn shell_paths(&self, written: &str, from: &str) -> Vec<String> {
        let own = if from == self.path { Some(self.text.to_owned()) } else { None };
        let text = own.or_else(|| String::from_utf8(self.files.read(from).ok()?).ok()).unwrap_or_default();
        let words = ShellPath { script: self, from, text: &text };
        let directory = self.start.map(|start| start.cwd.as_str()).filter(|cwd| !cwd.is_empty());
        let path = words.path(written, 0);
        path.map(|path| self.place.absolute(directory.unwrap_or(&self.place.project), &path)).into_iter().collect()
    }

    fn python_paths(&self, written: &str, from: &str) -> Vec<String> {
        let name = written.trim_start_matches('.');
        let levels = written.len() - name.len();
        let directories = match levels {
            0 => self.python_directories(name, from),
            _ => vec![(1..levels).fold(parent(from), |directory, _| parent(directory)).to_owned()],
        };
        let modules = directories.iter().map(|directory| format!("{directory}/{}", name.replace('.', "/")));
        modules.flat_map(|module| [format!("{module}.py"), format!("{module}/__init__.py")]).collect()
    }

    /// The directories in which a module may be: that of the script that was started, that of the package with the statement,
    /// and that of installed packages, if the script is the command of one. Other packages are not followed.
    fn python_directories(&self, module: &str, from: &str) -> Vec<String> {
        let own = parent(self.path).to_owned();
        let package = module.split('.').next().unwrap_or(module);
        let around = from.rfind(&format!("/{package}/")).and_then(|end| from.get(..end)).map(str::to_owned);
        let interpreter = self.text.strip_prefix("#!").and_then(|line| line.split_whitespace().next());
        let is_command = |program: &&str| from == self.path && parent(program) == own;
        let installed = interpreter.filter(is_command).and_then(|program| installed_packages(program, self.files));
        [Some(own), around, installed].into_iter().flatten().collect()
    }
}

/// The directory of the packages that are installed for a Python interpreter: `PREFIX/lib/python3.N/site-packages`.
pub fn installed_packages(interpreter: &str, files: &dyn Files) -> Option<String> {
    let library = format!("{}/lib", parent(parent(interpreter)));
    let names = files.list(&library).into_iter().filter(|name| name.starts_with("python3"));
    names.map(|name| format!("{library}/{name}/site-packages")).find(|path| files.exists(path))
}

/// Says in which included file the cause of a finding is. The place of such a finding is the statement that includes it.
pub(super) fn name_file(at: &RuleContext<'_>, found: &mut Diagnostic) {
    let Some((script, span)) = at.script.zip(found.span) else { return };
    let files: Vec<String> = script.included_at(span).iter().map(|path| at.agent.place.display_path(path)).collect();
    if !files.is_empty() {
        let included = format!("the cause is in {}, which this statement includes", files.join(" or "));
        found.note = Some(found.note.take().map_or(included.clone(), |note| format!("{note}; {included}")));
    }
}

fn script_paths(written: &str, from: &str) -> Vec<String> {
    let path = format!("{}/{written}", parent(from));
    let endings = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];
    endings.iter().map(|ending| format!("{path}{ending}")).collect()
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The words of a shell script that are paths.
struct ShellPath<'a> {
    script: &'a IncludingScript<'a>,
    /// The path and the text of the file with the words.
    from: &'a str,
    text: &'a str,
}

impl ShellPath<'_> {
    /// The path that a word becomes. `None` if it has a part that is not known.
    fn path(&self, word: &str, depth: usize) -> Option<String> {
        if depth > MOST_NESTED {
            return None;
        }
        let plain: String = word.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
        let mut path = String::new();
        let mut rest = plain.trim();
        while let Some(dollar) = rest.find('$') {
            path.push_str(rest.get(..dollar)?);
            let part = rest.get(dollar + 1..)?;
            let (value, after) = match part.chars().next()? {
                '(' => {
                    let inner = enclosed(part, '(', ')')?;
                    (self.output(inner, depth)?, part.get(inner.len() + 2..)?)
                }
                '{' => {
                    let inner = enclosed(part, '{', '}')?;
                    (self.expansion(inner, depth)?, part.get(inner.len() + 2..)?)
                }
                '0' => (self.script.path.to_owned(), part.get(1..)?),
                _ => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let name = part.get(..part.find(|c| !is_name(c)).unwrap_or(part.len()))?;
                    (self.variable(name, depth)?, part.get(name.len()..)?)
                }
            };
            path.push_str(&value);
            rest = after;
        }
        path.push_str(rest);
        (!path.is_empty() && !path.contains(['`', '*', '?'])).then_some(path)
    }

    /// The output of a command that prints a path.
    fn output(&self, command: &str, depth: usize) -> Option<String> {
        let command = command.trim();
        if let Some(words) = command.strip_prefix("cd ") {
            let (directory, last) = words.split_once("&&").or_else(|| words.split_once(';'))?;
            let directory = directory.split('>').next()?.trim().trim_start_matches("-- ");
            let is_pwd = last.split_whitespace().next() == Some("pwd");
            return self.path(directory, depth + 1).filter(|_| is_pwd);
        }
        let (name, words) = command.split_once(' ')?;
        let words = words.trim();
        match name {
            "dirname" => {
                let path = self.path(words.trim_start_matches("-- "), depth + 1)?;
                Some(parent(&path).to_owned())
            }
            "realpath" => self.path(words, depth + 1),
            "readlink" => self.path(words.strip_prefix("-f ")?, depth + 1),
            "git" if words == "rev-parse --show-toplevel" => Some(self.script.place.project.clone()),
            _ => None,
        }
    }

    /// The value of `${…}`.
    fn expansion(&self, inner: &str, depth: usize) -> Option<String> {
        if let Some(name) = inner.strip_suffix("%/*") {
            return self.variable(name, depth).map(|path| parent(&path).to_owned());
        }
        let (name, default) = match inner.split_once(":-").or_else(|| inner.split_once('-')) {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        self.variable(name, depth).or_else(|| self.path(default?, depth + 1))
    }

    fn variable(&self, name: &str, depth: usize) -> Option<String> {
        match name {
            "0" => return Some(self.script.path.to_owned()),
            "BASH_SOURCE" | "BASH_SOURCE[0]" => return Some(self.from.to_owned()),
            _ => {}
        }
        let set = self.script.start.and_then(|start| start.env.value(name).map(str::to_owned));
        let assigned = || {
            let value = self.text.lines().find_map(|line| {
                let words = ["export ", "readonly ", "local ", "declare -r "];
                let line = words.iter().fold(line.trim_start(), |line, word| line.trim_start_matches(word));
                line.strip_prefix(name)?.strip_prefix('=')
            })?;
            self.path(value, depth + 1)
        };
        set.or_else(assigned).or_else(|| self.script.place.var(name).map(str::to_owned))
    }
}

/// The text between a bracket at the start and the one that closes it.
fn enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return text.get(open.len_utf8()..at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MemoryFiles;
    use crate::run::{EnvChange, HookVariable};

    fn found_of_files(script: (&str, &str), include: (&str, Option<&str>), known: &[&str]) -> Option<String> {
        let mut files = MemoryFiles::default();
        for path in known {
            files.put(*path, "");
        }
        let ((path, text), (written, from)) = (script, include);
        let (language, place) = (Some(Grammar::Python), Place::default());
        let script = IncludingScript { path, text, language, start: None, place: &place, files: &files };
        script.find(&Include { written, from, start: 0, end: 0 }).map(|file| file.path)
    }

    #[test]
    fn the_command_of_an_installed_package_is_followed_into_this_package_only() {
        let packages = "/v/lib/python3.12/site-packages";
        let [cli, other] = ["guard/cli.py", "requests/__init__.py"].map(|file| format!("{packages}/{file}"));
        let known = [cli.as_str(), &other];
        let command = ("/v/bin/guard", "#!/v/bin/python3\nfrom guard.cli import main");
        for (script, include, expected) in [
            (command, ("guard.cli", None), Some(cli.as_str())),
            (command, ("guard.cli", Some(other.as_str())), None),
            (command, ("requests", Some(&cli)), None),
            (("/v/bin/guard", "#!/usr/bin/python3\n"), ("guard.cli", None), None),
            (("/p/guard.py", "#!/v/bin/python3\n"), ("guard.cli", None), None),
            ((cli.as_str(), ""), ("guard.cli", None), Some(&cli)),
        ] {
            assert_eq!(found_of_files(script, include, &known).as_deref(), expected, "{script:?} {include:?}");
        }
    }

    fn found(text: &str, written: &str, from: Option<&str>, path: &str, language: Grammar) -> Option<String> {
        let env = EnvChange { set: vec![HookVariable::of_agent("AGENT_PROJECT", "/p")], ..EnvChange::default() };
        let start = StartPrediction { cwd: "/p".to_owned(), env, ..StartPrediction::default() };
        let place = Place { project: "/p".to_owned(), ..Place::default() };
        let (start, language) = (Some(&start), Some(language));
        let mut files = MemoryFiles::default();
        let known = ["/p/a.sh", "/p/hooks/x.sh", "/p/lib/x.sh", "/p/lib/a.sh", "/p/lib/common.py", "/p/lib/x.js"];
        let modules = ["/p/hooks/common.py", "/p/hooks/shared/common.py", "/p/hooks/common.js"];
        for path in known.into_iter().chain(modules) {
            files.put(path, "HERE=$(dirname \"$BASH_SOURCE\")");
        }
        let script = IncludingScript { path, text, language, start, place: &place, files: &files };
        script.find(&Include { written, from, start: 0, end: 0 }).map(|file| file.path)
    }

    #[test]
    fn a_path_of_a_shell_is_known_if_each_part_is() {
        let text = "export ROOT=\"$(cd \"$(dirname \"$0\")/..\" > /dev/null && pwd)\"\nHERE=${BASH_SOURCE[0]%/*}\nX=$(cat y)\nLOOP=$LOOP";
        for (written, expected) in [
            ("a.sh", Some("/p/a.sh")),
            ("'./a.sh'", Some("/p/a.sh")),
            ("\"$(dirname \"$0\")/x.sh\"", Some("/p/hooks/x.sh")),
            ("\"$(dirname -- \"${BASH_SOURCE[0]}\")/x.sh\"", Some("/p/hooks/x.sh")),
            ("$(dirname $(realpath $0))/x.sh", Some("/p/hooks/x.sh")),
            ("\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/x.sh\"", Some("/p/hooks/x.sh")),
            ("${ROOT}/lib/x.sh", Some("/p/lib/x.sh")),
            ("\"$HERE\"/x.sh", Some("/p/hooks/x.sh")),
            ("\"$AGENT_PROJECT\"/lib/x.sh", Some("/p/lib/x.sh")),
            ("${NOT_SET:-/p/lib}/x.sh", Some("/p/lib/x.sh")),
            ("$(git rev-parse --show-toplevel)/lib/x.sh", Some("/p/lib/x.sh")),
            ("$X/x.sh", None),
            ("$LOOP/x.sh", None),
            ("$NOT_SET/x.sh", None),
            ("$(pwd | tail)/x.sh", None),
            ("missing.sh", None),
            ("$(dirname", None),
            ("${", None),
            ("$", None),
        ] {
            let path = found(text, written, None, "/p/hooks/guard.sh", Grammar::Shell);
            assert_eq!(path.as_deref(), expected, "{written}");
        }
        let inner = found(text, "$HERE/x.sh", Some("/p/lib/a.sh"), "/p/hooks/guard.sh", Grammar::Shell);
        assert_eq!(inner.as_deref(), Some("/p/lib/x.sh"));
    }

    #[test]
    fn modules_are_beside_the_script() {
        for (written, from, language, expected) in [
            ("common", None, Grammar::Python, Some("/p/hooks/common.py")),
            ("shared.common", None, Grammar::Python, Some("/p/hooks/shared/common.py")),
            (".common", Some("/p/lib/a.py"), Grammar::Python, Some("/p/lib/common.py")),
            ("..hooks.common", Some("/p/lib/a.py"), Grammar::Python, Some("/p/hooks/common.py")),
            ("common", Some("/p/lib/a.py"), Grammar::Python, Some("/p/hooks/common.py")),
            ("./common", None, Grammar::JavaScript, Some("/p/hooks/common.js")),
            ("../lib/x.js", None, Grammar::JavaScript, Some("/p/lib/x.js")),
            ("../other/x.js", None, Grammar::JavaScript, None),
        ] {
            let path = found("", written, from, "/p/hooks/guard", language);
            assert_eq!(path.as_deref(), expected, "{written}");
        }
    }
}
