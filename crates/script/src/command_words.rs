//! The words of a command: the program that they start in the end, and the script that an interpreter takes from them.

use std::borrow::Cow;
use std::ops::ControlFlow::{self, Break, Continue};

use crate::bare_name;
use crate::value::{Piece, Value};

/// A word of a command, of which a part may be known only when the command runs.
pub trait CommandWord {
    /// The text without the parts that are only known at run time.
    fn known_part(&self) -> Cow<'_, str>;

    /// Whether no part is missing in that text.
    fn is_known(&self) -> bool;
}

impl CommandWord for &str {
    fn known_part(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn is_known(&self) -> bool {
        true
    }
}

impl CommandWord for Value {
    fn known_part(&self) -> Cow<'_, str> {
        match self {
            Value::Text(pieces) => match pieces.as_slice() {
                [Piece::Is(text)] => Cow::Borrowed(text),
                pieces => pieces
                    .iter()
                    .filter_map(|piece| if let Piece::Is(text) = piece { Some(&**text) } else { None })
                    .collect(),
            },
            Value::Number(number) => Cow::Borrowed(number),
            _ => Cow::Borrowed(""),
        }
    }

    fn is_known(&self) -> bool {
        self.known_text().is_some()
    }
}

/// Shells with the same basic syntax.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// Other programs that run scripts.
const INTERPRETERS: [&str; 10] =
    ["python", "node", "ruby", "perl", "bun", "deno", "php", "osascript", "tsx", "ts-node"];

/// Programs that start another program, given as their arguments.
const WRAPPERS: [&str; 11] =
    ["env", "command", "exec", "nohup", "nice", "time", "sudo", "builtin", "timeout", "stdbuf", "setsid"];

/// Options of these programs that take a value.
const WRAPPER_VALUES: [&str; 8] = ["-u", "-n", "-s", "-k", "-C", "-o", "-i", "-S"];

/// Programs that run another program, given by the words after this one, each with its own command: `uv run x.py`.
const RUNNERS: [(&str, &str); 9] = [
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("rye", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("npx", ""),
    ("bunx", ""),
];

/// Options of these programs that take a value.
const RUNNER_VALUES: [&str; 10] = [
    "--with",
    "--with-requirements",
    "--python",
    "-p",
    "--project",
    "--directory",
    "--extra",
    "--group",
    "--package",
    "--index",
];

/// Whether a program is a shell with the syntax of `sh`.
pub fn is_shell(program: &str) -> bool {
    SHELLS.contains(&bare_name(program))
}

/// Whether a program runs scripts.
pub fn is_interpreter(program: &str) -> bool {
    is_shell(program) || INTERPRETERS.contains(&bare_name(program))
}

/// The name and the value of an assignment to a variable.
pub fn split_assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    is_variable_name(name).then_some((name, value))
}

/// Whether a text can be the name of a variable.
pub fn is_variable_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// The words of the program that a program such as `env` starts. `None` for any other program, and without such words.
pub fn wrapped_words<W: CommandWord>(words: &[W]) -> Option<&[W]> {
    let (first, mut rest) = words.split_first()?;
    let program = first.known_part();
    let name = program.rsplit('/').next().unwrap_or_default();
    if !first.is_known() || !WRAPPERS.contains(&name) {
        return None;
    }
    while let Some(word) = rest.first() {
        let text = word.known_part();
        // `command -v` only looks for the program.
        if matches!(&*text, "-v" | "-V") {
            return None;
        }
        let takes_value = WRAPPER_VALUES.contains(&&*text) && name != "exec" && !(name == "env" && text == "-i");
        let sets_variable = matches!(name, "env" | "sudo") && split_assignment(&text).is_some();
        if !text.starts_with('-') && !sets_variable {
            break;
        }
        rest = rest.get(if takes_value { 2 } else { 1 }..).unwrap_or_default();
    }
    if name == "timeout" {
        rest = rest.get(1..).unwrap_or_default();
    }
    Some(rest).filter(|rest| !rest.is_empty())
}

/// The words from the actual program on, without wrappers such as `env A=b` and `timeout 5`.
pub fn unwrapped_words<W: CommandWord>(mut words: &[W]) -> &[W] {
    while let Some(inner) = wrapped_words(words) {
        words = inner;
    }
    words
}

/// The words of the program that a runner such as `uv run` starts. `None` for any other program.
pub fn runner_words<W: CommandWord>(words: &[W]) -> Option<&[W]> {
    let program = words.first()?.known_part();
    let (_, command) = RUNNERS.iter().find(|(runner, _)| *runner == bare_name(&program))?;
    let mut at = 1;
    let mut needs_command = !command.is_empty();
    loop {
        let text = words.get(at)?.known_part();
        at += match &*text {
            option if RUNNER_VALUES.contains(&option) => 2,
            option if option.starts_with('-') => 1,
            word if needs_command && word == *command => {
                needs_command = false;
                1
            }
            _ => break,
        };
    }
    words.get(at..).filter(|_| !needs_command)
}

/// The place from which an interpreter takes its script, as the index of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptSource {
    /// The word names the file.
    File(usize),
    /// The word is the text: `-c TEXT`.
    Text(usize),
    /// The word names the module: `-m MODULE`.
    Module(usize),
    /// The script is on stdin, and the word is its first argument.
    Stdin(usize),
    /// The interpreter runs another command, or its options are not understood.
    Unknown,
}

impl ScriptSource {
    /// Finds the script in the words of an interpreter. The first word is its name.
    pub fn of<W: CommandWord>(words: &[W]) -> ScriptSource {
        let program = words.first().map(W::known_part).unwrap_or_default();
        let interpreter = bare_name(&program);
        let has_commands = matches!(interpreter, "bun" | "deno");
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.known_part();
            at += match text.strip_prefix('-') {
                None if has_commands && text == "run" => 1,
                None if has_commands && word.is_known() && !text.contains(['/', '.']) => return ScriptSource::Unknown,
                None => return ScriptSource::File(at),
                Some("") => return ScriptSource::Stdin(at + 1),
                Some(flags) => match after_option(interpreter, flags, at) {
                    Continue(taken) => taken,
                    Break(source) => return source,
                },
            };
        }
        ScriptSource::Stdin(at)
    }
}

/// The number of words that an option takes with its value, or the script that it gives.
fn after_option(interpreter: &str, flags: &str, at: usize) -> ControlFlow<ScriptSource, usize> {
    let is_long = flags.starts_with('-');
    if is_shell(interpreter) {
        return match flags {
            "-rcfile" | "-init-file" => Continue(2),
            _ if is_long => Continue(1),
            _ if flags.contains('c') => Break(ScriptSource::Text(at + 1)),
            _ if flags.contains('s') => Break(ScriptSource::Stdin(at + 1)),
            _ if flags.ends_with(['o', 'O']) => Continue(2),
            _ => Continue(1),
        };
    }
    let is_python = interpreter == "python";
    let with_value: &[char] = if is_python { &['W', 'X'] } else { &['F', 'I', 'M', 'r'] };
    let text_flag = match interpreter {
        "python" => 'c',
        "php" => 'r',
        _ => 'e',
    };
    match flags {
        "-eval" | "-print" => Break(ScriptSource::Text(at + 1)),
        "p" if !matches!(interpreter, "perl" | "ruby") => Break(ScriptSource::Text(at + 1)),
        "-require" | "-import" | "-loader" | "-env-file" => Continue(2),
        "W" | "X" if is_python => Continue(2),
        "r" | "I" if !matches!(interpreter, "python" | "php") => Continue(2),
        _ if is_long => Continue(1),
        // An option with its value in one word.
        _ if flags.len() > 1 && flags.starts_with(with_value) => Continue(1),
        _ if flags.len() > 1 && flags.starts_with(['c', 'm', 'e']) => Break(ScriptSource::Unknown),
        _ if flags.ends_with(text_flag) => Break(ScriptSource::Text(at + 1)),
        _ if is_python && flags.ends_with('m') => Break(ScriptSource::Module(at + 1)),
        // It only checks the syntax.
        "c" => Break(ScriptSource::Unknown),
        _ => Continue(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn the_program_behind_wrappers_and_runners() {
        for (line, want) in [
            ("env A=b python3 x", "python3 x"),
            ("env -u X -i A=b sh", "sh"),
            ("timeout -k 5 10 /usr/bin/node x", "/usr/bin/node x"),
            ("sudo -u me A=b nice -n 5 sh x", "sh x"),
            ("exec -a name sh", "name sh"),
            ("command -v jq", "command -v jq"),
            ("env", "env"),
            ("sh env x", "sh env x"),
        ] {
            assert_eq!(unwrapped_words(&words(line)), words(want), "{line}");
        }
        for (line, want) in [
            ("uv run --with x y.py z", Some("y.py z")),
            ("npx -y tsx x.ts", Some("tsx x.ts")),
            ("uv pip run", None),
            ("sh run x", None),
            ("npx", None),
        ] {
            assert_eq!(runner_words(&words(line)), want.map(words).as_deref(), "{line}");
        }
    }

    #[test]
    fn the_script_of_an_interpreter() {
        use ScriptSource::{File, Module, Stdin, Text, Unknown};
        for (line, want) in [
            ("sh x.sh -c y", File(1)),
            ("bash -euo pipefail x.sh", File(3)),
            ("bash -e --rcfile y -- x.sh", File(5)),
            ("bash -o pipefail -ec text name", Text(4)),
            ("/bin/bash -s -- -y", Stdin(2)),
            ("zsh", Stdin(1)),
            ("python3.11 -I -W ignore x.py", File(4)),
            ("python3 -um module y", Module(2)),
            ("python3 -Ic text", Text(2)),
            ("python3 - x", Stdin(2)),
            ("python3 -cprint(1)", Unknown),
            ("node --require ./a -r ./b x.js", File(5)),
            ("node --eval text", Text(2)),
            ("node -p text", Text(2)),
            ("node -c x.js", Unknown),
            ("perl -MJSON::encode -Ilib -lane text", Text(4)),
            ("perl -p -e text", Text(3)),
            ("php -r text", Text(2)),
            ("deno run --allow-read x.ts", File(3)),
            ("deno fmt", Unknown),
            ("bun x.ts", File(1)),
        ] {
            assert_eq!(ScriptSource::of(&words(line)), want, "{line}");
        }
    }
}
