//! The texts that shells read for a hook: the command of its definition, and its script. Rules go through them word by
//! word, and get places back.

use std::ops::Range;

use crate::diagnostic::{Edit, Fix};
use crate::dialects::{Looked, Script};
use crate::text::shell::{Piece, Quote, Shell, Simple, Word};
use crate::text::{Literal, Span, quoted};

/// A text that a shell reads.
#[derive(Clone, Copy)]
pub(in crate::lint) struct Line<'a> {
    pub shell: &'a Shell,
    /// The name of the shell.
    pub by: &'a str,
    pub text: &'a str,
    from: From<'a>,
}

#[derive(Clone, Copy)]
enum From<'a> {
    Command(&'a Literal),
    Script(&'a Script),
}

/// The command, where a shell reads it.
pub(in crate::lint) fn command<'a>(at: &Looked<'a>) -> Option<Line<'a>> {
    let line = at.written?.line.as_ref()?;
    let from = From::Command(&line.literal);
    Some(Line { shell: &line.shell, by: &line.by, text: &line.literal.text, from })
}

/// The script, where a shell reads it.
pub(in crate::lint) fn script<'a>(at: &Looked<'a>) -> Option<Line<'a>> {
    let script = at.script?;
    let shell = script.shell.as_ref()?;
    Some(Line { shell, by: &script.by, text: &script.text, from: From::Script(script) })
}

/// Both.
pub(in crate::lint) fn lines<'a>(at: &Looked<'a>) -> Vec<Line<'a>> {
    command(at).into_iter().chain(script(at)).collect()
}

impl<'a> Line<'a> {
    /// Where some bytes of it are written.
    pub fn place(&self, range: Range<usize>) -> Span {
        match self.from {
            From::Command(literal) => literal.place(range),
            From::Script(script) => script.span(range.start, range.end),
        }
    }

    /// Whether it is a script of its own.
    pub fn is_script(&self) -> bool {
        matches!(self.from, From::Script(_))
    }

    /// Some bytes of it get another text.
    pub fn edit(&self, range: Range<usize>, text: &str) -> Edit {
        match self.from {
            From::Command(literal) => edit(literal, range, text),
            From::Script(_) => Edit { span: self.place(range), text: text.to_owned() },
        }
    }

    /// The same as a change that may be safe.
    pub fn fix(&self, range: Range<usize>, text: &str, safe: bool) -> Fix {
        Fix { safe, edits: vec![self.edit(range, text)], executable: Vec::new() }
    }

    /// The text of a word as it is written.
    pub fn written(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or("")
    }
}

/// Some bytes of a literal get another text, in the spelling of its quotes.
pub(in crate::lint) fn edit(literal: &Literal, range: Range<usize>, text: &str) -> Edit {
    let span = literal.place(range.clone());
    let inner = quoted(text);
    let inner = inner.get(1..inner.len().saturating_sub(1)).unwrap_or("").to_owned();
    // In double quotes the text stands between them as JSON writes it; else all of it is written anew.
    let double = span.start > literal.span.start && literal.is_double();
    if double {
        return Edit { span, text: inner };
    }
    let mut whole = literal.text.clone();
    if whole.get(range.clone()).is_some() {
        whole.replace_range(range, text);
    }
    Edit { span: literal.span, text: quoted(&whole) }
}

const INTERPRETERS: [&str; 15] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "python",
    "node",
    "ruby",
    "perl",
    "bun",
    "deno",
    "php",
    "tsx",
    "ts-node",
    "osascript",
];

/// Flags of interpreters that take a word of their own.
const VALUED: [&str; 12] =
    ["-W", "-X", "-r", "-I", "-o", "-O", "--require", "--import", "--loader", "--env-file", "--rcfile", "--init-file"];

/// Without a version: `python3.11` is `python`.
pub(in crate::lint) fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// The words of a command that name the file that is run: the program, and the script that an interpreter is given.
pub(in crate::lint) fn run_by(simple: &Simple) -> Vec<&Word> {
    let words = simple.real();
    let Some(first) = words.first() else { return Vec::new() };
    let mut out = vec![first];
    let name = simple.program().unwrap_or_default();
    let sources = matches!(name.as_str(), "source" | ".");
    if sources || INTERPRETERS.contains(&unversioned(&name)) {
        let mut valued = false;
        for word in words.get(1..).unwrap_or(&[]) {
            let text = word.text();
            let run = text == "run" && matches!(name.as_str(), "deno" | "bun");
            if VALUED.contains(&text.as_str()) {
                valued = true;
                continue;
            }
            if std::mem::take(&mut valued)
                || run
                || text.starts_with("--") && !matches!(text.as_str(), "--eval" | "--print")
            {
                continue;
            }
            if let Some(flags) = text.strip_prefix('-').filter(|_| word.constant().is_some()) {
                // What follows is code, a module, or stdin.
                let code = flags.is_empty() || flags.starts_with(['c', 'm', 'e', 'p', '-']) || flags.ends_with('c');
                if code && !sources {
                    return out;
                }
                continue;
            }
            out.push(word);
            break;
        }
    }
    out
}

/// Whether a word begins with something in quotes: its quote, its text, and where that stands.
pub(in crate::lint) fn quoted_start(word: &Word) -> Option<(Quote, &str, Range<usize>)> {
    let first = word.parts.first()?;
    match &first.piece {
        Piece::Text(text) if matches!(first.quote, Quote::Single | Quote::Double) => {
            Some((first.quote, text, first.at.clone()))
        }
        _ => None,
    }
}

/// Whether a program is given a script.
pub(in crate::lint) fn is_interpreter(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    INTERPRETERS.contains(&unversioned(name))
}
