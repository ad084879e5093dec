//! Queries on commands and words.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::{Assignment, PartContent, Quote, Shell, SimpleCommand, VariableExpansion, Word, WordPart};

impl Word {
    /// The text, if the word is one unquoted text.
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [WordPart { quote: Quote::None, piece: PartContent::Text(text), .. }] => Some(text),
            _ => None,
        }
    }

    /// The text, if the word has no parts that are expanded at run time.
    pub fn constant(&self) -> Option<String> {
        self.known_text().map(Cow::into_owned)
    }

    /// The same, borrowed where it is one part.
    pub fn known_text(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [WordPart { piece: PartContent::Text(text), .. }] => Some(Cow::Borrowed(text)),
            parts => {
                parts.iter().all(|part| matches!(part.piece, PartContent::Text(_))).then(|| Cow::Owned(self.text()))
            }
        }
    }

    /// The text without the parts that are expanded at run time.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match &part.piece {
            PartContent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The variables in the word, each with its part, which has the quoting.
    pub fn variables(&self) -> impl Iterator<Item = (&WordPart, &VariableExpansion)> {
        self.parts.iter().filter_map(|part| match &part.piece {
            PartContent::Variable(variable) => Some((part, variable)),
            _ => None,
        })
    }

    /// The command substitutions in the word, as ranges of commands.
    pub fn substitutions(&self) -> impl Iterator<Item = Range<usize>> {
        self.parts.iter().filter_map(|part| match &part.piece {
            PartContent::Substitution(range) | PartContent::Process(range) => Some(range.clone()),
            _ => None,
        })
    }

    /// Parses `NAME=value`, `NAME+=value` or `NAME[0]=value`.
    pub(super) fn assignment(&self) -> Option<Assignment> {
        let (first, rest) = self.parts.split_first()?;
        let WordPart { quote: Quote::None, piece: PartContent::Text(text), at } = first else { return None };
        let (left, right) = text.split_once('=')?;
        let left = left.strip_suffix('+').unwrap_or(left);
        let name = left.split('[').next().unwrap_or(left);
        let indexed = name.len() == left.len() || left.ends_with(']');
        let starts = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
        if !starts || !indexed || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return None;
        }
        let from = at.end.saturating_sub(right.len());
        let mut parts = Vec::new();
        if !right.is_empty() {
            let piece = PartContent::Text(right.to_owned());
            parts.push(WordPart { at: from..at.end, quote: Quote::None, piece });
        }
        parts.extend(rest.iter().cloned());
        Some(Assignment { name: name.to_owned(), value: Word { at: from..self.at.end, parts } })
    }
}

/// Programs that start another program, given as their arguments.
const WRAPPERS: [&str; 11] =
    ["env", "command", "exec", "nohup", "nice", "time", "sudo", "builtin", "timeout", "stdbuf", "setsid"];
/// Options of these programs that take a value.
const VALUED: [&str; 8] = ["-u", "-n", "-s", "-k", "-C", "-o", "-i", "-S"];

/// Programs that run another program, given by the words after this one, each with its own command: `uv run x.py`.
pub const RUNNERS: [(&str, &str); 8] = [
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("rye", "run"),
    ("hatch", "run"),
    ("npx", ""),
    ("bunx", ""),
];
/// Flags of [`RUNNERS`] that take a value as the next word.
pub const RUNNER_FLAGS: [&str; 10] = [
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

impl SimpleCommand {
    /// The first word, if it is constant.
    pub fn name(&self) -> Option<&str> {
        match self.words.first()?.parts.as_slice() {
            [WordPart { piece: PartContent::Text(text), .. }] => Some(text),
            _ => None,
        }
    }

    /// The words from the actual program on, without wrappers such as `env A=b` and `timeout 5`.
    pub fn unwrapped_words(&self) -> &[Word] {
        let mut words = self.words.as_slice();
        loop {
            let Some(name) = words.first().and_then(Word::known_text) else { return words };
            let base = name.rsplit('/').next().unwrap_or(&name);
            if !WRAPPERS.contains(&base) {
                return words;
            }
            let mut rest = words.get(1..).unwrap_or(&[]);
            while let Some(word) = rest.first() {
                let text = word.text();
                if text == "-v" || text == "-V" {
                    return words;
                }
                let valued = VALUED.contains(&text.as_str()) && base != "exec" && !(base == "env" && text == "-i");
                let flag = text.starts_with('-') || base == "env" && word.assignment().is_some();
                if !flag {
                    break;
                }
                rest = rest.get(if valued { 2 } else { 1 }..).unwrap_or(&[]);
            }
            if base == "timeout" {
                rest = rest.get(1..).unwrap_or(&[]);
            }
            if rest.is_empty() {
                return words;
            }
            words = rest;
        }
    }

    /// The name of the actual program, without its directory.
    pub fn program_name(&self) -> Option<String> {
        let name = self.unwrapped_words().first()?.known_text()?;
        Some(name.rsplit('/').next().unwrap_or(&name).to_owned())
    }

    /// A text in single quotes that a shell executes: `sh -c '…'`, `eval '…'`, `trap '…' EXIT`.
    pub fn inner_text(&self) -> Option<(String, Range<usize>)> {
        let words = self.unwrapped_words();
        let name = self.program_name()?;
        let word = match name.as_str() {
            "eval" | "trap" => words.get(1)?,
            "sh" | "bash" | "dash" | "zsh" | "ksh" => {
                let flag = |w: &Word| {
                    w.plain().is_some_and(|t| t.starts_with('-') && !t.starts_with("--") && t.ends_with('c'))
                };
                words.get(words.iter().position(flag)? + 1)?
            }
            _ => return None,
        };
        match word.parts.as_slice() {
            [WordPart { quote: Quote::Single, at, .. }] => Some((name, at.clone())),
            _ => None,
        }
    }
}

impl Shell {
    /// All words of all commands, including redirections and assignments.
    pub fn words(&self) -> impl Iterator<Item = (&SimpleCommand, &Word)> {
        self.commands.iter().flat_map(|simple| {
            let sets = simple.assignments.iter().map(|set| &set.value);
            let targets = simple.redirections.iter().flat_map(|r| [Some(&r.target), r.body.as_ref()]).flatten();
            simple.words.iter().chain(sets).chain(targets).map(move |word| (simple, word))
        })
    }

    /// The variables that the text sets, by any means.
    pub fn assigned_variables(&self) -> BTreeSet<&str> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for simple in &self.commands {
            names.extend(simple.assignments.iter().map(|set| set.name.as_str()));
            let program = simple.name().unwrap_or("");
            if matches!(
                program,
                "read" | "mapfile" | "readarray" | "getopts" | "printf" | "export" | "local" | "declare" | "unset"
            ) {
                names.extend(simple.words.iter().skip(1).filter_map(Word::plain));
            }
        }
        for (_, word) in self.words() {
            let defaults = word.variables().filter(|(_, v)| v.rest.starts_with(":=") || v.rest.starts_with('='));
            names.extend(defaults.map(|(_, v)| v.name.as_str()));
        }
        names
    }
}
