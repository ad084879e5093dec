//! Matching of the pattern in a `Bash(…)` rule against the commands of a line.

use super::shell::Reading;

/// A part of a pattern: literal text, or `*`, which matches any text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    /// `git push:*`: these words, followed by any text.
    Prefix(String),
    Wildcard(Vec<Part>),
    Exact(String),
}

/// The result of comparing a rule with a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The rule matches this command, or the program of this name.
    Command(String),
    /// The rule names arguments, but the agent knows only the names of the programs.
    NamesOnly,
    /// The agent does not analyse the command.
    Opaque,
    Nothing,
}

/// Compares a rule with a command line. `content` is the text inside the brackets.
pub fn find(content: &str, reading: &Reading) -> Match {
    let pattern = Pattern::new(normal(content).trim());
    let hit = |commands: &[String]| commands.iter().find(|command| pattern.matches(command)).cloned();
    match reading {
        Reading::Opaque => Match::Opaque,
        Reading::Commands(commands) => hit(commands).map_or(Match::Nothing, Match::Command),
        Reading::Names(names) if asks_for_a_name(content) => hit(names).map_or(Match::Nothing, Match::Command),
        Reading::Names(_) => Match::NamesOnly,
    }
}

/// Collapses each run of blanks and tabs to one blank.
fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' | '\t' if normal.ends_with(' ') => {}
            ' ' | '\t' => normal.push(' '),
            c => normal.push(c),
        }
    }
    normal
}

/// Whether a pattern consists of one word and a wildcard: `git *`, `git:*` or `git*`.
fn asks_for_a_name(text: &str) -> bool {
    if let Some(prefix) = text.strip_suffix(":*") {
        return !prefix.contains(char::is_whitespace);
    }
    let Some(name) = text.strip_suffix('*') else { return false };
    let name = name.strip_suffix([' ', '\t']).unwrap_or(name);
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "*?[".contains(c))
}

impl Pattern {
    fn new(text: &str) -> Pattern {
        if let Some(prefix) = text.strip_suffix(":*") {
            return Pattern::Prefix(prefix.to_owned());
        }
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some('*' | '\\')) => plain.extend(chars.next()),
                ('*', _) => {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(Part::Any);
                }
                (c, _) => plain.push(c),
            }
        }
        if parts.is_empty() {
            return Pattern::Exact(plain);
        }
        parts.push(Part::Text(plain));
        Pattern::Wildcard(parts)
    }

    fn matches(&self, command: &str) -> bool {
        match self {
            Pattern::Exact(text) => normal(command) == *text,
            Pattern::Prefix(prefix) => starts_with_words(command, prefix),
            Pattern::Wildcard(parts) => match parts.as_slice() {
                // A single star after a blank at the end also matches a command without arguments.
                [Part::Text(words), Part::Any, Part::Text(end)] if end.is_empty() && words.ends_with(' ') => {
                    starts_with_words(&normal(command), words.trim_end())
                }
                _ => spans(parts, &normal(command)),
            },
        }
    }
}

fn starts_with_words(command: &str, words: &str) -> bool {
    command.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn spans(parts: &[Part], text: &str) -> bool {
    let texts: Vec<&str> =
        parts.iter().filter_map(|p| if let Part::Text(t) = p { Some(t.as_str()) } else { None }).collect();
    let Some((first, rest)) = texts.split_first() else { return false };
    let Some((last, middle)) = rest.split_last() else { return text == *first };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    for part in middle {
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or(""),
            None => return false,
        }
    }
    left.ends_with(last)
}
