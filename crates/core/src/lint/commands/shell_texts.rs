//! The texts that shells read for a hook: the command of its definition and its script. Rules walk the words of a
//! text and map them back to source spans.

use std::ops::Range;

use crate::diagnostic::Fix;
use crate::dialects::{RuleContext, Script};
use crate::text::shell::{PartContent, Quote, RUNNER_FLAGS, RUNNERS, Shell, SimpleCommand, Word};
use crate::text::{Literal, Span, quote_literal};

/// A text that a shell reads.
#[derive(Clone, Copy)]
pub(in crate::lint) struct ShellText<'a> {
    pub shell: &'a Shell,
    /// The name of the shell.
    pub by: &'a str,
    pub text: &'a str,
    from: TextSource<'a>,
}

#[derive(Clone, Copy)]
enum TextSource<'a> {
    Command(&'a Literal),
    Script(&'a Script),
}

/// Returns the command if a shell reads it.
pub(in crate::lint) fn command<'a>(at: &RuleContext<'a>) -> Option<ShellText<'a>> {
    let line = at.written?.shell_line.as_ref()?;
    let from = TextSource::Command(&line.literal);
    Some(ShellText { shell: &line.shell, by: &line.shell_name, text: &line.literal.text, from })
}

/// Returns the script if a shell reads it.
pub(in crate::lint) fn script<'a>(at: &RuleContext<'a>) -> Option<ShellText<'a>> {
    let script = at.script?;
    let shell = script.shell.as_ref()?;
    Some(ShellText { shell, by: &script.interpreter, text: &script.text, from: TextSource::Script(script) })
}

/// Returns the command and the script, if a shell reads them.
pub(in crate::lint) fn lines<'a>(at: &RuleContext<'a>) -> Vec<ShellText<'a>> {
    command(at).into_iter().chain(script(at)).collect()
}

/// [`lines`] without the script if an earlier hook starts it, too: for rules to which the event is the same.
pub(in crate::lint) fn new_lines<'a>(at: &RuleContext<'a>) -> Vec<ShellText<'a>> {
    if at.repeats_script { command(at).into_iter().collect() } else { lines(at) }
}

impl<'a> ShellText<'a> {
    /// Returns the span of a byte range of the text.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        match self.from {
            TextSource::Command(literal) => literal.place(range),
            TextSource::Script(script) => script.span(range.start, range.end),
        }
    }

    /// Whether the text is a separate script.
    pub fn is_script(&self) -> bool {
        matches!(self.from, TextSource::Script(_))
    }

    /// Returns the fix that replaces a byte range of the text.
    pub fn fix(&self, range: Range<usize>, text: &str, safe: bool) -> Fix {
        let fix = match self.from {
            TextSource::Command(literal) => rewrite_part(literal, range, text),
            TextSource::Script(_) => Fix::proposal(self.span_of(range), text),
        };
        Fix { safe, ..fix }
    }

    /// Returns a range of the source text.
    pub fn source_text(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or("")
    }
}

/// Returns the proposal that replaces the text of a literal, with the quoting of that literal.
pub(in crate::lint) fn rewrite(literal: &Literal, text: &str) -> Fix {
    rewrite_part(literal, 0..literal.text.len(), text)
}

fn rewrite_part(literal: &Literal, range: Range<usize>, text: &str) -> Fix {
    let span = literal.place(range.clone());
    let inner = quote_literal(text);
    let inner = inner.get(1..inner.len().saturating_sub(1)).unwrap_or("").to_owned();
    // In double quotes, the replacement is escaped like JSON. Other literals are rewritten completely.
    let double = span.start > literal.span.start && literal.is_double();
    if double {
        return Fix::proposal(span, inner);
    }
    let mut whole = literal.text.clone();
    if whole.get(range.clone()).is_some() {
        whole.replace_range(range, text);
    }
    Fix::proposal(literal.span, quote_literal(&whole))
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

/// Interpreter flags that take a value.
const VALUED: [&str; 12] =
    ["-W", "-X", "-r", "-I", "-o", "-O", "--require", "--import", "--loader", "--env-file", "--rcfile", "--init-file"];

/// Removes the version from a program name: `python3.11` becomes `python`.
pub(in crate::lint) fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Programs that print the files that they are given.
const READERS: [&str; 3] = ["cat", "head", "tail"];

/// Returns the words of a command that name files that it reads, if its program only prints them.
pub(in crate::lint) fn read_words(simple: &SimpleCommand) -> Vec<&Word> {
    let reads = simple.program_name().is_some_and(|name| READERS.contains(&name.as_str()));
    let words = simple.unwrapped_words();
    let is_file = |word: &&Word| {
        let text = word.text();
        !text.is_empty() && !text.starts_with('-') && text.parse::<u64>().is_err()
    };
    words.iter().skip(1).filter(|_| reads).filter(is_file).collect()
}

/// Whether a command changes the directory for those after it. `cd "$PWD"` and `cd .` do not.
pub(in crate::lint) fn changes_directory(simple: &SimpleCommand) -> bool {
    let program = simple.program_name().unwrap_or_default();
    let stays = || match simple.unwrapped_words() {
        [_, to] => to.text() == "." || directory_part(to).is_some_and(|rest| rest.is_empty()),
        _ => false,
    };
    matches!(program.as_str(), "pushd" | "popd") || program == "cd" && !stays()
}

/// The rest of a word that begins with the current directory: `/x` of `"$PWD"/x`. `None` for any other word.
pub(in crate::lint) fn directory_part(word: &Word) -> Option<String> {
    let (first, rest) = word.parts.split_first()?;
    let PartContent::Variable(variable) = &first.piece else { return None };
    if variable.name != "PWD" || !variable.rest.is_empty() || variable.length {
        return None;
    }
    let texts = rest.iter().map(|part| match &part.piece {
        PartContent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Option<String>>()
}

/// Returns the words of a command that name the executed file: the program, and the script of an interpreter.
pub(in crate::lint) fn executed_words(simple: &SimpleCommand) -> Vec<&Word> {
    executed_of(simple.unwrapped_words())
}

fn executed_of(words: &[Word]) -> Vec<&Word> {
    let Some(first) = words.first() else { return Vec::new() };
    let mut out = vec![first];
    let name = first.known_text().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    if let Some(inner) = runner_words(name, words) {
        out.extend(executed_of(inner));
        return out;
    }
    let sources = matches!(name, "source" | ".");
    if sources || INTERPRETERS.contains(&without_version(name)) {
        let mut valued = false;
        for word in words.get(1..).unwrap_or(&[]) {
            let text = word.text();
            let run = text == "run" && matches!(name, "deno" | "bun");
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
                // Code, a module or stdin follows.
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

/// The words after those of a program that runs another one, such as `uv run --script`.
fn runner_words<'w>(name: &str, words: &'w [Word]) -> Option<&'w [Word]> {
    let (_, command) = RUNNERS.iter().find(|(runner, _)| *runner == name)?;
    let mut at = 1;
    let mut is_open = !command.is_empty();
    loop {
        let text = words.get(at)?.text();
        match text {
            _ if RUNNER_FLAGS.contains(&text.as_str()) => at += 2,
            _ if text.starts_with('-') => at += 1,
            _ if is_open && text == *command => {
                is_open = false;
                at += 1;
            }
            _ => break,
        }
    }
    if is_open { None } else { words.get(at..) }
}

/// Returns the quote, the text and the range of a word's first part if it is quoted.
pub(in crate::lint) fn quoted_start(word: &Word) -> Option<(Quote, &str, Range<usize>)> {
    let first = word.parts.first()?;
    match &first.piece {
        PartContent::Text(text) if matches!(first.quote, Quote::Single | Quote::Double) => {
            Some((first.quote, text, first.at.clone()))
        }
        _ => None,
    }
}

/// Whether a program runs scripts.
pub(in crate::lint) fn is_interpreter(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    INTERPRETERS.contains(&without_version(name))
}
