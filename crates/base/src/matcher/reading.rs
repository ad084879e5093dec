//! How an agent reads a matcher, in parts that can be shown: what it is taken for, why, and its branches.

use super::ecma::{EcmaPattern, Tested};
use super::rust::rust_pattern;
use crate::hook::Subject;

/// What a matcher is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// The event has nothing to match.
    Ignored,
    Everything,
    /// A list of names, each compared as a whole.
    Names,
    /// One text, compared as a whole.
    Text,
    /// A regular expression.
    Pattern,
    /// Each name is compared as a whole first, then all of it is a regular expression.
    NamesThenPattern,
    /// A regular expression that cannot be read as one.
    Invalid,
    /// Nothing can pass.
    Nothing,
}

impl ReadAs {
    /// In documents.
    pub fn word(self) -> &'static str {
        match self {
            ReadAs::Ignored => "ignored",
            ReadAs::Everything => "everything",
            ReadAs::Names => "names",
            ReadAs::Text => "text",
            ReadAs::Pattern => "pattern",
            ReadAs::NamesThenPattern => "names_then_pattern",
            ReadAs::Invalid => "invalid",
            ReadAs::Nothing => "nothing",
        }
    }
}

/// Whose regular expressions they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// JavaScript's.
    Ecma,
    /// Those of the `regex` crate.
    Rust,
}

/// Where a pattern has to begin and to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anchors {
    pub start: bool,
    pub end: bool,
}

impl Anchors {
    /// Both ends.
    pub fn both(self) -> bool {
        self.start && self.end
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match (self.start, self.end) {
            (true, true) => "anchored",
            (true, false) => "anchored at the start only",
            (false, true) => "anchored at the end only",
            (false, false) => "not anchored",
        }
    }
}

/// A pattern that is looked for in a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// As it is compiled.
    pub text: String,
    pub engine: Engine,
    /// It is looked for in the other names of a tool, too.
    pub aliases: bool,
    pub anchors: Anchors,
}

/// One alternative of a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// As written.
    pub text: String,
    /// In words: `"Edit" then anything`.
    pub says: String,
    /// It is compared as a whole; with the other names of a tool, too, when true.
    pub name: Option<bool>,
    pub pattern: Option<Sought>,
}

impl Branch {
    /// A name that is compared as a whole. `aliases`: with the other names of a tool, too.
    pub fn name(text: &str, aliases: bool) -> Branch {
        Branch { text: text.to_owned(), says: format!("exactly \"{text}\""), name: Some(aliases), pattern: None }
    }

    /// Whether this branch lets a subject pass; none: that is not known.
    pub fn lets_pass(&self, subject: &Subject) -> Option<bool> {
        let named = self.name.is_some_and(|aliases| names(subject, aliases).any(|name| name == self.text));
        match &self.pattern {
            Some(pattern) if !named => self.found(subject, &pattern.text),
            _ => Some(named),
        }
    }

    /// Whether it passes when the branch has to be all of it.
    pub fn is_whole(&self, subject: &Subject) -> bool {
        let named = self.name.is_some_and(|aliases| names(subject, aliases).any(|name| name == self.text));
        let whole = || self.pattern.as_ref().map(|pattern| format!("^(?:{})$", pattern.text));
        named || whole().is_some_and(|whole| self.found(subject, &whole) == Some(true))
    }

    /// Where it has to begin and to end; a name is all of it.
    pub fn anchors(&self) -> Anchors {
        self.pattern.as_ref().map_or(Anchors { start: true, end: true }, |pattern| pattern.anchors)
    }

    fn found(&self, subject: &Subject, text: &str) -> Option<bool> {
        let pattern = self.pattern.as_ref()?;
        let mut names = names(subject, pattern.aliases);
        match pattern.engine {
            Engine::Rust => {
                let regex = rust_pattern(text).ok()?;
                Some(names.any(|name| regex.is_match(name)))
            }
            Engine::Ecma => {
                let pattern = EcmaPattern::new(text).ok()?;
                let tested: Vec<Tested> = names.map(|name| pattern.test(name)).collect();
                if tested.contains(&Tested::Yes) {
                    return Some(true);
                }
                (!tested.contains(&Tested::TooExpensive)).then_some(false)
            }
        }
    }
}

fn names(subject: &Subject, aliases: bool) -> impl Iterator<Item = &str> {
    let others = subject.aliases.iter().filter(move |_| aliases);
    subject.value.iter().chain(others).map(String::as_str)
}

/// How an agent reads a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherReading {
    pub read: ReadAs,
    /// Why it is read so: `it contains "."`. Of what is invalid the parser's words.
    pub because: String,
    pub branches: Vec<Branch>,
}

impl MatcherReading {
    /// A reading without branches.
    pub fn plain(read: ReadAs, because: impl Into<String>) -> MatcherReading {
        MatcherReading { read, because: because.into(), branches: Vec::new() }
    }

    /// Where all branches have to begin and to end.
    pub fn anchors(&self) -> Anchors {
        let all = |is: fn(Anchors) -> bool| self.branches.iter().all(|branch| is(branch.anchors()));
        Anchors { start: all(|a| a.start), end: all(|a| a.end) }
    }

    /// Some branches are anchored where others are not.
    pub fn mixed(&self) -> bool {
        let first = self.branches.first().map(Branch::anchors);
        self.branches.iter().any(|branch| Some(branch.anchors()) != first)
    }

    /// `regular expression, not anchored, case matters`.
    pub fn words(&self) -> String {
        let anchors = || if self.mixed() { "each branch anchored its own way" } else { self.anchors().words() };
        match self.read {
            ReadAs::Ignored => "not looked at".to_owned(),
            ReadAs::Everything => "everything".to_owned(),
            ReadAs::Names if self.branches.len() == 1 => "an exact name, case matters".to_owned(),
            ReadAs::Names => "a list of exact names, case matters".to_owned(),
            ReadAs::Text => "one exact text, case matters".to_owned(),
            ReadAs::Pattern => format!("regular expression, {}, case matters", anchors()),
            ReadAs::NamesThenPattern => format!("a name first, then a regular expression, {}, case matters", anchors()),
            ReadAs::Invalid => "no valid regular expression".to_owned(),
            ReadAs::Nothing => "nothing".to_owned(),
        }
    }
}
