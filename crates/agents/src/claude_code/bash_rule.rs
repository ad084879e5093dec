//! Matching of the pattern in a `Bash(…)` rule against the commands of a line.

use super::shell::CommandAnalysis;

/// A part of a pattern: literal text, or `*`, which matches any text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternPart {
    Text(String),
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum CommandPattern {
    /// `git push:*`: these words, followed by any text.
    Prefix(String),
    Wildcard(Vec<PatternPart>),
    Exact(String),
}

/// The result of comparing a rule with a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleMatch {
    /// The rule matches this command, or the program of this name.
    Command(String),
    /// The rule names arguments, but the agent knows only the names of the programs.
    NamesOnly,
    /// The agent does not analyse the command.
    Opaque,
    Nothing,
}

/// Compares a rule with a command line. `content` is the text inside the brackets.
pub fn match_rule(content: &str, reading: &CommandAnalysis) -> RuleMatch {
    let pattern = CommandPattern::new(collapse_blanks(content).trim());
    let hit = |commands: &[String]| commands.iter().find(|command| pattern.matches(command)).cloned();
    match reading {
        CommandAnalysis::Opaque => RuleMatch::Opaque,
        CommandAnalysis::Commands(commands) => hit(commands).map_or(RuleMatch::Nothing, RuleMatch::Command),
        CommandAnalysis::Names(names) if names_one_program(content) => {
            hit(names).map_or(RuleMatch::Nothing, RuleMatch::Command)
        }
        CommandAnalysis::Names(_) => RuleMatch::NamesOnly,
    }
}

/// Collapses each run of blanks and tabs to one blank.
fn collapse_blanks(text: &str) -> String {
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
fn names_one_program(text: &str) -> bool {
    if let Some(prefix) = text.strip_suffix(":*") {
        return !prefix.contains(char::is_whitespace);
    }
    let Some(name) = text.strip_suffix('*') else { return false };
    let name = name.strip_suffix([' ', '\t']).unwrap_or(name);
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "*?[".contains(c))
}

impl CommandPattern {
    fn new(text: &str) -> CommandPattern {
        // Without words before it, the colon is text: `:*` matches the command `:`.
        if let Some(prefix) = text.strip_suffix(":*").filter(|prefix| !prefix.is_empty()) {
            return CommandPattern::Prefix(prefix.to_owned());
        }
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some('*' | '\\')) => plain.extend(chars.next()),
                ('*', _) => {
                    parts.push(PatternPart::Text(std::mem::take(&mut plain)));
                    parts.push(PatternPart::Any);
                }
                (c, _) => plain.push(c),
            }
        }
        if parts.is_empty() {
            return CommandPattern::Exact(plain);
        }
        parts.push(PatternPart::Text(plain));
        CommandPattern::Wildcard(parts)
    }

    fn matches(&self, command: &str) -> bool {
        match self {
            CommandPattern::Exact(text) => collapse_blanks(command) == *text,
            CommandPattern::Prefix(prefix) => starts_with_words(command, prefix),
            CommandPattern::Wildcard(parts) => match parts.as_slice() {
                // A single star after a blank at the end also matches a command without arguments.
                [PatternPart::Text(words), PatternPart::Any, PatternPart::Text(end)]
                    if end.is_empty() && words.ends_with(' ') =>
                {
                    starts_with_words(&collapse_blanks(command), words.trim_end())
                }
                _ => matches_parts(parts, &collapse_blanks(command)),
            },
        }
    }
}

fn starts_with_words(command: &str, words: &str) -> bool {
    command.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn matches_parts(parts: &[PatternPart], text: &str) -> bool {
    let texts: Vec<&str> =
        parts.iter().filter_map(|p| if let PatternPart::Text(t) = p { Some(t.as_str()) } else { None }).collect();
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
