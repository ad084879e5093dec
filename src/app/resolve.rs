//! What a command line would really start: the program and the script, as far as that can be told without running a
//! shell.

use crate::core::config::{Files, Place};
use crate::core::run::ProcessSpec;

/// What a command comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The program file, when it is one.
    pub program: Option<String>,
    /// The script that an interpreter is given, or the program itself when it is no interpreter.
    pub script: Option<String>,
    pub state: ResolvedState,
    pub says: String,
    /// The exit status that it will end with, when it cannot work and that is known.
    pub status: Option<i32>,
    /// The words of the first command, after everything that can be expanded without a shell.
    pub words: Vec<Word>,
}

impl Resolved {
    /// Whether a program reads the script. A file that may not be run was to be started itself.
    pub fn interprets(&self) -> bool {
        self.program != self.script && !(self.program.is_none() && self.status == Some(126))
    }
}

/// Whether it would start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolvedState {
    Ok,
    No,
    Unknown,
}

/// What there is to look at.
#[derive(Clone, Copy)]
struct Look<'a> {
    spec: &'a ProcessSpec,
    place: &'a Place,
    files: &'a dyn Files,
}

const INTERPRETERS: [&str; 13] =
    ["sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "bun", "deno", "php", "osascript"];

/// Words that every shell runs itself.
const BUILTINS: [&str; 52] = [
    "exit",
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "[",
    "[[",
    "cd",
    "export",
    "set",
    "unset",
    "read",
    "exec",
    "eval",
    ".",
    "source",
    "if",
    "for",
    "while",
    "case",
    "until",
    "{",
    "(",
    "!",
    ":",
    "trap",
    "wait",
    "sleep",
    "return",
    "local",
    "shift",
    "type",
    "command",
    "builtin",
    "hash",
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
];

/// Flags of interpreters that take a word of their own.
const VALUED: [&str; 12] =
    ["-W", "-X", "-r", "-I", "-o", "-O", "--require", "--import", "--loader", "--env-file", "--rcfile", "--init-file"];

/// Finds out what a process would start, from the command as the agent hands it to a shell or to the system.
/// `direct` is set when no shell stands between.
pub fn resolve_command(spec: &ProcessSpec, direct: bool, place: &Place, files: &dyn Files) -> Resolved {
    let look = Look { spec, place, files };
    let words = if direct {
        Ok(std::iter::once(&spec.program).chain(&spec.args).map(|w| Word { text: w.clone(), exact: true }).collect())
    } else {
        shell_words(spec.args.last().map_or("", String::as_str), look)
    };
    match words {
        Ok(words) => Resolved { words: words.clone(), ..resolve_words(&words, direct, look) },
        Err(why) => unknown(why),
    }
}

fn resolve_words(words: &[Word], direct: bool, look: Look<'_>) -> Resolved {
    let is_assignment =
        |w: &Word| w.text.split_once('=').is_some_and(|(n, _)| n.chars().all(|c| c == '_' || c.is_alphanumeric()));
    let mut words = words.iter().skip_while(|w| is_assignment(w)).peekable();
    if words.peek().is_some_and(|w| w.text == "env") {
        words.next();
        while let Some(word) = words.peek().filter(|w| is_assignment(w) || w.text.starts_with('-')) {
            let valued = matches!(word.text.as_str(), "-u" | "--unset" | "-C" | "--chdir");
            words.next();
            if valued {
                words.next();
            }
        }
    }
    let Some(first) = words.next() else { return unknown("the command is empty") };
    if !first.exact {
        return unknown("the program's name is made by the shell at run time");
    }
    if !direct && BUILTINS.contains(&first.text.as_str()) {
        let says = format!("{} is run by the shell itself", first.text);
        return Resolved {
            program: None,
            script: None,
            state: ResolvedState::Ok,
            says,
            status: None,
            words: Vec::new(),
        };
    }
    let program = match find_program(&first.text, look) {
        Ok(program) => program,
        Err((says, status)) => {
            return Resolved {
                program: None,
                script: absolute_script(&first.text, look),
                state: ResolvedState::No,
                says,
                // Without a shell nothing is left to end with a status.
                status: (!direct).then_some(status),
                words: Vec::new(),
            };
        }
    };
    let name =
        program.rsplit('/').next().unwrap_or("").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    if !INTERPRETERS.iter().any(|i| i.trim_end_matches('3') == name) {
        let (state, says) = match missing_interpreter(&program, look) {
            Some(wanted) => {
                (ResolvedState::No, format!("{} wants {wanted}, which is not there", shown(&program, look)))
            }
            None => (ResolvedState::Ok, format!("starts {}", shown(&program, look))),
        };
        return Resolved {
            script: Some(program.clone()),
            program: Some(program),
            state,
            says,
            status: None,
            words: Vec::new(),
        };
    }
    match given_script(&name, words) {
        Some(word) if word.exact => {
            let path = join(&look.spec.cwd, &word.text);
            let there = look.files.exists(&path);
            let says = if there {
                format!("{program} runs {}", shown(&path, look))
            } else {
                format!("{program} starts, but {} does not exist", shown(&path, look))
            };
            let state = if there { ResolvedState::Ok } else { ResolvedState::No };
            let status = if there { None } else { without_script(&name) };
            Resolved { program: Some(program), script: Some(path), state, says, status, words: Vec::new() }
        }
        _ => Resolved {
            says: format!("starts {program}"),
            program: Some(program),
            script: None,
            state: ResolvedState::Ok,
            status: None,
            words: Vec::new(),
        },
    }
}

/// What an interpreter ends with when its script is not there (measured; a plain `sh` is many programs).
fn without_script(interpreter: &str) -> Option<i32> {
    match interpreter {
        "python" | "perl" => Some(2),
        "node" | "ruby" | "bun" | "deno" | "php" => Some(1),
        "bash" | "zsh" => Some(127),
        _ => None,
    }
}

/// The script that an interpreter is given; none for code (`-c`, `-e`), modules (`-m`), and what is a command of its own.
fn given_script<'a>(interpreter: &str, mut words: impl Iterator<Item = &'a Word>) -> Option<&'a Word> {
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let Some(flags) = text.strip_prefix('-') else {
            let file = text.contains(['/', '.']) || !matches!(interpreter, "bun" | "deno");
            return Some(word).filter(|_| file);
        };
        let code = !text.starts_with("--")
            && (flags.is_empty() || flags.ends_with('c') || flags.starts_with(['c', 'm', 'e', 'p']));
        if code || matches!(text, "--eval" | "--print") {
            return None;
        }
        if VALUED.contains(&text) {
            words.next();
        }
    }
    None
}

fn unknown(says: &str) -> Resolved {
    Resolved {
        program: None,
        script: None,
        state: ResolvedState::Unknown,
        says: says.to_owned(),
        status: None,
        words: Vec::new(),
    }
}

fn absolute_script(word: &str, look: Look<'_>) -> Option<String> {
    word.contains('/').then(|| join(&look.spec.cwd, word))
}

fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{base}/{}", path.trim_start_matches("./")) }
}

/// A path below the working directory is shown relative to it.
fn shown<'a>(path: &'a str, look: Look<'_>) -> &'a str {
    path.strip_prefix(&look.spec.cwd).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

fn variable(look: Look<'_>, name: &str) -> Option<String> {
    let spec = look.spec;
    // Every shell sets it.
    if name == "PWD" {
        return Some(spec.cwd.clone());
    }
    if let Some((_, value)) = spec.env.set.iter().rev().find(|(n, _)| n == name) {
        return Some(value.clone());
    }
    if spec.env.remove.iter().any(|n| n == name) {
        return None;
    }
    look.place.var(name).map(str::to_owned)
}

/// The program file behind a word, as the system would find it.
fn find_program(word: &str, look: Look<'_>) -> Result<String, (String, i32)> {
    if word.contains('/') {
        let path = join(&look.spec.cwd, word);
        return match look.files.executable(&path) {
            Some(true) => Ok(path),
            Some(false) => Err((format!("{} has no run bit (chmod +x)", shown(&path, look)), 126)),
            None => Err((format!("{} does not exist", shown(&path, look)), 127)),
        };
    }
    let path = variable(look, "PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|dir| dir.join(word))
        .find(|f| look.files.executable(&f.to_string_lossy()) == Some(true));
    found.map(|f| f.to_string_lossy().into_owned()).ok_or_else(|| (format!("{word} is not found on PATH"), 127))
}

/// What the first line of a script names after `#!`, when it is not there: the system then says that the script is not.
fn missing_interpreter(program: &str, look: Look<'_>) -> Option<String> {
    // What was found on PATH is taken as it is; it may be large.
    let text = program.starts_with(&look.spec.cwd).then(|| look.files.read(program).ok())??;
    let line = text.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?;
    let wanted = String::from_utf8_lossy(line).split_whitespace().next()?.to_owned();
    (!look.files.exists(&wanted)).then_some(wanted)
}

/// One word of a command line; not `exact` when a shell would still change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub exact: bool,
}

/// The words of the first simple command, with variables and `~` filled in as the hook's environment has them.
fn shell_words(line: &str, look: Look<'_>) -> Result<Vec<Word>, &'static str> {
    let chars: Vec<char> = line.chars().collect();
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        let into = |word: &mut Option<Word>, text: &str| {
            word.get_or_insert_with(|| Word { text: String::new(), exact: true }).text.push_str(text);
        };
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('\''), c) => into(&mut word, &c.to_string()),
            (None, '\'' | '"') => {
                quote = Some(c);
                into(&mut word, "");
            }
            (_, '\\') => {
                into(&mut word, &chars.get(at).map(char::to_string).unwrap_or_default());
                at += 1;
            }
            (_, '`') => return Err("the command contains a command substitution"),
            (_, '$') => match expansion(&chars, at, look) {
                Expansion::Text(text, next) => {
                    into(&mut word, &text);
                    at = next;
                }
                Expansion::Dynamic(next) => {
                    into(&mut word, "");
                    if let Some(word) = &mut word {
                        word.exact = false;
                    }
                    at = next;
                }
                Expansion::Substitution => return Err("the command contains a command substitution"),
            },
            (None, '~') if word.is_none() && matches!(chars.get(at), None | Some('/' | ' ')) => {
                into(&mut word, &variable(look, "HOME").unwrap_or_default());
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, ';' | '|' | '&' | '<' | '>' | '\n') => break,
            (None, '(' | ')') => return Err("the command is a subshell"),
            (None, '*' | '?') => {
                into(&mut word, &c.to_string());
                if let Some(word) = &mut word {
                    word.exact = false;
                }
            }
            (_, c) => into(&mut word, &c.to_string()),
        }
    }
    if quote.is_some() {
        return Err("a quote in the command is never closed");
    }
    words.extend(word);
    Ok(words)
}

enum Expansion {
    Text(String, usize),
    Dynamic(usize),
    Substitution,
}

fn expansion(chars: &[char], at: usize, look: Look<'_>) -> Expansion {
    let name_end = |from: usize| {
        chars.get(from..).unwrap_or(&[]).iter().take_while(|c| **c == '_' || c.is_ascii_alphanumeric()).count() + from
    };
    let name = |from: usize, to: usize| chars.get(from..to).unwrap_or(&[]).iter().collect::<String>();
    match chars.get(at) {
        Some('(') => Expansion::Substitution,
        Some('{') => {
            let end = name_end(at + 1);
            if chars.get(end) == Some(&'}') {
                return Expansion::Text(variable(look, &name(at + 1, end)).unwrap_or_default(), end + 1);
            }
            let close =
                chars.get(end..).unwrap_or(&[]).iter().position(|c| *c == '}').map_or(chars.len(), |p| end + p + 1);
            Expansion::Dynamic(close)
        }
        Some(c) if *c == '_' || c.is_ascii_alphabetic() => {
            let end = name_end(at);
            Expansion::Text(variable(look, &name(at, end)).unwrap_or_default(), end)
        }
        Some(_) => Expansion::Dynamic(at + 1),
        None => Expansion::Text("$".to_owned(), at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::config::MemoryFiles;
    use crate::core::run::{EnvChange, Finish, KillSpec};
    use std::time::Duration;

    fn spec(command: &str, cwd: &str) -> ProcessSpec {
        ProcessSpec {
            program: "/bin/sh".to_owned(),
            args: vec!["-c".to_owned(), command.to_owned()],
            cwd: cwd.to_owned(),
            env: EnvChange {
                set: vec![("P".to_owned(), cwd.to_owned()), ("PATH".to_owned(), "/bin:/usr/bin".to_owned())],
                ..EnvChange::default()
            },
            stdin: Vec::new().into(),
            timeout: None,
            finish: Finish::AtExit,
            kill: KillSpec { grace: Duration::ZERO },
            keep: 0,
            names_folder: false,
        }
    }

    #[test]
    fn says_what_would_start() {
        let cwd = "/work".to_owned();
        let mut files = MemoryFiles::default();
        files.put("/work/a b.sh", "x");
        files.put("/bin/sh", "#!");
        let state = |command: &str| {
            let resolved = resolve_command(&spec(command, &cwd), false, &Place::default(), &files);
            (resolved.state, resolved.script.map(|s| s.replace(&cwd, "<cwd>")))
        };
        let script = |name: &str| Some(format!("<cwd>/{name}"));
        for (command, want) in [
            ("exit 2", (ResolvedState::Ok, None)),
            ("sh \"$P/a b.sh\" --x", (ResolvedState::Ok, script("a b.sh"))),
            ("sh './a b.sh'", (ResolvedState::Ok, script("a b.sh"))),
            ("\"${P}/a b.sh\"", (ResolvedState::No, script("a b.sh"))),
            ("FOO=1 sh gone.sh | cat", (ResolvedState::No, script("gone.sh"))),
            ("nobody-has-this-program", (ResolvedState::No, None)),
            ("$(which x)", (ResolvedState::Unknown, None)),
            ("sh -c 'echo hi'", (ResolvedState::Ok, None)),
            ("sh './a b.sh' -c x", (ResolvedState::Ok, script("a b.sh"))),
            ("env -u X FOO=1 sh -e gone.sh", (ResolvedState::Ok, None)),
            ("env -u X FOO=1 sh -o errexit gone.sh", (ResolvedState::No, script("gone.sh"))),
            ("command -v jq && sh gone.sh", (ResolvedState::Ok, None)),
            ("${X:-y} z", (ResolvedState::Unknown, None)),
            ("", (ResolvedState::Unknown, None)),
        ] {
            assert_eq!(state(command), want, "{command}");
        }
    }
}
