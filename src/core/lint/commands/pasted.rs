//! HW418: an answer in JSON that is put together out of text and variables.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{self, Line};
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;
use crate::core::text::Span;
use crate::core::text::shell::{Piece, Quote, Simple, Word};

/// Programs whose output has no quote in it.
const HARMLESS: [&str; 14] = [
    "date",
    "wc",
    "nproc",
    "id",
    "uname",
    "hostname",
    "whoami",
    "expr",
    "bc",
    "sha256sum",
    "md5sum",
    "stat",
    "seq",
    "mktemp",
];

/// Each place once.
pub(super) fn look(at: &Looked<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in lines::lines(at) {
        for simple in &line.shell.commands {
            found.extend(one(line, simple).map(say));
        }
    }
    found.extend(in_code(at).map(say));
    found
}

fn say((place, what): (Span, String)) -> Diagnostic {
    let says = format!(
        "{what} is pasted into JSON: a quote or a line break in it breaks the answer, and a broken answer decides nothing"
    );
    Diagnostic::warning("HW418", says).at(place).help("let jq write it: jq -n --arg reason \"$reason\" '{…: $reason}'")
}

/// What is printed by this command as JSON with something of unknown content between quotes.
fn one(line: Line<'_>, simple: &Simple) -> Option<(Span, String)> {
    let words = simple.real();
    let (program, rest) = words.split_first()?;
    match program.plain()? {
        "echo" => rest.iter().find_map(|word| inside(line, word)),
        "printf" => {
            let (format, values) = rest.split_first()?;
            if let Some(found) = inside(line, format) {
                return Some(found);
            }
            let text = format.constant().filter(|text| is_object(text))?;
            // The n-th `%s` between quotes takes the n-th value.
            let mut value = values.iter();
            let mut quoted = false;
            let mut chars = text.chars().peekable();
            while let Some(c) = chars.next() {
                match c {
                    '\\' => {
                        chars.next();
                    }
                    '"' => quoted = !quoted,
                    '%' if chars.peek() == Some(&'%') => {
                        chars.next();
                    }
                    '%' => {
                        let Some(word) = value.next() else { continue };
                        let string = text_format(&mut chars);
                        if quoted && string && open(line, word) {
                            return Some((line.place(word.at.clone()), line.written(&word.at).to_owned()));
                        }
                    }
                    _ => {}
                }
            }
            None
        }
        "cat" => {
            let body = simple.redirections.iter().find_map(|r| r.body.as_ref())?;
            inside(line, body)
        }
        _ => None,
    }
}

/// Whether a format writes a text as it is.
fn text_format(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    chars.find(|c| c.is_ascii_alphabetic()) == Some('s')
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\":")
        || text.trim_start().starts_with('{') && text.contains("\" :")
}

/// The first part of a word between quotes of JSON that may hold anything.
fn inside(line: Line<'_>, word: &Word) -> Option<(Span, String)> {
    if !is_object(&word.text()) {
        return None;
    }
    let mut quoted = false;
    for part in &word.parts {
        match &part.piece {
            Piece::Text(text) => {
                let mut chars = text.chars();
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        '"' => quoted = !quoted,
                        _ => {}
                    }
                }
            }
            Piece::Arithmetic | Piece::Process(_) => {}
            Piece::Variable(_) | Piece::Substitution(_) if !quoted || part.quote == Quote::Single => {}
            _ => {
                let only = Word { at: part.at.clone(), parts: vec![part.clone()] };
                if open(line, &only) {
                    return Some((line.place(part.at.clone()), line.written(&part.at).to_owned()));
                }
            }
        }
    }
    None
}

/// Whether the value of a word may have a quote in it.
fn open(line: Line<'_>, word: &Word) -> bool {
    word.parts.iter().any(|part| match &part.piece {
        Piece::Variable(variable) => {
            let number = variable.length
                || variable.name.bytes().all(|c| b"0123456789?#$!".contains(&c)) && !is_argument(line, &variable.name);
            let replaced = variable.rest.starts_with("//") || variable.rest.starts_with('@');
            !number && !replaced && variable_is_open(line, &variable.name)
        }
        Piece::Substitution(range) => range
            .clone()
            .any(|n| line.shell.commands.get(n).is_some_and(|c| output_is_open(line, c, range.end - 1 == n))),
        _ => false,
    })
}

/// `$1` is what a function is given.
fn is_argument(line: Line<'_>, name: &str) -> bool {
    !line.shell.functions.is_empty() && name.bytes().all(|c| c.is_ascii_digit()) && name != "0"
}

/// Whether some value that the text gives the variable may have a quote in it. What it does not set itself is the user's.
fn variable_is_open(line: Line<'_>, name: &str) -> bool {
    let sets = || line.shell.commands.iter().flat_map(|simple| simple.sets.iter().map(move |set| (simple, set)));
    let mut values = sets().filter(|(_, set)| set.name == name).peekable();
    if values.peek().is_none() {
        let read = line.shell.assigned().contains(name);
        return read || is_argument(line, name);
    }
    values.any(|(_, set)| {
        set.value.parts.iter().any(|part| match &part.piece {
            Piece::Substitution(range) => range
                .clone()
                .any(|n| line.shell.commands.get(n).is_some_and(|c| output_is_open(line, c, range.end - 1 == n))),
            Piece::Variable(v) if v.name != name => {
                !v.length && !v.rest.starts_with("//") && variable_is_open_once(line, &v.name, name)
            }
            Piece::Text(text) => text.contains('"'),
            _ => false,
        })
    })
}

/// The same one step further, so that circles end.
fn variable_is_open_once(line: Line<'_>, name: &str, from: &str) -> bool {
    let sets =
        line.shell.commands.iter().flat_map(|simple| &simple.sets).filter(|set| set.name == name && name != from);
    sets.flat_map(|set| &set.value.parts).any(|part| match &part.piece {
        Piece::Substitution(range) => range
            .clone()
            .any(|n| line.shell.commands.get(n).is_some_and(|c| output_is_open(line, c, range.end - 1 == n))),
        _ => false,
    })
}

/// Whether what the last command of a substitution prints may have a quote in it.
fn output_is_open(line: Line<'_>, simple: &Simple, last: bool) -> bool {
    if !last {
        return false;
    }
    let Some(program) = simple.program() else { return true };
    let words: Vec<String> = simple.words.iter().map(Word::text).collect();
    let any = |needle: &str| words.iter().any(|word| word.contains(needle));
    match program.as_str() {
        // Whole JSON values in place of text are written as JSON.
        "jq" => {
            !(any("@json")
                || any("tojson")
                || words.iter().any(|w| w.starts_with("-R") || w == "-Rs" || w.contains("length")))
        }
        "sed" | "tr" | "awk" | "python" | "python3" | "node" | "perl" => false,
        "git" => !any("rev-parse") && !any("rev-list"),
        "grep" => !words.iter().any(|w| w.starts_with('-') && w.contains('c')),
        name if HARMLESS.contains(&name) => false,
        name => !(name.contains("escape") || name.contains("json") || line.shell.functions.contains(name)),
    }
}

static FORMATTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"print\(\s*(?:f'\{\{\s*"[^'\n]*":\s*"[^"'\n]*(\{[^}'\n]+\})[^'\n]*'|'\{\s*"[^'\n]*":\s*"[^"'\n]*'\s*(\+\s*[\w.]+))"#).ok()
});

/// The same in Python: an f-string, or texts that are added up.
fn in_code(at: &Looked<'_>) -> impl Iterator<Item = (Span, String)> {
    let script = at.script.filter(|script| script.by == "python");
    let found = script.into_iter().flat_map(|script| {
        let found = FORMATTED.iter().flat_map(|pattern| pattern.captures_iter(&script.text));
        found
            .filter_map(|found| found.get(1).or(found.get(2)))
            .map(|found| (script.span(found.start(), found.end()), found.as_str().to_owned()))
            .collect::<Vec<_>>()
    });
    found.collect::<Vec<_>>().into_iter()
}
