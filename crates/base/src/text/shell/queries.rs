//! Queries on commands and words.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use hookbench_script::{CommandWord, ScriptSource, is_shell, is_variable_name};

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
        self.is_known().then(|| self.known_part())
    }

    /// The text without the parts that are expanded at run time.
    pub fn text(&self) -> String {
        self.known_part().into_owned()
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
        if !indexed || !is_variable_name(name) {
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

impl CommandWord for Word {
    fn known_part(&self) -> Cow<'_, str> {
        if let [WordPart { piece: PartContent::Text(text), .. }] = self.parts.as_slice() {
            return Cow::Borrowed(text);
        }
        let texts = self.parts.iter().filter_map(|part| match &part.piece {
            PartContent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    fn is_known(&self) -> bool {
        self.parts.iter().all(|part| matches!(part.piece, PartContent::Text(_)))
    }
}

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
        hookbench_script::unwrapped_words(&self.words)
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
        let word = match ScriptSource::of(words) {
            _ if matches!(name.as_str(), "eval" | "trap") => words.get(1)?,
            ScriptSource::Text(at) if is_shell(&name) => words.get(at)?,
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
