//! HW418: a JSON answer that is assembled from text and variables.

use std::sync::LazyLock;

use regex::Regex;

use super::shell_texts::{self, ShellText};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::text::shell::{Assignment, PartContent, Quote, SimpleCommand, Word, WordPart};
use crate::text::{Span, ascii_regex};

/// Programs whose output contains no quotes.
const HARMLESS: [&str; 16] = [
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
    "pwd",
    "dirname",
];

/// Reports each place once.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in shell_texts::new_lines(at) {
        for (number, simple) in line.shell.commands.iter().enumerate() {
            // Few commands print such a value; whether the output is the hook's costs a look at all commands.
            let value = unescaped_value(line, simple).filter(|_| is_hook_output(line, number, simple));
            found.extend(value.map(|value| finding(value, "sh")));
        }
    }
    found.extend(unescaped_in_python(at).map(|one| finding(one, "python")));
    // Group the findings by file: one file usually prints in one way.
    for one in &mut found {
        one.cause = one.span.map(|span| at.agent.sources.path(span.source).to_owned());
    }
    found
}

fn finding((place, what): (Span, String), by: &str) -> Diagnostic {
    let says = format!(
        "{what} is inserted into JSON unescaped: a quote or a line break in it makes the answer invalid, and an invalid answer is ignored"
    );
    let help = match by {
        "python" => "build the object and print json.dumps(answer)",
        _ => "build it with jq: jq -n --arg reason \"$reason\" '{…: $reason}'",
    };
    Diagnostic::new(Code::HW418, says).at(place).with_help(help)
}

/// Whether the output of a command is the output of the hook and does not go to a file, another command or a
/// variable.
fn is_hook_output(line: ShellText<'_>, number: usize, simple: &SimpleCommand) -> bool {
    let away =
        |operator: &str, target: &str| operator.starts_with('>') && !target.starts_with('1') && target != "/dev/stdout";
    let filed = simple.redirections.iter().any(|r| away(&r.operator, &r.target.text()));
    let read = line.shell.commands.iter().any(|other| other.piped_from == Some(number));
    let kept = line.shell.words().any(|(_, word)| word.substitutions().any(|range| range.contains(&number)));
    !filed && !read && !kept
}

/// Returns the unescaped value if this command prints JSON with one between quotes.
fn unescaped_value(line: ShellText<'_>, simple: &SimpleCommand) -> Option<(Span, String)> {
    let words = simple.unwrapped_words();
    let (program, rest) = words.split_first()?;
    match program.plain()? {
        "echo" => rest.iter().find_map(|word| unescaped_part(line, word)),
        "printf" => {
            let (format, values) = rest.split_first()?;
            if let Some(found) = unescaped_part(line, format) {
                return Some(found);
            }
            let text = format.constant().filter(|text| is_object(text))?;
            // The n-th `%s` inside quotes takes the n-th value.
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
                        if quoted && string && may_contain_quote(line, word, 0) {
                            return Some((line.span_of(word.at.clone()), line.source_text(&word.at).to_owned()));
                        }
                    }
                    _ => {}
                }
            }
            None
        }
        "cat" => {
            let body = simple.redirections.iter().find_map(|r| r.body.as_ref())?;
            unescaped_part(line, body)
        }
        _ => None,
    }
}

/// Whether a format prints its argument as text.
fn text_format(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    chars.find(|c| c.is_ascii_alphabetic()) == Some('s')
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\":")
        || text.trim_start().starts_with('{') && text.contains("\" :")
}

/// Returns the first part of a word that is inside JSON quotes and may contain anything.
fn unescaped_part(line: ShellText<'_>, word: &Word) -> Option<(Span, String)> {
    if !is_object(&word.text()) {
        return None;
    }
    let mut quoted = false;
    for part in &word.parts {
        match &part.piece {
            PartContent::Text(text) => {
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
            PartContent::Arithmetic | PartContent::Process(_) => {}
            PartContent::Variable(_) | PartContent::Substitution(_) if !quoted || part.quote == Quote::Single => {}
            _ => {
                let only = Word { at: part.at.clone(), parts: vec![part.clone()] };
                if may_contain_quote(line, &only, 0) {
                    return Some((line.span_of(part.at.clone()), line.source_text(&part.at).to_owned()));
                }
            }
        }
    }
    None
}

/// The number of steps that a value is traced back.
const STEPS: usize = 4;

/// Whether the value of a word may contain a quote.
fn may_contain_quote(line: ShellText<'_>, word: &Word, step: usize) -> bool {
    step < STEPS
        && word.parts.iter().any(|part| match &part.piece {
            PartContent::Variable(variable) => {
                let replaced = variable.rest.starts_with("//") || variable.rest.starts_with('@');
                !variable.length && !replaced && variable_may_contain_quote(line, &variable.name, step)
            }
            PartContent::Substitution(range) => substitution_may_print_quote(line, range),
            _ => false,
        })
}

/// Whether a value that the script assigns to the variable may contain a quote. Variables that it does not set are
/// the user's.
fn variable_may_contain_quote(line: ShellText<'_>, name: &str, step: usize) -> bool {
    if let Ok(number) = name.parse::<usize>() {
        // For a function argument, check the calls of the functions.
        let calls = line.shell.commands.iter().filter(|c| c.name().is_some_and(|n| line.shell.functions.contains(n)));
        return number > 0
            && calls.filter_map(|call| call.words.get(number)).any(|word| may_contain_quote(line, word, step + 1));
    }
    if matches!(name, "*" | "@") {
        let calls = line.shell.commands.iter().filter(|c| c.name().is_some_and(|n| line.shell.functions.contains(n)));
        return calls.flat_map(|call| call.words.iter().skip(1)).any(|word| may_contain_quote(line, word, step + 1));
    }
    if is_number(line, name) {
        return false;
    }
    let mut values =
        line.shell.commands.iter().flat_map(|simple| &simple.assignments).filter(|set| set.name == name).peekable();
    if values.peek().is_none() {
        return line.shell.assigned_variables().contains(name);
    }
    // A variable that also gets the result of a calculation is a number.
    let calculated =
        |set: &Assignment| matches!(set.value.parts.as_slice(), [one] if matches!(one.piece, PartContent::Arithmetic));
    if values.clone().any(calculated) {
        return false;
    }
    values.any(|set| {
        let own = |part: &&WordPart| !matches!(&part.piece, PartContent::Variable(variable) if variable.name == name);
        let rest = Word { at: set.value.at.clone(), parts: set.value.parts.iter().filter(own).cloned().collect() };
        rest.text().contains('"') || may_contain_quote(line, &rest, step + 1)
    })
}

/// Whether the script compares the variable as a number, which fails with any other text.
fn is_number(line: ShellText<'_>, name: &str) -> bool {
    let holds = |word: &Word| matches!(&word.parts[..], [part] if matches!(&part.piece, PartContent::Variable(variable) if variable.name == name));
    line.shell.commands.iter().any(|simple| {
        let compares = |words: &[Word]| {
            let [left, sign, right] = words else { return false };
            let sign = sign.plain().is_some_and(|sign| ["-eq", "-ne", "-gt", "-ge", "-lt", "-le"].contains(&sign));
            sign && (holds(left) || holds(right))
        };
        simple.words.windows(3).any(compares)
    })
}

/// Whether a command of a substitution whose output is not piped on may print a quote.
fn substitution_may_print_quote(line: ShellText<'_>, range: &std::ops::Range<usize>) -> bool {
    let inside = || range.clone().filter_map(|n| Some((n, line.shell.commands.get(n)?)));
    inside().any(|(number, simple)| {
        let read = inside().any(|(_, other)| other.piped_from == Some(number));
        let deeper = inside().any(|(n, other)| {
            n != number && other.words.iter().flat_map(Word::substitutions).any(|range| range.contains(&number))
        });
        !read && !deeper && !is_cleaned(line, simple) && output_may_contain_quote(line, simple)
    })
}

/// Whether an earlier program of the same pipe replaces or removes characters, and the later ones only choose among them.
fn is_cleaned(line: ShellText<'_>, simple: &SimpleCommand) -> bool {
    let chooses =
        simple.program_name().is_some_and(|name| ["cut", "head", "tail", "sort", "uniq"].contains(&name.as_str()));
    let before = simple.piped_from.filter(|_| chooses).and_then(|number| line.shell.commands.get(number));
    before.is_some_and(|before| {
        before.program_name().is_some_and(|name| ["tr", "sed"].contains(&name.as_str())) || is_cleaned(line, before)
    })
}

/// Whether the output of the last command of a substitution may contain a quote.
fn output_may_contain_quote(line: ShellText<'_>, simple: &SimpleCommand) -> bool {
    let Some(program) = simple.program_name() else { return true };
    let words: Vec<String> = simple.words.iter().map(Word::text).collect();
    let any = |needle: &str| words.iter().any(|word| word.contains(needle));
    match program.as_str() {
        // jq writes whole JSON values escaped.
        "jq" => {
            !(any("@json")
                || any("tojson")
                || words.iter().any(|w| w.starts_with("-R") || w == "-Rs" || w.contains("length")))
        }
        "true" | ":" | "false" | "exit" | "cd" | "read" | "[" | "test" => false,
        "echo" | "printf" => simple.words.iter().skip(1).any(|word| may_contain_quote(line, word, STEPS - 1)),
        "sed" | "tr" | "awk" | "python" | "python3" | "node" | "perl" => false,
        "git" => !any("rev-parse") && !any("rev-list"),
        "grep" => !words.iter().any(|w| w.starts_with('-') && w.contains('c')),
        name if HARMLESS.contains(&name) => false,
        name => !(name.contains("escape") || name.contains("json") || line.shell.functions.contains(name)),
    }
}

static FORMATTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"print\(\s*(?:f'\{\{\s*"[^'\n]*":\s*"[^"'\n]*(\{[^}'\n]+\})[^'\n]*'|'\{\s*"[^'\n]*":\s*"[^"'\n]*'\s*(\+\s*[\w.]+))"#,
    )
});

/// The same for Python: f-strings and concatenated strings.
fn unescaped_in_python(at: &RuleContext<'_>) -> impl Iterator<Item = (Span, String)> {
    let script = at.new_script().filter(|script| script.interpreter == "python");
    let found = script.into_iter().flat_map(|script| {
        let found = FORMATTED.iter().flat_map(|pattern| pattern.captures_iter(&script.text));
        found
            .filter_map(|found| found.get(1).or(found.get(2)))
            .map(|found| (script.span(found.start(), found.end()), found.as_str().to_owned()))
            .collect::<Vec<_>>()
    });
    found.collect::<Vec<_>>().into_iter()
}
