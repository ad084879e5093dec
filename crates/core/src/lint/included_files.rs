//! The files that a script includes: `. "$(dirname "$0")/lib.sh"`, `from lib import refuse`, `require('./lib')`.

use hookbench_script::{Grammar, Include, IncludedFile, ScriptModel, interpreter_of};

use crate::command_line::{LineWalk, ResolveContext};
use crate::config::{Files, Place};
use crate::diagnostic::Diagnostic;
use crate::dialects::{RuleContext, StartPrediction};
use crate::recorded::digest;
use crate::run::EnvChange;
use crate::text::normalize_path;
use crate::text::shell::Shell;

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
        let (unchanged, place) = (EnvChange::default(), self.place);
        let directory = self.start.map(|start| start.cwd.as_str()).filter(|cwd| !cwd.is_empty());
        let cwd = directory.unwrap_or(&place.project);
        let env = self.start.map_or(&unchanged, |start| &start.env);
        let mut walk = LineWalk::new(ResolveContext { shell: "sh", cwd, env, place, files: self.files }, None);
        walk.arguments = vec![self.path.to_owned()];
        walk.vars.insert("BASH_SOURCE".to_owned(), Some(from.to_owned()));
        if written.contains('$') {
            walk.assign(&Shell::parse(&text));
        }
        walk.value_of(written).map(|path| place.absolute(cwd, &path)).into_iter().collect()
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

/// The digest of a script with the files that it includes: with the same one, it does the same.
pub fn script_digest(path: &str, text: &str, place: &Place, files: &dyn Files) -> String {
    let language = Grammar::of(&interpreter_of(None, path, text));
    let script = IncludingScript { path, text, language, start: None, place, files };
    let model = language.and_then(|of| ScriptModel::parse_with_files(text, of, &|include| script.find(include)));
    let included = model.iter().flat_map(|model| &model.included).map(|(_, file)| file.text.as_str());
    digest(std::iter::once(text).chain(included).collect::<Vec<_>>().join("\0").as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MemoryFiles;
    use crate::run::HookVariable;

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
        let known = [
            "/p/.git/HEAD",
            "/p/hooks/guard.sh",
            "/p/a.sh",
            "/p/hooks/x.sh",
            "/p/lib/x.sh",
            "/p/lib/a.sh",
            "/p/lib/common.py",
            "/p/lib/x.js",
        ];
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
