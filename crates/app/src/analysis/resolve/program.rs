//! Finds the file that a command starts, and the script that an interpreter reads.

use crate::disk::program_search::find_on_path;
use hookbench_core::command_line::{
    ProgramSearch, ResolveContext, ResolvedCommand, ResolvedState, ResolvedWord, StartTarget, join_path,
};
use hookbench_core::lint::installed_packages;
use hookbench_core::script_keys::{ScriptSource, bare_name, is_interpreter, runner_words, unwrapped_words};
use hookbench_core::text::is_absolute_path;
use hookbench_system::adapt;

/// The programs of this system.
pub(super) struct SystemPrograms<'a> {
    pub context: ResolveContext<'a>,
    /// A file that the agent makes executable.
    pub plain_file: Option<&'a str>,
}

impl ProgramSearch for SystemPrograms<'_> {
    fn find(&self, program: &str, cwd: &str) -> Result<String, (String, i32)> {
        if program.contains('/') {
            let path = join_path(cwd, program);
            let shown = self.context.display_path(&path);
            return match self.context.files.executable(&path) {
                Some(false) if self.plain_file.is_none_or(|file| join_path(cwd, file) != path) => {
                    Err((format!("{shown} is not executable"), 126))
                }
                Some(_) => Ok(path),
                None => Err((format!("{shown} does not exist"), 127)),
            };
        }
        let path = self.context.variable("PATH").unwrap_or_default();
        find_on_path(program, &path, self.context.files)
            .map(|file| file.to_string_lossy().into_owned())
            .ok_or_else(|| (format!("{program} is not found on PATH"), 127))
    }

    fn start(&self, words: &[ResolvedWord], cwd: Option<&str>) -> StartTarget {
        resolve_start(words, self, cwd)
    }
}

/// Finds what the words start in a directory; `cwd` is `None` if the directory is unknown.
fn resolve_start(words: &[ResolvedWord], programs: &SystemPrograms<'_>, cwd: Option<&str>) -> StartTarget {
    let context = programs.context;
    let words = unwrapped_words(words);
    let Some((first, rest)) = words.split_first() else {
        return StartTarget::Unknown("the command is empty".to_owned());
    };
    if !first.exact {
        return StartTarget::Unknown("the program name is only known at run time".to_owned());
    }
    let placed = |path: &str| is_absolute_path(path) || cwd.is_some();
    let here = cwd.unwrap_or_default();
    if first.text.contains('/') && !placed(&first.text) {
        return StartTarget::Unknown(
            "the command changes its directory in a way that only the shell can follow".to_owned(),
        );
    }
    let program = match programs.find(&first.text, here) {
        Ok(program) => program,
        Err((says, status)) => {
            let script = first.text.contains('/').then(|| join_path(here, &first.text));
            return StartTarget::File(ResolvedCommand {
                script,
                status: Some(status),
                ..ResolvedCommand::new(ResolvedState::No, says)
            });
        }
    };
    let name = bare_name(&program);
    if let Some(says) = adapter_mistake(name, rest) {
        let resolved =
            ResolvedCommand::new(ResolvedState::No, format!("hookbench adapt does not start the script: {says}"));
        let status = Some(i32::from(adapt::FAILURE));
        return StartTarget::File(ResolvedCommand { program: Some(program), status, ..resolved });
    }
    if let Some(script) = adapted_words(name, rest) {
        return through_adapter(resolve_start(script, programs, cwd));
    }
    let known = |at: usize| words.get(at).filter(|word| word.exact).map(|word| word.text.as_str());
    let file = match ScriptSource::of(words) {
        _ if !is_interpreter(name) => script_of_runner(words).map(str::to_owned),
        ScriptSource::File(at) => known(at).map(str::to_owned),
        ScriptSource::Module(at) => known(at).and_then(|module| find_module(module, &program, context, cwd)),
        _ => None,
    };
    if let Some(path) = file.filter(|path| placed(path)) {
        return StartTarget::File(script_of(&program, &join_path(here, &path), context));
    }
    let resolved = if is_interpreter(name) {
        ResolvedCommand::new(ResolvedState::Ok, format!("starts {program}"))
    } else {
        let shown = context.display_path(&program);
        let (state, says, status) = match missing_interpreter(&program, context) {
            Some(wanted) if wanted.ends_with('\r') => {
                let says =
                    format!("{shown} has Windows line endings, so the system looks for \"{}\\r\"", wanted.trim_end());
                (ResolvedState::No, says, Some(127))
            }
            Some(wanted) => (ResolvedState::No, format!("{shown} needs {wanted}, which does not exist"), None),
            None => (ResolvedState::Ok, format!("starts {shown}"), None),
        };
        ResolvedCommand { script: Some(program.clone()), status, ..ResolvedCommand::new(state, says) }
    };
    StartTarget::File(ResolvedCommand { program: Some(program), ..resolved })
}

/// The mistake in the arguments of `hookbench adapt`. `None` for any other command, or if a word is not known.
fn adapter_mistake(program: &str, words: &[ResolvedWord]) -> Option<String> {
    let (first, arguments) = words.split_first()?;
    let is_known = program == "hookbench" && first.text == "adapt" && words.iter().all(|word| word.exact);
    let arguments = arguments.iter().map(|word| word.text.clone().into());
    is_known.then(|| adapt::argument_mistake(arguments)).flatten()
}

/// The words of the script in `hookbench adapt --from AGENT -- SCRIPT`.
fn adapted_words<'a>(program: &str, words: &'a [ResolvedWord]) -> Option<&'a [ResolvedWord]> {
    words.first().filter(|word| program == "hookbench" && word.text == "adapt")?;
    let at = words.iter().position(|word| word.text == "--")?;
    words.get(at + 1..).filter(|script| !script.is_empty())
}

/// The result for a script that an adapter starts.
fn through_adapter(target: StartTarget) -> StartTarget {
    match target {
        StartTarget::File(resolved) => {
            let starts = resolved.state == ResolvedState::Ok;
            let message =
                if starts { format!("hookbench adapt {}", resolved.message) } else { resolved.message.clone() };
            StartTarget::File(ResolvedCommand { message, adapted: true, ..resolved })
        }
        unknown @ StartTarget::Unknown(_) => unknown,
    }
}

/// The result for an interpreter with a script.
fn script_of(program: &str, path: &str, context: ResolveContext<'_>) -> ResolvedCommand {
    let there = context.files.exists(path);
    let says = if there {
        format!("{program} runs {}", context.display_path(path))
    } else {
        format!("{program} starts, but {} does not exist", context.display_path(path))
    };
    let state = if there { ResolvedState::Ok } else { ResolvedState::No };
    let status = if there { None } else { without_script(bare_name(program)) };
    ResolvedCommand {
        program: Some(program.to_owned()),
        script: Some(path.to_owned()),
        status,
        ..ResolvedCommand::new(state, says)
    }
}

/// The script that a program such as `uv run` starts, itself or through an interpreter: `uv run x.py`, `npx tsx x.ts`.
fn script_of_runner(words: &[ResolvedWord]) -> Option<&str> {
    let program = runner_words(words)?;
    let name = &program.first()?.text;
    let script = match ScriptSource::of(program) {
        ScriptSource::File(at) if is_interpreter(name) => program.get(at)?,
        _ if is_interpreter(name) => return None,
        // Their first word is the name of a package.
        _ if matches!(bare_name(&words.first()?.text), "npx" | "bunx") => return None,
        _ => program.first()?,
    };
    let (_, extension) = script.text.rsplit_once('.')?;
    let is_source = matches!(extension, "py" | "ts" | "mts" | "js" | "mjs" | "cjs" | "sh");
    (script.exact && is_source).then_some(&script.text)
}

/// The exit status of an interpreter whose script is missing (measured; `sh` is left out, because it can be one of
/// many programs).
fn without_script(interpreter: &str) -> Option<i32> {
    match interpreter {
        "python" | "perl" => Some(2),
        "node" | "ruby" | "bun" | "deno" | "php" => Some(1),
        "bash" | "zsh" => Some(127),
        _ => None,
    }
}

/// The file of a module that is started: in the current directory, in those of `PYTHONPATH`, or an installed one.
fn find_module(module: &str, program: &str, context: ResolveContext<'_>, cwd: Option<&str>) -> Option<String> {
    let paths = context.variable("PYTHONPATH").unwrap_or_default();
    let named = paths.split(':').filter(|path| is_absolute_path(path)).map(str::to_owned);
    let directories = cwd.map(str::to_owned).into_iter().chain(named).chain(installed_packages(program, context.files));
    let module = module.replace('.', "/");
    let files =
        directories.flat_map(|directory| [".py", "/__main__.py"].map(|end| format!("{directory}/{module}{end}")));
    files.into_iter().find(|path| context.files.exists(path))
}

/// The interpreter in the first line of a script (`#!`), if it is missing. The system then reports the script as
/// missing. A carriage return at the end of the line is a part of the last word for the system, and of the name.
fn missing_interpreter(program: &str, context: ResolveContext<'_>) -> Option<String> {
    // Programs on PATH are not checked; they may be large.
    let text = program.starts_with(context.cwd).then(|| context.files.read(program).ok())??;
    let line = text.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    if line.ends_with('\r') {
        // `env` looks for the last word; other interpreters take it as an argument.
        let mut words = line.trim_start().split([' ', '\t']);
        let (first, last) = (words.next()?, words.next_back());
        return last.map_or(Some(first), |last| Some(last).filter(|_| first.ends_with("/env"))).map(str::to_owned);
    }
    let wanted = line.split_whitespace().next()?.to_owned();
    (!context.files.exists(&wanted)).then_some(wanted)
}
