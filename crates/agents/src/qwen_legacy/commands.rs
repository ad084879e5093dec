//! The program of a command: found on PATH or in the project, never outside of it.

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::shared::words::split_words;
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::text::normalize_path;

/// The key under which the loaded settings keep the errors of commands, by definition.
const START_ERRORS: &str = "start_errors";
/// Programs whose first argument is a script.
const INTERPRETERS: [&str; 9] = ["sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl"];
/// The mark of a refused path.
const TRAVERSAL: &str = "HB-E-TRAVERSAL";

/// The directories in which a bare name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareName {
    /// In the project, then on PATH.
    ProjectThenPath,
    /// On PATH only.
    Path,
}

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundProgram {
    pub program: String,
    pub args: Vec<String>,
    /// The reason why it cannot start.
    pub error: Option<String>,
}

/// The places in which commands are looked up.
pub struct CommandScope<'a> {
    pub place: &'a Place,
    pub files: &'a dyn Files,
    /// Directories outside of the project whose programs may run.
    pub extra_dirs: &'a [String],
}

impl CommandScope<'_> {
    /// Finds the program of a command line.
    pub fn resolve(&self, line: &str, bare: BareName) -> FoundProgram {
        let words = match split_words(line, &['"', '\\', '$', '`']) {
            Ok(words) => words,
            Err(why) => return FoundProgram { program: line.to_owned(), args: Vec::new(), error: Some(why) },
        };
        let Some((first, args)) = words.split_first() else {
            let error = Some("the command is empty".to_owned());
            return FoundProgram { program: String::new(), args: Vec::new(), error };
        };
        let found = self.program(first, bare);
        let (program, error) = match found {
            Ok(path) => (path, None),
            Err(why) => (first.clone(), Some(why)),
        };
        let error = error.or_else(|| self.script_error(&program, args));
        FoundProgram { program, args: args.to_vec(), error }
    }

    fn program(&self, name: &str, bare: BareName) -> Result<String, String> {
        if name.contains('/') {
            let path = self.inside(name)?;
            return self.startable(&path).then_some(path.clone()).ok_or_else(|| not_found(name, &[path]));
        }
        let mut searched = Vec::new();
        if bare == BareName::ProjectThenPath {
            let path = self.inside(name)?;
            if self.startable(&path) {
                return Ok(path);
            }
            searched.push(path);
        }
        let path = self.place.var("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin");
        // Relative entries would run programs of any directory.
        for directory in path.split(':').filter(|directory| directory.starts_with('/')) {
            let path = format!("{}/{name}", directory.trim_end_matches('/'));
            if self.startable(&path) {
                return Ok(path);
            }
            searched.push(path);
        }
        Err(not_found(name, &searched))
    }

    fn startable(&self, path: &str) -> bool {
        self.files.executable(path) == Some(true)
    }

    /// The absolute path of a file of the project.
    ///
    /// # Errors
    /// Returns the refusal if the path, or the file that it links to, is outside.
    fn inside(&self, name: &str) -> Result<String, String> {
        let absolute = if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", self.place.project) };
        let path = normalize_path(&absolute);
        let real = self.files.canonical(&path).unwrap_or_else(|| path.clone());
        let root = self.files.canonical(&self.place.project).unwrap_or_else(|| self.place.project.clone());
        let roots = || [self.place.project.clone(), root.clone()].into_iter().chain(self.extra_dirs.iter().cloned());
        let within =
            |path: &str| roots().any(|root| path.strip_prefix(&root).is_some_and(|rest| rest.starts_with('/')));
        if within(&path) && within(&real) {
            return Ok(path);
        }
        let leads = if within(&path) { format!("{name} links to {real}") } else { format!("{name} is {path}") };
        Err(format!("{TRAVERSAL}: {leads}, which is outside of the project, so it does not run"))
    }

    /// The refusal of the script that an interpreter would run.
    fn script_error(&self, program: &str, args: &[String]) -> Option<String> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let interprets = INTERPRETERS.iter().any(|known| {
            name.strip_prefix(known).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
        });
        let script = args.first().filter(|arg| interprets && !arg.starts_with('-') && arg.contains('/'))?;
        self.inside(script).err()
    }
}

fn not_found(name: &str, searched: &[String]) -> String {
    format!("{name} was not found, or is not executable; searched: {}", searched.join(", "))
}

/// Keeps the reasons why commands cannot start.
pub fn keep_start_errors(loaded: &mut LoadedConfig, errors: &[Option<String>]) {
    let of = loaded.definitions.iter().zip(errors);
    let kept: IndexMap<String, &String> =
        of.filter_map(|(definition, error)| Some((definition.id.clone(), error.as_ref()?))).collect();
    if !kept.is_empty() {
        loaded.agent_settings.insert(START_ERRORS.to_owned(), json!(kept));
    }
}

/// The reason why a command cannot start.
pub fn start_error(loaded: &LoadedConfig, hook: &str) -> Option<String> {
    let errors = loaded.agent_settings.get(START_ERRORS)?;
    errors.get(hook).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::{FileError, MemoryFiles};

    /// Files in memory, one of them a link.
    struct LinkedFiles(MemoryFiles);

    impl Files for LinkedFiles {
        fn below(&self) -> Option<&dyn Files> {
            Some(&self.0)
        }
        fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
            self.0.read(path)
        }
        fn canonical(&self, path: &str) -> Option<String> {
            if path == "/p/hooks/link.sh" { Some("/etc/passwd".to_owned()) } else { self.0.canonical(path) }
        }
    }

    fn resolve(line: &str, bare: BareName) -> Result<(String, Vec<String>), String> {
        let mut files = MemoryFiles::default();
        for path in ["/p/hooks/x.sh", "/p/check", "/bin/check", "/bin/node", "/opt/h/y.sh", "/p/hooks/link.sh"] {
            files.put(path, "#!/bin/sh\n");
        }
        files.put("/p/hooks/plain.txt", "x");
        let env = [("PATH".to_owned(), "rel:/bin".to_owned())].into();
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), env, ..Place::default() };
        let scope = CommandScope { place: &place, files: &LinkedFiles(files), extra_dirs: &["/opt/h".to_owned()] };
        let found = scope.resolve(line, bare);
        found.error.map_or(Ok((found.program, found.args)), Err)
    }

    #[test]
    fn programs_are_found() {
        for (line, bare, program, args) in [
            ("./hooks/x.sh", BareName::ProjectThenPath, "/p/hooks/x.sh", &[][..]),
            ("hooks/x.sh", BareName::Path, "/p/hooks/x.sh", &[]),
            ("check", BareName::ProjectThenPath, "/p/check", &[]),
            ("check", BareName::Path, "/bin/check", &[]),
            (
                "node hooks/x.sh 'a b' \"c\\\"d\" e\\ f",
                BareName::Path,
                "/bin/node",
                &["hooks/x.sh", "a b", "c\"d", "e f"],
            ),
            (
                "check ; rm -rf $HOME $(touch /tmp/x)",
                BareName::Path,
                "/bin/check",
                &[";", "rm", "-rf", "$HOME", "$(touch", "/tmp/x)"],
            ),
            ("/opt/h/y.sh", BareName::Path, "/opt/h/y.sh", &[]),
        ] {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            assert_eq!(resolve(line, bare), Ok((program.to_owned(), args)), "{line}");
        }
    }

    #[test]
    fn paths_outside_are_refused() {
        for line in ["../../../etc/passwd", "hooks/../../etc/passwd", "/etc/passwd", "hooks/link.sh", "node ../x.js"] {
            let why = resolve(line, BareName::ProjectThenPath).unwrap_err();
            assert!(why.starts_with("HB-E-TRAVERSAL: "), "{line}: {why}");
        }
    }

    #[test]
    fn what_cannot_start_says_why() {
        for (line, want) in [
            ("./hooks/none.sh", "./hooks/none.sh was not found, or is not executable; searched: /p/hooks/none.sh"),
            ("hooks/plain.txt", "hooks/plain.txt was not found, or is not executable; searched: /p/hooks/plain.txt"),
            ("none", "none was not found, or is not executable; searched: /p/none, /bin/none"),
            ("'open", "a quote of the command is not closed"),
            ("  ", "the command is empty"),
        ] {
            assert_eq!(resolve(line, BareName::ProjectThenPath), Err(want.to_owned()), "{line}");
        }
    }
}
