//! Finds the file that a command starts, and the script that an interpreter reads.

use super::{ResolveContext, ResolvedCommand, ResolvedState, ResolvedWord, is_shell};
use crate::disk::program_search::find_on_path;
use hookbench_core::lint::installed_packages;
use hookbench_core::text::shell::{RUNNER_FLAGS, RUNNERS};
use hookbench_core::text::{is_absolute_path, normalize_path};
use hookbench_system::adapt;

const INTERPRETERS: [&str; 15] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "python",
    "python3",
    "node",
    "ruby",
    "perl",
    "bun",
    "deno",
    "php",
    "osascript",
    "tsx",
    "ts-node",
];

/// Flags of interpreters that take a value as the next word.
const VALUED: [&str; 12] =
    ["-W", "-X", "-r", "-I", "-o", "-O", "--require", "--import", "--loader", "--env-file", "--rcfile", "--init-file"];

/// The result of finding what a command starts.
pub(super) enum StartTarget {
    File(ResolvedCommand),
    /// The reason why it is unknown.
    Unknown(String),
}

/// Finds what the words start in a directory; `cwd` is `None` if the directory is unknown.
pub(super) fn resolve_start(words: &[ResolvedWord], look: ResolveContext<'_>, cwd: Option<&str>) -> StartTarget {
    let words = without_env(words);
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
    let name = base_name(&program);
    if let Some(says) = adapter_mistake(&name, rest) {
        let resolved =
            ResolvedCommand::new(ResolvedState::No, format!("hookbench adapt does not start the script: {says}"));
        let status = Some(i32::from(adapt::FAILURE));
        return StartTarget::File(ResolvedCommand { program: Some(program), status, ..resolved });
    }
    if let Some(script) = adapted_words(&name, rest) {
        return through_adapter(resolve_start(script, look, cwd));
    }
    if let Some((_, verb)) = RUNNERS.iter().find(|(runner, _)| *runner == name) {
        return StartTarget::File(match run_script(verb, rest).filter(|path| placed(path)) {
            Some(path) => script_of(&program, &name, &join(here, path), look),
            None => ResolvedCommand {
                script: Some(program.clone()),
                message: format!("starts {}", display_path(&program, look)),
                program: Some(program),
                ..ResolvedCommand::new(ResolvedState::Ok, "")
            },
        });
    }
    if !INTERPRETERS.iter().any(|i| i.trim_end_matches('3') == name) {
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
        return StartTarget::File(ResolvedCommand {
            script: Some(program.clone()),
            program: Some(program),
            status,
            ..ResolvedCommand::new(state, says)
        });
    }
    let module = python_module(&name, rest).and_then(|module| find_module(module, &program, look, cwd));
    if let Some(path) = module {
        return StartTarget::File(script_of(&program, &name, &path, look));
    }
    StartTarget::File(match given_script(&name, rest) {
        Some(word) if word.exact && placed(&word.text) => script_of(&program, &name, &join(here, &word.text), look),
        _ => {
            let says = format!("starts {program}");
            ResolvedCommand { program: Some(program), ..ResolvedCommand::new(ResolvedState::Ok, says) }
        }
    })
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
fn script_of(program: &str, name: &str, path: &str, look: ResolveContext<'_>) -> ResolvedCommand {
    let there = look.files.exists(path);
    let says = if there {
        format!("{program} runs {}", display_path(path, look))
    } else {
        format!("{program} starts, but {} does not exist", display_path(path, look))
    };
    let state = if there { ResolvedState::Ok } else { ResolvedState::No };
    let status = if there { None } else { without_script(name) };
    ResolvedCommand {
        program: Some(program.to_owned()),
        script: Some(path.to_owned()),
        status,
        ..ResolvedCommand::new(state, says)
    }
}

/// The words after `A=b` and `env A=b`.
fn without_env(words: &[ResolvedWord]) -> &[ResolvedWord] {
    let is_assignment = |w: &ResolvedWord| {
        w.text.split_once('=').is_some_and(|(n, _)| n.chars().all(|c| c == '_' || c.is_alphanumeric()))
    };
    let set = words.iter().take_while(|w| is_assignment(w)).count();
    let mut words = words.get(set..).unwrap_or_default();
    if words.first().is_some_and(|w| w.text == "env") {
        words = words.get(1..).unwrap_or_default();
        while let Some(word) = words.first().filter(|w| is_assignment(w) || w.text.starts_with('-')) {
            let valued = matches!(word.text.as_str(), "-u" | "--unset" | "-C" | "--chdir");
            words = words.get(if valued { 2 } else { 1 }..).unwrap_or_default();
        }
    }
    words
}

/// The text in `sh -c TEXT`, and the words after it.
pub(super) fn shell_text(words: &[ResolvedWord]) -> Option<(&ResolvedWord, &[ResolvedWord])> {
    let at = words.iter().skip(1).position(|w| !w.text.starts_with('-') || is_code_flag(&w.text))? + 1;
    let flag = words.get(at).filter(|w| is_code_flag(&w.text))?;
    let (text, rest) = words.get(at + 1..)?.split_first()?;
    flag.exact.then_some((text, rest))
}

fn is_code_flag(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
}

/// The script that a runner starts through an interpreter: `uv run x.py`, `npx tsx x.ts`.
fn run_script<'a>(verb: &str, words: &'a [ResolvedWord]) -> Option<&'a str> {
    let mut words = words.iter();
    if !verb.is_empty() {
        words.by_ref().find(|w| !w.text.starts_with('-')).filter(|w| w.text == verb)?;
    }
    let mut interpreted = false;
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text.starts_with('-') {
            if VALUED.contains(&text) || RUNNER_FLAGS.contains(&text) {
                words.next();
            }
            // The next word is code or a module, not a file.
            if matches!(text, "-c" | "-m" | "-e") {
                return None;
            }
            continue;
        }
        if !interpreted && INTERPRETERS.contains(&base_name(text).as_str()) {
            interpreted = true;
            continue;
        }
        let ending = text.rsplit_once('.').map(|(_, ending)| ending);
        let source = matches!(ending, Some("py" | "ts" | "mts" | "js" | "mjs" | "cjs" | "sh"));
        return (word.exact && source && (interpreted || !verb.is_empty())).then_some(text);
    }
    None
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

/// The script in an interpreter's arguments. `None` for code (`-c`, `-e`), modules (`-m`) and subcommands.
fn given_script<'a>(interpreter: &str, words: &'a [ResolvedWord]) -> Option<&'a ResolvedWord> {
    let own_commands = matches!(interpreter, "bun" | "deno");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let Some(flags) = text.strip_prefix('-') else {
            if own_commands && text == "run" {
                continue;
            }
            let file = text.contains(['/', '.']) || !own_commands;
            return Some(word).filter(|_| file);
        };
        let code = !text.starts_with("--")
            && (flags.is_empty() || flags.ends_with('c') || flags.starts_with(['c', 'm', 'e', 'p']));
        if code || matches!(text, "--eval" | "--print") {
            return None;
        }
        if VALUED.contains(&text) && !(text == "-r" && is_shell(interpreter)) {
            words.next();
        }
    }
    None
}

/// The module in `python3 -m MODULE`.
fn python_module<'a>(interpreter: &str, words: &'a [ResolvedWord]) -> Option<&'a str> {
    let at = words.iter().position(|word| word.text == "-m")?;
    let are_flags = words.iter().take(at).all(|word| word.text.starts_with('-'));
    let module = words.get(at + 1).filter(|word| word.exact && are_flags && interpreter == "python")?;
    Some(&module.text)
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

/// The name of a program without its directory and version.
fn base_name(program: &str) -> String {
    program.rsplit('/').next().unwrap_or("").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned()
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
