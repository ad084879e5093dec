//! The commands of a shell that decide what a script reads, prints and starts. Any other program reads stdin, and what
//! it prints is not known.

mod interpreters;
mod jq;
mod printing;

use crate::command_words::wrapped_words;
use crate::state::{Flow, State};
use crate::steps::{ByteRange, ComparisonKind, ScriptStream};
use crate::value::{Piece, Value, text_of};
use crate::walk::{Ends, Walk};
use printing::{formatted, is_echo_option};

/// Builtins that print nothing, and whose status is 0 as a rule.
const QUIET: [&str; 16] = [
    "unset", "shopt", "local", "export", "declare", "readonly", "typeset", "wait", "umask", "ulimit", "alias", "trap",
    "cd", "pushd", "popd", ":",
];

/// Runs a command with its words.
pub(crate) fn run(walk: &mut Walk<'_>, words: &[Value], at: &ByteRange, mut state: State) -> Ends {
    let name = words.first().and_then(Value::known_text);
    let Some(name) = name else {
        walk.start(words, false, at);
        walk.found.reads_stdin |= state.stdin == Value::Stdin;
        state.status = None;
        return vec![(state, Flow::Next)];
    };
    let arguments = words.get(1..).unwrap_or_default();
    if let Some(function) = walk.function(&name) {
        for (index, value) in arguments.iter().enumerate() {
            state.derive(&(index + 1).to_string(), walk.touched);
            state.set(&(index + 1).to_string(), value.clone());
        }
        let results = walk.call(&function, Vec::new(), state);
        return results
            .into_iter()
            .map(|(mut state, value)| match value {
                Ok(Value::Null) => (state, Flow::Next),
                Ok(value) => {
                    state.status = value.known_text().and_then(|text| text.parse().ok());
                    (state, Flow::Next)
                }
                Err(flow) => (state, flow),
            })
            .collect();
    }
    let next = |state: State| vec![(state, Flow::Next)];
    match name.as_str() {
        "echo" => {
            let words = arguments.iter().skip_while(|word| word.known_text().is_some_and(|text| is_echo_option(&text)));
            let mut pieces: Vec<Piece> = Vec::new();
            for (index, word) in words.enumerate() {
                if index > 0 {
                    pieces.push(Piece::Is(" ".to_owned()));
                }
                pieces.extend(word.clone().into_pieces());
            }
            if !arguments.first().and_then(Value::known_text).is_some_and(|text| text.starts_with("-n")) {
                pieces.push(Piece::Is("\n".to_owned()));
            }
            state.print(ScriptStream::Stdout, pieces, at);
            state.status = Some(0);
            next(state)
        }
        "printf" => {
            let arguments = match arguments {
                [flag, _, rest @ ..] if flag.known_text().as_deref() == Some("-v") => {
                    if let Some(name) = arguments.get(1).and_then(Value::known_text) {
                        let pieces =
                            rest.split_first().map(|(format, rest)| formatted(format, rest)).unwrap_or_default();
                        state.set(&name, text_of(pieces));
                    }
                    return next(state);
                }
                [flag, rest @ ..] if flag.known_text().as_deref() == Some("--") => rest,
                other => other,
            };
            if let Some((format, rest)) = arguments.split_first() {
                state.print(ScriptStream::Stdout, formatted(format, rest), at);
            }
            state.status = Some(0);
            next(state)
        }
        "cat" | "tee" => {
            let reads_stdin = name == "tee"
                || arguments
                    .iter()
                    .all(|word| word.known_text().is_some_and(|text| text.starts_with('-') || text == "/dev/stdin"));
            let value = match name.as_str() {
                "tee" => walk.take_stdin(&mut state),
                _ if reads_stdin => walk.drain_stdin(&mut state, at),
                _ => Value::Unknown,
            };
            state.print(ScriptStream::Stdout, value.into_pieces(), at);
            state.status = Some(0);
            next(state)
        }
        "read" => {
            walk.stdin_reads += 1;
            let input = walk.take_stdin(&mut state);
            let mut names: Vec<String> = Vec::new();
            let mut words = arguments.iter().filter_map(Value::known_text);
            while let Some(word) = words.next() {
                match word.strip_prefix('-') {
                    // The value of an option.
                    Some(option) if option.ends_with(['d', 'n', 'N', 't', 'p', 'u', 'i']) => drop(words.next()),
                    Some(_) => {}
                    None => names.push(word),
                }
            }
            let alone = names.len() == 1;
            for name in names {
                let value = if alone { input.clone() } else { Value::Unknown };
                state.set(&name, value);
            }
            state.status = None;
            next(state)
        }
        "jq" | "gojq" | "jaq" => {
            walk.start(words, false, at);
            state.acted = true;
            jq::run(walk, arguments, at, &mut state);
            next(state)
        }
        "exit" => {
            let status = match arguments.first() {
                Some(word) => word.exit_status(),
                None => state.status,
            };
            vec![(state, Flow::Exited(status, at.clone()))]
        }
        "return" => {
            let value = match arguments.first() {
                Some(word) => word.clone(),
                None => state.status.map_or(Value::Unknown, |status| Value::Number(status.to_string())),
            };
            // Outside a function it ends the script, except in bash, which reports an error.
            let status = value.exit_status();
            let flow = if walk.calls.is_empty() { Flow::Exited(status, at.clone()) } else { Flow::Returned(value) };
            vec![(state, flow)]
        }
        "break" | "continue" => vec![(state, Flow::LeftLoop)],
        "true" => {
            state.status = Some(0);
            next(state)
        }
        "false" => {
            state.status = Some(1);
            next(state)
        }
        "exec" => {
            if arguments.is_empty() {
                return next(state);
            }
            let ends = run(walk, arguments, at, state).into_iter();
            ends.map(|(state, flow)| {
                let flow = if flow == Flow::Next { Flow::Exited(state.status, at.clone()) } else { flow };
                (state, flow)
            })
            .collect()
        }
        "command" | "builtin" | "env" | "nohup" | "setsid" | "time" | "nice" | "sudo" | "timeout" | "stdbuf" => {
            let Some(inner) = wrapped_words(words) else {
                // `command -v jq`
                if name == "command" {
                    walk.search(arguments);
                }
                state.status = None;
                return next(state);
            };
            let is_limited = usize::from(matches!(name.as_str(), "nohup" | "setsid" | "timeout"));
            // A command that does not end later than the script.
            walk.limits += is_limited;
            let ends = run(walk, inner, at, state);
            walk.limits -= is_limited;
            ends
        }
        "logger" => {
            walk.start(words, false, at);
            walk.take_stdin(&mut state);
            state.status = Some(0);
            next(state)
        }
        "which" | "type" | "hash" => {
            walk.search(arguments);
            state.print(ScriptStream::Stdout, vec![Piece::Of(Value::Unknown)], at);
            state.status = None;
            next(state)
        }
        "set" => {
            for text in arguments.iter().filter_map(Value::known_text) {
                if text.starts_with('-') && text.contains('e') && !text.starts_with("--") {
                    state.exits_on_error = true;
                }
                if text.starts_with('+') && text.contains('e') {
                    state.exits_on_error = false;
                }
            }
            state.status = Some(0);
            next(state)
        }
        "shift" => {
            walk.told.get_mut().tell_arguments(walk.given);
            for index in 1..16usize {
                let value = state.variable(&(index + 1).to_string()).cloned().unwrap_or(Value::Null);
                state.set(&index.to_string(), value);
            }
            next(state)
        }
        "test" | "[" => {
            let words = arguments.strip_suffix(&[Value::text("]")]).unwrap_or(arguments);
            let (is_negated, words) = match words {
                [not, rest @ ..] if not.known_text().as_deref() == Some("!") => (true, rest),
                other => (false, other),
            };
            let same = match words {
                [left, sign, right] => match sign.known_text().as_deref() {
                    Some(sign @ ("=" | "==" | "!=")) => Some(([left.clone(), right.clone()], sign == "!=")),
                    _ => None,
                },
                _ => None,
            };
            state.status = None;
            if let Some((sides, differs)) = same {
                let holds = walk.compare(ComparisonKind::Equal, &sides, at, &state).is_true();
                state.status = holds.map(|holds| i32::from(holds == (is_negated != differs)));
            }
            next(state)
        }
        quiet if QUIET.contains(&quiet) => {
            walk.any_case |= name == "shopt" && arguments.iter().any(|word| word.ends_with("nocasematch"));
            state.status = Some(0);
            next(state)
        }
        "grep" | "egrep" | "rg" => {
            walk.start(words, false, at);
            state.acted = true;
            let searched = walk.take_stdin(&mut state);
            if let Some(pattern) = printing::searched_pattern(arguments) {
                walk.note_match(&searched, &pattern, at);
            }
            let quiet = arguments.iter().filter_map(Value::known_text).any(|text| {
                text == "--quiet"
                    || text == "--silent"
                    || (text.starts_with('-') && !text.starts_with("--") && text.contains('q'))
            });
            if !quiet {
                state.print(ScriptStream::Stdout, vec![Piece::Of(Value::Unknown)], at);
            }
            state.status = None;
            next(state)
        }
        // What these programs print is made from the payload alone.
        "tr" | "sed" | "head" | "tail" | "sort" | "uniq" | "cut" | "awk" => {
            walk.start(words, false, at);
            state.acted = true;
            let value = walk.take_stdin(&mut state);
            let folds = name == "tr" && arguments.iter().filter_map(Value::known_text).any(|set| changes_case(&set));
            if folds {
                walk.fold(&value);
            }
            let kept = folds || name == "head" && matches!(value, Value::Stdin);
            state.print(
                ScriptStream::Stdout,
                if kept { value.into_pieces() } else { vec![Piece::Of(Value::Unknown)] },
                at,
            );
            state.status = Some(0);
            next(state)
        }
        _ => {
            walk.start(words, false, at);
            state.acted = true;
            if let Some(ends) = interpreters::run(walk, words, at, &state) {
                return ends;
            }
            if !READS_NO_STDIN.contains(&name.rsplit('/').next().unwrap_or(&name)) {
                walk.take_stdin(&mut state);
            }
            if !PRINTS_NOTHING.contains(&name.rsplit('/').next().unwrap_or(&name)) {
                state.print(ScriptStream::Stdout, vec![Piece::Of(Value::Unknown)], at);
            }
            state.status = walk.given_status(words);
            next(state)
        }
    }
}

/// Programs that never read stdin.
const READS_NO_STDIN: [&str; 10] =
    ["uname", "hostname", "whoami", "id", "pwd", "nproc", "basename", "dirname", "mktemp", "ls"];

/// Programs that print nothing on stdout as a rule.
const PRINTS_NOTHING: [&str; 11] =
    ["mkdir", "rm", "mv", "cp", "touch", "chmod", "ln", "sleep", "kill", "notify-send", "osascript"];

/// Whether a set of `tr` is all letters of one case.
fn changes_case(set: &str) -> bool {
    ["A-Z", "a-z", ":upper:", ":lower:"].iter().any(|letters| set.contains(letters)) && !set.contains("0-9")
}
