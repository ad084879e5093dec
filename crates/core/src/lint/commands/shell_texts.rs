//! The texts that shells read for a hook: the command of its definition and its script. Rules walk the words of a
//! text and map them back to source spans.

use std::ops::Range;

use hookbench_script::{ScriptSource, is_interpreter, runner_words};

use crate::diagnostic::Fix;
use crate::dialects::{RuleContext, Script};
use crate::text::shell::{PartContent, Quote, Shell, SimpleCommand, Word};
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
    if let Some(inner) = runner_words(words) {
        return std::iter::once(first).chain(executed_of(inner)).collect();
    }
    let name = first.known_text().unwrap_or_default();
    let script = match ScriptSource::of(words) {
        _ if matches!(&*name, "source" | ".") => words.iter().skip(1).find(|word| !word.text().starts_with('-')),
        ScriptSource::File(at) if is_interpreter(&name) => words.get(at),
        _ => None,
    };
    std::iter::once(first).chain(script).collect()
}

/// Returns the name of the variable at the start of a text, the text after it, and whether the name is in braces.
pub(in crate::lint) fn split_variable(text: &str) -> Option<(&str, &str, bool)> {
    let rest = text.strip_prefix('$')?;
    if let Some(inner) = rest.strip_prefix('{') {
        return inner.split_once('}').map(|(name, after)| (name, after, true));
    }
    let end = rest.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(rest.len());
    Some((rest.get(..end)?, rest.get(end..)?, false))
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
