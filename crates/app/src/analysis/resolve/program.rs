//! Finds the file that a command starts, and the script that an interpreter reads.

use hookbench_core::script_keys::{ScriptSource, bare_name, is_interpreter, runner_words, unwrapped_words};

use super::{ResolveContext, ResolvedCommand, ResolvedState, ResolvedWord};
use crate::disk::program_search::find_on_path;
use hookbench_core::lint::installed_packages;
use hookbench_core::text::{is_absolute_path, normalize_path};
use hookbench_system::adapt;

/// The result of finding what a command starts.
pub(super) enum StartTarget {
    File(ResolvedCommand),
    /// The reason why it is unknown.
    Unknown(String),
}

/// Finds what the words start in a directory; `cwd` is `None` if the directory is unknown.
pub(super) fn resolve_start(words: &[ResolvedWord], look: ResolveContext<'_>, cwd: Option<&str>) -> StartTarget {
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
    let program = match find_program(&first.text, look, here) {
        Ok(program) => program,
        Err((says, status)) => {
            let script = first.text.contains('/').then(|| join(here, &first.text));
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
        return through_adapter(resolve_start(script, look, cwd));
    }
    let known = |at: usize| words.get(at).filter(|word| word.exact).map(|word| word.text.as_str());
    let file = match ScriptSource::of(words) {
        _ if !is_interpreter(name) => script_of_runner(words).map(str::to_owned),
        ScriptSource::File(at) => known(at).map(str::to_owned),
        ScriptSource::Module(at) => known(at).and_then(|module| find_module(module, &program, look, cwd)),
        _ => None,
    };
    if let Some(path) = file.filter(|path| placed(path)) {
        return StartTarget::File(script_of(&program, &join(here, &path), look));
    }
    let resolved = if is_interpreter(name) {
        ResolvedCommand::new(ResolvedState::Ok, format!("starts {program}"))
    } else {
        let shown = display_path(&program, look);
        let (state, says, status) = match missing_interpreter(&program, look) {
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
fn script_of(program: &str, path: &str, look: ResolveContext<'_>) -> ResolvedCommand {
    let there = look.files.exists(path);
    let says = if there {
        format!("{program} runs {}", display_path(path, look))
    } else {
        format!("{program} starts, but {} does not exist", display_path(path, look))
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
fn find_module(module: &str, program: &str, look: ResolveContext<'_>, cwd: Option<&str>) -> Option<String> {
    let paths = variable(look, "PYTHONPATH").unwrap_or_default();
    let named = paths.split(':').filter(|path| is_absolute_path(path)).map(str::to_owned);
    let directories = cwd.map(str::to_owned).into_iter().chain(named).chain(installed_packages(program, look.files));
    let module = module.replace('.', "/");
    let files =
        directories.flat_map(|directory| [".py", "/__main__.py"].map(|end| format!("{directory}/{module}{end}")));
    files.into_iter().find(|path| look.files.exists(path))
}

/// Resolves a path against a directory.
pub(super) fn join(base: &str, path: &str) -> String {
    let joined = if is_absolute_path(path) { path.to_owned() } else { format!("{base}/{path}") };
    normalize_path(&joined)
}

/// The path to display: relative to the working directory if it is inside.
pub(super) fn display_path<'a>(path: &'a str, look: ResolveContext<'_>) -> &'a str {
    path.strip_prefix(&look.spec.cwd).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

/// A variable in the environment of the process.
pub(super) fn variable(look: ResolveContext<'_>, name: &str) -> Option<String> {
    let spec = look.spec;
    if let Some(value) = spec.env.value(name) {
        return Some(value.to_owned());
    }
    if spec.env.remove.iter().any(|n| n == name) {
        return None;
    }
    look.place.var(name).map(str::to_owned)
}

/// Finds the file of a program like the system does, or returns the reason and the status of a shell.
pub(super) fn find_program(word: &str, look: ResolveContext<'_>, cwd: &str) -> Result<String, (String, i32)> {
    if word.contains('/') {
        let path = join(cwd, word);
        return match look.files.executable(&path) {
            Some(true) => Ok(path),
            // The agent makes this file executable.
            Some(false) if look.spec.plain_file().is_some_and(|word| join(cwd, word) == path) => Ok(path),
            Some(false) => Err((format!("{} is not executable", display_path(&path, look)), 126)),
            None => Err((format!("{} does not exist", display_path(&path, look)), 127)),
        };
    }
    let path = variable(look, "PATH").unwrap_or_default();
    find_on_path(word, &path, look.files)
        .map(|f| f.to_string_lossy().into_owned())
        .ok_or_else(|| (format!("{word} is not found on PATH"), 127))
}

/// The interpreter in the first line of a script (`#!`), if it is missing. The system then reports the script as
/// missing. A carriage return at the end of the line is a part of the last word for the system, and of the name.
fn missing_interpreter(program: &str, look: ResolveContext<'_>) -> Option<String> {
    // Programs on PATH are not checked; they may be large.
    let text = program.starts_with(&look.spec.cwd).then(|| look.files.read(program).ok())??;
    let line = text.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    if line.ends_with('\r') {
        // `env` looks for the last word; other interpreters take it as an argument.
        let mut words = line.trim_start().split([' ', '\t']);
        let (first, last) = (words.next()?, words.next_back());
        return last.map_or(Some(first), |last| Some(last).filter(|_| first.ends_with("/env"))).map(str::to_owned);
    }
    let wanted = line.split_whitespace().next()?.to_owned();
    (!look.files.exists(&wanted)).then_some(wanted)
}

/// The directory of a path, like `dirname`.
pub(super) fn directory_of(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None => ".".to_owned(),
    }
}
