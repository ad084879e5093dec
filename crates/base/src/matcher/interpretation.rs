//! An agent's interpretation of a matcher, in parts that can be displayed: its kind, the reason, and its branches.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::Regex;

use super::ecma::{EcmaPattern, TestResult};
use crate::hook::Subject;

crate::words! {
    /// The kind of a matcher.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum MatcherKind {
        /// The event has no subject, so the matcher is ignored.
        Ignored = "ignored",
        Everything = "everything",
        /// A list of names; each is compared with the whole subject.
        Names = "names",
        /// One text that is compared with the whole subject.
        Text = "text",
        /// A regular expression.
        Pattern = "pattern",
        /// The names are compared with the whole subject first; then the text is used as a regular expression.
        NamesThenPattern = "names_then_pattern",
        /// A shell glob over the whole subject, in any case.
        Glob = "glob",
        /// A regular expression over the whole subject.
        WholePattern = "whole_pattern",
        /// An invalid regular expression.
        Invalid = "invalid",
        /// The matcher cannot match anything.
        Nothing = "nothing",
    }
    /// The word in documents.
    fn word;
}

/// The regular-expression engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegexEngine {
    /// JavaScript.
    Ecma,
    /// The `regex` crate.
    Rust,
}

/// The ends at which a pattern is anchored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anchors {
    pub start: bool,
    pub end: bool,
}

impl Anchors {
    /// Whether both ends are anchored.
    pub fn both(self) -> bool {
        self.start && self.end
    }

    /// The words on the screen.
    pub fn describe(self) -> &'static str {
        match (self.start, self.end) {
            (true, true) => "anchored",
            (true, false) => "anchored at the start only",
            (false, true) => "anchored at the end only",
            (false, false) => "not anchored",
        }
    }
}

/// A pattern to search for in a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPattern {
    /// The text that is compiled.
    pub text: String,
    pub engine: RegexEngine,
    /// Whether a tool's aliases are searched, too.
    pub aliases: bool,
    pub anchors: Anchors,
}

/// One alternative of a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherBranch {
    /// The text as written.
    pub text: String,
    /// A description: `"Edit" then anything`.
    pub description: String,
    /// `Some` if the text is compared with the whole name of a tool; true if its aliases are compared, too.
    pub name: Option<bool>,
    pub pattern: Option<SearchPattern>,
}

impl MatcherBranch {
    /// A branch that is compared with the whole name. `aliases`: with a tool's aliases, too.
    pub fn name(text: &str, aliases: bool) -> MatcherBranch {
        MatcherBranch {
            text: text.to_owned(),
            description: format!("exactly \"{text}\""),
            name: Some(aliases),
            pattern: None,
        }
    }

    /// Whether the branch matches a subject. `None` if that is unknown.
    pub fn matches(&self, subject: &Subject) -> Option<bool> {
        let named = self.name.is_some_and(|aliases| names(subject, aliases).any(|name| name == self.text));
        match &self.pattern {
            Some(pattern) if !named => self.search(subject, &pattern.text),
            _ => Some(named),
        }
    }

    /// Whether the branch matches the whole subject.
    pub fn matches_whole(&self, subject: &Subject) -> bool {
        let named = self.name.is_some_and(|aliases| names(subject, aliases).any(|name| name == self.text));
        let whole = || self.pattern.as_ref().map(|pattern| format!("^(?:{})$", pattern.text));
        named || whole().is_some_and(|whole| self.search(subject, &whole) == Some(true))
    }

    /// The ends at which the branch is anchored. A name is anchored at both.
    pub fn anchors(&self) -> Anchors {
        self.pattern.as_ref().map_or(Anchors { start: true, end: true }, |pattern| pattern.anchors)
    }

    fn search(&self, subject: &Subject, text: &str) -> Option<bool> {
        let pattern = self.pattern.as_ref()?;
        let mut names = names(subject, pattern.aliases);
        match pattern.engine {
            RegexEngine::Rust => {
                let regex = rust_pattern(text).ok()?;
                Some(names.any(|name| regex.is_match(name)))
            }
            RegexEngine::Ecma => {
                let pattern = EcmaPattern::new(text).ok()?;
                let tested: Vec<TestResult> = names.map(|name| pattern.test(name)).collect();
                if tested.contains(&TestResult::Yes) {
                    return Some(true);
                }
                (!tested.contains(&TestResult::TooExpensive)).then_some(false)
            }
        }
    }
}

fn names(subject: &Subject, aliases: bool) -> impl Iterator<Item = &str> {
    let others = subject.aliases.iter().filter(move |_| aliases);
    subject.value.iter().chain(others).map(String::as_str)
}

/// An agent's interpretation of a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherInterpretation {
    pub kind: MatcherKind,
    /// The reason for the kind: `it contains "."`. For an invalid pattern, the parser's error.
    pub reason: String,
    pub branches: Vec<MatcherBranch>,
}

impl MatcherInterpretation {
    /// An interpretation without branches.
    pub fn plain(read: MatcherKind, because: impl Into<String>) -> MatcherInterpretation {
        MatcherInterpretation { kind: read, reason: because.into(), branches: Vec::new() }
    }

    /// The ends at which all branches are anchored.
    pub fn anchors(&self) -> Anchors {
        let all = |is: fn(Anchors) -> bool| self.branches.iter().all(|branch| is(branch.anchors()));
        Anchors { start: all(|a| a.start), end: all(|a| a.end) }
    }

    /// Whether some branches are anchored and others are not.
    pub fn has_mixed_anchors(&self) -> bool {
        let first = self.branches.first().map(MatcherBranch::anchors);
        self.branches.iter().any(|branch| Some(branch.anchors()) != first)
    }

    /// A description: `regular expression, not anchored, case matters`.
    pub fn describe(&self) -> String {
        let anchors =
            || if self.has_mixed_anchors() { "anchored differently in each branch" } else { self.anchors().describe() };
        match self.kind {
            MatcherKind::Ignored => "ignored".to_owned(),
            MatcherKind::Everything => "everything".to_owned(),
            MatcherKind::Names if self.branches.len() == 1 => "an exact name, case-sensitive".to_owned(),
            MatcherKind::Names => "a list of exact names, case-sensitive".to_owned(),
            MatcherKind::Text => "one exact text, case-sensitive".to_owned(),
            MatcherKind::Pattern => format!("regular expression, {}, case-sensitive", anchors()),
            MatcherKind::NamesThenPattern => {
                format!("an exact name or a regular expression, {}, case-sensitive", anchors())
            }
            MatcherKind::Glob => "a glob over the whole name, in any case".to_owned(),
            MatcherKind::WholePattern => "regular expression over the whole name".to_owned(),
            MatcherKind::Invalid => "not a valid regular expression".to_owned(),
            MatcherKind::Nothing => "nothing".to_owned(),
        }
    }
}

/// Capacity of the cache of compiled patterns.
const CACHE_CAPACITY: usize = 64;

/// A compiled pattern, or the error. It is shared through `Rc`, because a clone of a `Regex` loses the search
/// cache.
type RustPatternResult = Result<Rc<Regex>, regex::Error>;

thread_local! {
    /// A cache is safe because compiling depends only on the text.
    static CACHE: RefCell<HashMap<String, RustPatternResult>> = RefCell::default();
}

/// Compiles a pattern.
///
/// # Errors
/// Returns an error if the pattern is invalid.
pub fn rust_pattern(text: &str) -> RustPatternResult {
    CACHE.with_borrow_mut(|known| {
        if let Some(compiled) = known.get(text) {
            return compiled.clone();
        }
        if known.len() >= CACHE_CAPACITY {
            known.clear();
        }
        let compiled = Regex::new(text).map(Rc::new);
        known.insert(text.to_owned(), compiled.clone());
        compiled
    })
}
