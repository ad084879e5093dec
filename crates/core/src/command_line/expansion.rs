//! Expands words like a shell, as far as their values are known without running anything.

use super::ResolvedWord;
use super::line_walk::{DEEPEST, LineWalk};
use crate::text::shell::{self, PartContent, Quote, Shell, VariableExpansion, WordPart};

/// The longest value that is followed, in bytes.
const LONGEST: usize = 1 << 16;

/// Variables that shells set to values that are unknown here.
const OF_SHELLS: [&str; 12] = [
    "RANDOM",
    "SECONDS",
    "LINENO",
    "SHLVL",
    "PPID",
    "UID",
    "EUID",
    "IFS",
    "HOSTNAME",
    "OLDPWD",
    "BASH_SOURCE",
    "FUNCNAME",
];

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VariableValue {
    Unset,
    Is(String),
    /// Only the shell knows it.
    Unknown,
}

impl VariableValue {
    /// The value, if the variable is set.
    pub fn set(self) -> Option<String> {
        match self {
            VariableValue::Is(text) => Some(text),
            VariableValue::Unset | VariableValue::Unknown => None,
        }
    }

    /// The expansion: empty if the variable is unset, `None` if only the shell knows the value.
    pub fn text(self) -> Option<String> {
        match self {
            VariableValue::Is(text) => Some(text),
            VariableValue::Unset => Some(String::new()),
            VariableValue::Unknown => None,
        }
    }
}

impl LineWalk<'_> {
    /// Expands one word of a command.
    pub(super) fn expand(&mut self, parsed: &Shell, word: &shell::Word) -> ResolvedWord {
        let mut out = ResolvedWord { text: String::new(), exact: true };
        for (index, part) in word.parts.iter().enumerate() {
            let piece = match &part.piece {
                PartContent::Text(text) => self.plain(text, part, index == 0),
                PartContent::Variable(variable) => self.variable_text(variable),
                PartContent::Substitution(range) => self.substitution(parsed, range.clone()),
                PartContent::Process(_) | PartContent::Arithmetic => None,
            };
            match piece {
                Some(text) => out.text.push_str(&text),
                None => out.exact = false,
            }
            if part.quote == Quote::None && matches!(&part.piece, PartContent::Text(text) if text.contains(['*', '?']))
            {
                out.exact = false;
            }
        }
        // Assignments such as `A=$A$A` double a value.
        if out.text.len() > LONGEST {
            return ResolvedWord { text: String::new(), exact: false };
        }
        out
    }

    fn plain(&self, text: &str, part: &WordPart, first: bool) -> Option<String> {
        let home = first && part.quote == Quote::None;
        match text.strip_prefix('~').filter(|rest| home && (rest.is_empty() || rest.starts_with('/'))) {
            Some(rest) => Some(format!("{}{rest}", self.value("HOME").text()?)),
            None => Some(text.to_owned()),
        }
    }

    /// The value of a variable.
    pub(super) fn value(&self, name: &str) -> VariableValue {
        let known = |value: Option<String>| value.map_or(VariableValue::Unknown, VariableValue::Is);
        if let Some(own) = self.vars.get(name) {
            return known(own.clone());
        }
        if let Ok(number) = name.parse::<usize>() {
            return self.arguments.get(number).cloned().map_or(VariableValue::Unset, VariableValue::Is);
        }
        match name {
            "PWD" => known(self.cwd.clone()),
            _ if OF_SHELLS.contains(&name) || !name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) => {
                VariableValue::Unknown
            }
            _ => self.context.variable(name).map_or(VariableValue::Unset, VariableValue::Is),
        }
    }

    /// Expands `$NAME`, `${NAME:-…}` and the other forms with a known result.
    fn variable_text(&mut self, variable: &VariableExpansion) -> Option<String> {
        let value = match self.value(&variable.name) {
            VariableValue::Unknown => return None,
            known => known.set(),
        };
        // The first value of a list is that of its name.
        let rest = variable.rest.strip_prefix("[0]").unwrap_or(&variable.rest);
        if variable.length || variable.name.is_empty() {
            return None;
        }
        let (colon, operator) = match rest.strip_prefix(':') {
            Some(operator) => (true, operator),
            None => (false, rest),
        };
        let set = value.clone().filter(|value| !colon || !value.is_empty());
        let mut kinds = operator.chars();
        match (kinds.next(), colon) {
            (None, false) => {
                let named = variable.name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
                if value.is_none() && named && !self.unset.contains(&variable.name) {
                    self.unset.push(variable.name.clone());
                }
                Some(value.unwrap_or_default())
            }
            (Some('-' | '='), _) => match set {
                Some(value) => Some(value),
                None => self.nested(kinds.as_str()),
            },
            (Some('+'), _) => match set {
                Some(_) => self.nested(kinds.as_str()),
                None => Some(String::new()),
            },
            (Some('?'), _) => set,
            // The directory of a path, and below its last part.
            _ if matches!(rest, "%/*") => {
                let value = value.unwrap_or_default();
                Some(value.rsplit_once('/').map_or(value.clone(), |(directory, _)| directory.to_owned()))
            }
            _ if matches!(rest, "##*/") => {
                let value = value.unwrap_or_default();
                Some(value.rsplit('/').next().unwrap_or_default().to_owned())
            }
            _ => None,
        }
    }

    /// Expands a word inside `${…}`.
    fn nested(&mut self, text: &str) -> Option<String> {
        if text.contains(['"', '\'']) { self.value_of(text) } else { self.value_of(&format!("\"{text}\"")) }
    }

    /// The value of words of a command line, if it is known.
    pub fn value_of(&mut self, written: &str) -> Option<String> {
        let parsed = Shell::parse(&format!(": {written}"));
        let simple = parsed.commands.last().filter(|_| parsed.syntax_error.is_none() && self.text_depth < DEEPEST)?;
        self.text_depth += 1;
        let words: Vec<ResolvedWord> = simple.words.iter().skip(1).map(|word| self.expand(&parsed, word)).collect();
        self.text_depth -= 1;
        let exact = words.iter().all(|word| word.exact);
        exact.then(|| words.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
    }
}
